--- DeepSeek V4: DSML, in a section with another name; the names of tags may have the prefix `r:`. Models: DeepSeek-V4.

return inherit("deepseek_v32", {
  api = 3, name = "deepseek_v4",
  models = { "DeepSeek-V4" },
  source = "https://huggingface.co/deepseek-ai",
  literals = {
    { function_calls = "tool_calls" }, {},
    { function_calls = "tool_calls", ["<｜DSML｜"] = "<｜DSML｜r:", ["</｜DSML｜invoke"] = "</｜DSML｜r:invoke",
      ["</｜DSML｜parameter"] = "</｜DSML｜r:parameter" },
  },
  examples = { {
    text = '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n'
      .. '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
