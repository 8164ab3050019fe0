--- MiniMax M1: JSON objects, one per line, in <tool_calls> tags.
-- Models: MiniMax-M1.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "minimax_m1",
  models = { "MiniMax-M1" },
  source = "https://huggingface.co/MiniMaxAI/MiniMax-M1-80k",
  special = { "<tool_calls>", "</tool_calls>" },
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = { "<tool_calls>\n", s.calls { s.object(), between = "\n" }, "\n</tool_calls>" },
  examples = {
    {
      text = '<tool_calls>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n{"name": "now", "arguments": {}}\n'
        .. '</tool_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
    },
  },
}
