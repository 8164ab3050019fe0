--- dots: invocations with parameters in tags, in a section; also reads JSON in place of the parameters. Models: dots.llm2.

return inherit("minimax_m2", {
  api = 3, name = "dots",
  models = { "dots.llm2" },
  source = "https://huggingface.co/rednote-hilab",
  blocks = {
    {
      s.lost(s.tok "<dots_function_call>"),
      s.calls {
        "<invoke", s.attrs { name = s.name() }, ">",
        s.params { "<parameter", s.attrs { name = s.key() }, ">", s.value(), "</parameter>" },
        "</invoke>",
      },
      s.tok "</dots_function_call>",
    },
    { "<dots_function_call>", s.any { s.json { each = "*" }, s.calls { s.json() } }, "</dots_function_call>" },
  },
  stop = { "<|endofresponse|>" },
  examples = { {
    text = '<dots_function_call><invoke name="get_weather"><parameter name="city">Paris</parameter></invoke></dots_function_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
