--- Phi-4-mini: one JSON array of calls between two markers; some templates write `functools` before it instead. Models: Phi-4-mini.

return s.syntax {
  api = 3, name = "phi4_mini", aliases = { "phi4_mini_json" },
  models = { "Phi-4-mini", "Phi-4-multimodal" },
  source = "https://huggingface.co/microsoft/Phi-4-mini-instruct",
  call = { s.any { s.tok "<|tool_call|>", "functools" }, s.json { each = "*" }, s.opt(s.tok "<|/tool_call|>") },
  stop = { "<|end|>", "<|end_of_text|>", "<|eot_id|>", "<|im_end|>" },
  examples = { {
    text = '<|tool_call|>[{"name": "add", "arguments": {"x": 1}}, {"name": "now", "arguments": {}}]<|/tool_call|>',
    calls = { { name = "add", arguments = { x = 1 } }, { name = "now", arguments = {} } },
  } },
}
