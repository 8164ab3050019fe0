--- Granite 4: as Hermes; the `arguments` key is required.
-- Models: granite-4.0.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "granite4",
  models = { "granite-4" },
  source = "https://huggingface.co/ibm-granite/granite-4.0-h-small",
  special = { "<tool_call>", "</tool_call>" },
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = { "<tool_call>\n", s.object { arguments_required = true }, "\n</tool_call>" },
  between = "\n",
  stop = { "<|end_of_text|>" },
  examples = {
    {
      text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
