--- GLM 4.7: as GLM 4.5, without line breaks.
-- Models: GLM-4.7, GLM-5.

local s = require "sluice.syntax"

return s.syntax {
  api = 1,
  name = "glm47",
  models = { "GLM-4.7", "GLM-5" },
  source = "https://huggingface.co/zai-org/GLM-4.7",
  special = {
    "<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>",
    "<arg_value>", "</arg_value>", "<think>", "</think>",
  },
  reasoning = { open = "<think>", close = "</think>" },
  stop = { "<|user|>", "<|observation|>", "<|endoftext|>" },
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
