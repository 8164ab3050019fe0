--- dots: invocations with parameters in tags, in a section.
-- Models: dots.llm2.

return inherit("minimax_m2", {
  name = "dots",
  models = { "dots.llm2" },
  source = "https://huggingface.co/rednote-hilab",
  special = { "<dots_function_call>", "</dots_function_call>" },
  literals = { ["minimax:tool_call"] = "dots_function_call", ["\n"] = "" },
  stop = { "<|endofresponse|>" },
  examples = {
    {
      text = '<dots_function_call><invoke name="get_weather"><parameter name="city">Paris</parameter></invoke></dots_function_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
})
