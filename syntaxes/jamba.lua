--- Jamba: a JSON array in <tool_calls> tags.
-- Models: Jamba 1.5 and 1.6.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "jamba",
  models = { "Jamba" },
  source = "https://huggingface.co/ai21labs/AI21-Jamba-1.5-Mini",
  special = { "<tool_calls>", "</tool_calls>" },
  call = { "<tool_calls>", "[\n    ", s.calls { s.object(), between = ",\n    " }, "\n]", "</tool_calls>" },
  examples = {
    {
      text = '<tool_calls>[\n    {"name": "get_weather", "arguments": {"city": "Paris"}},\n'
        .. '    {"name": "now", "arguments": {}}\n]'
        .. '</tool_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
    },
  },
}
