--- Ling 3: like GLM 4.5, without a line break between arguments. Models: Ling 3, Ring 3.

return inherit("glm45", {
  api = 3, name = "ling3",
  models = { "Ling-3", "Ring-3" },
  source = "https://huggingface.co/inclusionAI",
  call = {
    s.tok "<tool_call>", s.name(), "\n",
    s.params { s.tok "<arg_key>", s.key(), s.lost(s.tok "</arg_key>"), "\n", s.lost(s.tok "<arg_value>"), s.value(), s.tok "</arg_value>" },
    "\n", s.tok "</tool_call>",
  },
  think = { "<think>\n", "\n</think>\n\n" },
  stop = { "<|role_end|>" },
  prompt = false,
  examples = { {
    text = '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
