--- Spark 2.5: like GLM 4.7. Models: Spark 2.5.

return inherit("glm47", {
  api = 3, name = "spark25",
  models = { "Spark-2.5" },
  source = "https://huggingface.co/iFlytek",
  think = { "<think>\n", "\n</think>\n\n" },
  stop = { "<|im_end|>", "<|endoftext|>", "<｜end▁of▁sentence｜>" },
  prompt = false,
  examples = { {
    text = '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
