--- Solar Open: an id, a name and JSON, each after a token.
-- Models: Solar-Open.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "solar_open",
  models = { "Solar-Open" },
  source = "https://huggingface.co/upstage/Solar-Open-100B",
  special = {
    "<|tool_calls|>", "<|tool_call:begin|>", "<|tool_call:name|>", "<|tool_call:args|>", "<|tool_call:end|>", "<|calls|>",
    "<|think|>", "<|end|>", "<|begin|>", "<|content|>",
  },
  reasoning = { { open = "<|think|>", close = "<|end|><|begin|>assistant" }, { open = "<|think|>", close = "<|end|>" } },
  ignored_tokens = { "<|begin|>assistant", "<|content|>" },
  stop = { "<|end|>", "<|flush|>" },
  call = {
    s.recoverable "<|tool_calls|>",
    s.calls {
      "<|tool_call:begin|>", s.id(), "<|tool_call:name|>", s.name(), "<|tool_call:args|>", s.arguments(), "<|tool_call:end|>",
    },
    s.recoverable "<|calls|>",
  },
  examples = {
    {
      text = '<|tool_calls|><|tool_call:begin|>call00000<|tool_call:name|>get_weather<|tool_call:args|>{"city": "Paris"}'
        .. "<|tool_call:end|><|calls|>",
      calls = { { name = "get_weather", id = "call00000", arguments = { city = "Paris" } } },
    },
  },
}
