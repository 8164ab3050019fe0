--- DeepSeek V3.2: DSML; each parameter says whether it is a string.
-- Models: DeepSeek-V3.2.

return s.syntax {
  api = 3,
  name = "deepseek_v32",
  models = { "DeepSeek-V3.2" },
  source = "https://huggingface.co/deepseek-ai/DeepSeek-V3.2",
  think = { s.tok "<think>", s.tok "</think>" },
  stop = { "<｜end▁of▁sentence｜>" },
  ignore_at_start = { "</｜DSML｜function_calls>" },
  blocks = {
    {
      s.lost "<｜DSML｜function_calls>\n",
      s.calls {
        "<｜DSML｜invoke",
        s.attrs { name = s.name() },
        ">\n",
        s.params {
          "<｜DSML｜parameter",
          s.attrs { { "name", s.key() }, type = { "string", { ["false"] = "json", ["true"] = "string" } } },
          ">", s.value(), "</｜DSML｜parameter>", "\n",
        },
        "</｜DSML｜invoke>", "\n",
      },
      "</｜DSML｜function_calls>",
    },
    {
      { "<function_calls>\n", s.tok "｜DSML｜" },
      s.calls {
        "<invoke",
        s.attrs { name = s.name() },
        ">\n",
        s.params {
          "<parameter",
          s.attrs { { "name", s.key() }, type = { "string", { ["false"] = "json", ["true"] = "string" } } },
          ">", s.value(), "</parameter>", "\n",
        },
        "</invoke>", "\n",
      },
      "</function_calls>",
    },
  },
  examples = {
    {
      text = '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
        .. '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
