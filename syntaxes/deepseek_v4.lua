--- DeepSeek V4: DSML, in a section of another name.
-- Models: DeepSeek-V4.

return inherit("deepseek_v32", {
  name = "deepseek_v4",
  models = { "DeepSeek-V4" },
  source = "https://huggingface.co/deepseek-ai",
  ignored_at_start = {},
  literals = { ["function_calls"] = "tool_calls" },
  examples = {
    {
      text = '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n'
        .. '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
})
