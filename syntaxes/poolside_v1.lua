--- Poolside: as GLM 4.5.
-- Models: Laguna of the first generation of templates, poolside v1.

local s = require "sluice.syntax"

return s.syntax {
  api = 1,
  name = "poolside_v1",
  models = { "poolside" },
  source = "https://huggingface.co/poolside",
  special = {
    "<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>",
    "<arg_value>", "</arg_value>", "<think>", "</think>",
  },
  reasoning = { open = "<think>", close = "</think>" },
  call = {
    "<tool_call>", s.name(), "\n",
    s.parameters {
      "<arg_key>", s.key(), s.missing_ok "</arg_key>", "\n", s.missing_ok "<arg_value>", s.value(),
      s.missing_ok "</arg_value>", "\n",
    },
    "</tool_call>",
  },
  between = "\n",
  examples = {
    {
      text = '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
