--- Laguna: GLM's key and value tags; also reads a JSON object in the tags, JSON after the name, and bare JSON. A call of a given
-- tool may also be in <user>. Models: Laguna.

local arguments = s.any {
  s.also(s.args()),
  s.params {
    s.tok "<arg_key>", s.key(), s.lost(s.tok "</arg_key>"), "\n", s.lost(s.tok "<arg_value>"), s.value(), s.tok "</arg_value>", "\n",
  },
}

return s.syntax {
  api = 3, name = "laguna",
  models = { "Laguna", "poolside-Laguna" },
  source = "https://huggingface.co/poolside",
  stop = { "</assistant>" },
  think = { "<think>", "</think>" },
  blocks = {
    { s.tok "<tool_call>", s.name(), "\n", arguments, s.tok "</tool_call>" },
    { s.tok "<tool_call>\n", s.json(), s.tok "\n</tool_call>" },
    { "<user>", s.given(), "\n", arguments, "</user>" },
    { s.lost(s.tok "<tool_call>"), "<user>\n", s.json(), "\n</user>" },
    s.json(),
  },
  between = "\n",
  prose = { "<user>" },
  examples = { {
    text = '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
