--- `functools[...]`: a word and a JSON array of calls, without a closer.
-- Models: FireFunction v2. Origin: prompts that teach models without native tools (llguidance, vLLM's Phi-4 template).

return s.syntax {
  api = 3, name = "functools",
  models = { "firefunction" }, stop = { "<|eot_id|>" },
  origin = "prompt-injected tool calls", source = "https://github.com/guidance-ai/llguidance/blob/main/docs/toolcalls.md",
  prose = { "functools" },
  call = { "functools", s.json { each = "*" } },
  examples = { {
    text = 'functools[{"name": "add", "arguments": {"x": 1}}, {"name": "mul", "arguments": {"x": [1, 2]}}]',
    calls = { { name = "add", arguments = { x = 1 } }, { name = "mul", arguments = { x = { 1, 2 } } } },
  } },
}
