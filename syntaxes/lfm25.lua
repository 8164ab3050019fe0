--- LFM2.5-8B: like lfm2, but its template escapes nothing in single quotes. Models: LFM2.5-8B.

return inherit("lfm2", {
  api = 3, name = "lfm25",
  models = { "LFM2.5-8B" },
  source = "https://huggingface.co/LiquidAI/LFM2.5-8B-A1B (chat template)",
  call = {
    s.tok "<|tool_call_start|>", s.opt "[",
    s.calls { s.name(), "(", s.args { python = true, quote = "'" }, ")", between = ", " },
    s.opt "]", s.tok "<|tool_call_end|>",
  },
  examples = { {
    text = "<|tool_call_start|>[save(path='C:\\new')]<|tool_call_end|>",
    calls = { { name = "save", arguments = { path = "C:\\new" } } },
  } },
})
