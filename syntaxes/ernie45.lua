--- ERNIE 4.5: a JSON object in <tool_call> tags, as Hermes; the answer may be in <response> tags.
-- Models: ERNIE-4.5 (thinking).

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "ernie45",
  models = { "ERNIE-4.5" },
  source = "https://huggingface.co/baidu/ERNIE-4.5-21B-A3B-Thinking",
  special = { "<tool_call>", "</tool_call>", "<think>", "</think>" },
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = { "<tool_call>\n", s.object(), "\n</tool_call>\n" },
  ignored_tokens = { "<response>", "</response>" },
  examples = {
    {
      text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
