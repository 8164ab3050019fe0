local s = require "sluice.syntax"

return s.syntax {
  api = 1,
  name = "phi4_mini", aliases = { "phi4_mini_json" },
  models = { "Phi-4-mini" },
  call = { s.any { "<|tool_call|>", "functools" }, s.array(s.object()), s.usually "<|/tool_call|>" },
  stop = { "<|end|>" },
}
