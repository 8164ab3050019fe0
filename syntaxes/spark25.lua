--- Spark 2.5: as GLM 4.7.
-- Models: Spark 2.5.

local s = require "sluice.syntax"

return s.syntax {
  api = 1,
  name = "spark25",
  models = { "Spark-2.5" },
  source = "https://huggingface.co/iFlytek",
  special = {
    "<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>",
    "<arg_value>", "</arg_value>", "<think>", "</think>",
  },
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = {
    "<tool_call>", s.name(),
    s.parameters {
      "<arg_key>", s.key(), s.missing_ok "</arg_key>", s.missing_ok "<arg_value>", s.value(),
      s.missing_ok "</arg_value>",
    },
    "</tool_call>",
  },
  examples = {
    {
      text = '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
