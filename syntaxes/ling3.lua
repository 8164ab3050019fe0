--- Ling 3: as GLM 4.5. Models: Ling 3, Ring 3.

return inherit("glm45", {
  api = 3, name = "ling3",
  models = { "Ling-3", "Ring-3" },
  source = "https://huggingface.co/inclusionAI",
  think = { "<think>\n", "\n</think>\n\n" },
  stop = { "<|role_end|>" },
  prompt = false,
  examples = { {
    text = '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
