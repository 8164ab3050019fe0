--- Solar Open: an id, a name and JSON, each after a token. Models: Solar-Open.

return s.syntax {
  api = 3, name = "solar_open",
  tokens = { "<|begin|>", "<|content|>" },
  models = { "Solar-Open" },
  source = "https://huggingface.co/upstage/Solar-Open-100B",
  think = { s.tok "<|think|>", s.tok "<|end|>" },
  ignore = { "<|begin|>assistant", "<|content|>" },
  stop = { "<|end|>", "<|flush|>" },
  call = {
    s.lost(s.tok "<|tool_calls|>"),
    s.calls {
      s.tok "<|tool_call:begin|>", s.id(), s.tok "<|tool_call:name|>", s.name(), s.tok "<|tool_call:args|>", s.args(),
      s.tok "<|tool_call:end|>",
    },
    s.tok "<|calls|>",
  },
  examples = { {
    text = '<|tool_calls|><|tool_call:begin|>call00000<|tool_call:name|>now<|tool_call:args|>{}<|tool_call:end|><|calls|>',
    calls = { { name = "now", id = "call00000", arguments = {} } },
  } },
}
