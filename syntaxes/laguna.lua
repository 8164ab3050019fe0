--- Laguna: GLM's key and value tags; also reads a JSON object in the tags, JSON after the name, and bare JSON. A call of a given
-- tool may also be in <user>.
-- Models: Laguna.

local s = require "sluice.syntax"

local arguments = s.any {
  s.arguments(),
  s.parameters {
    "<arg_key>", s.key(), s.recoverable "</arg_key>", "\n", s.recoverable "<arg_value>", s.value(),
    s.recoverable "</arg_value>", "\n",
  },
  write = 2,
}

return s.syntax {
  api = 2,
  name = "laguna",
  models = { "Laguna" },
  source = "https://huggingface.co/poolside",
  special = { "<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>" },
  stop = { "</assistant>" },
  reasoning = { open = "<think>", close = "</think>" },
  blocks = {
    { "<tool_call>", s.name(), "\n", arguments, "</tool_call>" },
    { "<tool_call>\n", s.object(), "\n</tool_call>" },
    { s.recoverable "<tool_call>", "<user>", s.name { declared = true }, "\n", arguments, "</user>" },
    { s.recoverable "<tool_call>", "<user>\n", s.object(), "\n</user>" },
    s.object(),
  },
  between = "\n", common_in_prose = { "<user>" },
  examples = {
    {
      text = '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
