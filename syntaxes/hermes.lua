local s = require "sluice.syntax"

return s.syntax {
  api = 1,
  name = "hermes", aliases = { "qwen2.5", "qwen3" },
  models = { "Qwen2.5", "Qwen3", "QwQ", "Hermes 2 Pro", "Hermes 3" },
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = { "<tool_call>\n", s.object { name = "name", arguments = "arguments" }, "\n</tool_call>" },
  between = "\n",
  stop = { "<|im_end|>" },
}
