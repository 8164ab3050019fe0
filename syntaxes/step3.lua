--- Step 3: invocations with parameters in tags, between special tokens.
-- Models: Step-3.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "step3",
  models = { "Step3" },
  source = "https://huggingface.co/stepfun-ai/step3",
  special = {
    "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", "<｜tool_call_begin｜>",
    "<｜tool_call_end｜>", "<｜tool_sep｜>",
  },
  reasoning = { open = "<think>", close = "</think>" },
  call = {
    "<｜tool_calls_begin｜>\n",
    s.calls {
      "<｜tool_call_begin｜>",
      s.any { -- the name may also follow the separator
        { s.optional { "function", "<｜tool_sep｜>" }, "<steptml:invoke", s.attributes { { "name", s.name() } }, ">\n" },
        { "function", "<｜tool_sep｜>", s.name(), '\n<steptml:invoke name="', s.backref "name", '">\n' },
        write = 1,
      },
      s.parameters {
        "<steptml:parameter", s.attributes { { "name", s.key() } }, ">", s.value(),
        s.recoverable "</steptml:parameter>", "\n",
      },
      s.recoverable "</steptml:invoke>", "<｜tool_call_end｜>\n", s.optional { "<｜tool_sep｜>", write = false },
    },
    "<｜tool_calls_end｜>",
  },
  examples = {
    {
      text = '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">\n'
        .. '<steptml:parameter name="city">Paris</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
