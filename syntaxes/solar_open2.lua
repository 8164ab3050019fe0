--- Solar Open 2: the name on the token's line, then arguments between tokens, typed by the schema. Models: Solar-Open2.

return s.syntax {
  api = 3, name = "solar_open2",
  models = { "Solar-Open2", "Solar-Open-2" },
  source = "https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/solar_open2_tool_parser.py",
  think = { s.tok "<|think:start|>", s.tok "<|think:end|>" },
  call = {
    s.tok "<|tool_call:start|>", s.name(), "\n",
    s.params { s.tok "<|tool_arg:start|>", s.key(), s.tok "<|tool_arg:value|>", s.value(), s.tok "<|tool_arg:end|>", "\n" },
    s.tok "<|tool_call:end|>",
  },
  between = "\n",
  stop = { "<|im:end|>" },
  examples = { {
    text = "<|tool_call:start|>get_weather\n<|tool_arg:start|>city<|tool_arg:value|>Paris<|tool_arg:end|>\n<|tool_call:end|>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
