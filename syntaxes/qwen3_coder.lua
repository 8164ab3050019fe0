local s = require "sluice.syntax"

return s.syntax {
  api = 1,
  name = "qwen3_coder", aliases = { "qwen3_xml", "qwen3.5" },
  models = { "Qwen3-Coder", "Qwen3.5", "Nemotron-3" },
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = {
    s.missing_ok "<tool_call>\n",
    s.calls {
      "<function=", s.name(), ">\n",
      s.parameters { "<parameter=", s.key(), ">\n", s.value(), s.missing_ok "\n</parameter>\n" },
      s.missing_ok "</function>", "\n",
    },
    s.missing_ok "</tool_call>",
  },
  stop = { "<|im_end|>", "<|endoftext|>" },
}
