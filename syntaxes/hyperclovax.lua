--- HyperCLOVA X SEED Think 14B: a JSON array in a message to a tool; the array alone where a server took the header.
-- Models: HyperCLOVAX-SEED-Think-14B.

local keys = { "arguments", "parameters" }

return s.syntax {
  api = 3, name = "hyperclovax", aliases = { "hyperclovax_seed_think_14b" },
  models = { "HyperCLOVAX-SEED-Think-14B" },
  source = "https://github.com/vllm-project/vllm/pull/45313 (hyperclovax_seed_think_14b_tool_parser.py)",
  blocks = {
    { s.also(s.any { "<|im_end|>\n<|im_start|>assistant", "<|im_start|>assistant" }),
      s.any { { exact = true, " -> tool/function_call\n" }, s.also "-> tool/function_call\n" },
      s.any { s.json { each = "*", args = keys }, s.also(s.json { args = keys }) } },
    { "<|im_start|>assistant/think\n", s.think(), s.any { "<|im_end|>\n", "<|im_end|>\n<|im_start|>assistant" } },
    { at = "start", s.json { each = "*", args = keys } },
  },
  ignore = { "<|im_end|>\n<|im_start|>assistant\n", "<|im_start|>assistant\n" },
  stop = { "<|im_end|>", "<|stop|>", "<|endofturn|>" },
  examples = { {
    text = ' -> tool/function_call\n[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
