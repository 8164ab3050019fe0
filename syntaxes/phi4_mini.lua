--- Phi-4-mini: one JSON array of calls between two markers; some templates write `functools` before it instead.
-- Models: Phi-4-mini.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "phi4_mini", aliases = { "phi4_mini_json" },
  models = { "Phi-4-mini" },
  source = "https://huggingface.co/microsoft/Phi-4-mini-instruct",
  special = { "<|tool_call|>", "<|/tool_call|>" },
  call = { s.any { "<|tool_call|>", "functools" }, s.array(s.object()), s.optional "<|/tool_call|>" },
  stop = { "<|end|>" },
  examples = {
    {
      text = '<|tool_call|>[{"name": "add", "arguments": {"x": 1}}, {"name": "now", "arguments": {}}]<|/tool_call|>',
      calls = { { name = "add", arguments = { x = 1 } }, { name = "now", arguments = {} } },
    },
  },
}
