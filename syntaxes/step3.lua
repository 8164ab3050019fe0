--- Step 3: invocations with parameters in tags, between special tokens. Models: Step-3.

return s.syntax {
  api = 3, name = "step3",
  models = { "Step3" },
  source = "https://huggingface.co/stepfun-ai/step3",
  think = { "<think>", "</think>" },
  call = {
    s.tok "<｜tool_calls_begin｜>\n",
    s.calls {
      s.tok "<｜tool_call_begin｜>",
      s.any {
        { s.opt { "function", s.tok "<｜tool_sep｜>" }, "<steptml:invoke", s.attrs { name = s.name() }, ">\n" },
        s.also { "function", s.tok "<｜tool_sep｜>", s.name(), "\n<steptml:invoke name=\"", s.same "name", "\">\n" },
      },
      s.params { "<steptml:parameter", s.attrs { name = s.key() }, ">", s.value(), "</steptml:parameter>", "\n" },
      "</steptml:invoke>", s.tok "<｜tool_call_end｜>\n", s.also(s.tok "<｜tool_sep｜>"),
    },
    s.tok "<｜tool_calls_end｜>",
  },
  examples = { {
    text = '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">\n'
      .. '<steptml:parameter name="city">Paris</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
