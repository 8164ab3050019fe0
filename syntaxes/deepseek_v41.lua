--- DeepSeek V4.1: DSML with a blank after its mark, in a section with another name. Models: DeepSeek-V4.1.

return inherit("deepseek_v32", {
  api = 3, name = "deepseek_v41",
  models = { "DeepSeek-V4.1", "DeepSeek-V41" },
  source = "https://huggingface.co/deepseek-ai",
  literals = { { function_calls = " calls", invoke = " invoke", parameter = " parameter" }, { function_calls = "tool_calls" } },
  examples = { {
    text = '<｜DSML｜ calls>\n<｜DSML｜ invoke name="get_weather">\n'
      .. '<｜DSML｜ parameter name="city" string="true">Paris</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
