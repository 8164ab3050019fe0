--- MiniMax M2: invocations with parameters in tags, in a section; values are not escaped.
-- Models: MiniMax-M2, M2.1, M2.5.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "minimax_m2",
  models = { "MiniMax-M2" },
  source = "https://huggingface.co/MiniMaxAI/MiniMax-M2",
  special = { "<minimax:tool_call>", "</minimax:tool_call>" },
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  stop = { "[e~[" },
  call = {
    s.recoverable "<minimax:tool_call>\n",
    s.calls {
      "<invoke", s.attributes { { "name", s.name() } }, ">\n",
      s.parameters {
        "<parameter", s.attributes { { "name", s.key() } }, ">", s.value(), s.recoverable "</parameter>", "\n",
      },
      s.recoverable "</invoke>", "\n",
    },
    s.recoverable "</minimax:tool_call>",
  },
  result = { "<response>", s.value(), "</response>" },
  examples = {
    {
      text = '<minimax:tool_call>\n<invoke name="get_weather">\n'
        .. '<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
