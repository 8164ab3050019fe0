--- HyperCLOVA X SEED Think 14B: a JSON array in a message to a tool; the array alone where a server took the header.
-- Models: HyperCLOVAX-SEED-Think-14B.

local keys, head, over = { "arguments", "parameters" }, "<|im_start|>assistant", "<|im_end|>\n"

return s.syntax {
  api = 3, name = "hyperclovax", aliases = { "hyperclovax_seed_think_14b" },
  models = { "HyperCLOVAX-SEED-Think-14B" },
  source = "https://github.com/vllm-project/vllm/pull/45313 (hyperclovax_seed_think_14b_tool_parser.py)",
  blocks = {
    { s.also(s.any { over .. head, head }),
      s.any { { exact = true, " -> tool/function_call\n" }, s.also "-> tool/function_call\n" },
      s.any { s.json { each = "*", args = keys }, s.also(s.json { args = keys }) } },
    { at = "start", "/think\n", s.think(), s.any { over .. head .. "\n", over .. head, over } },
    { at = "start", s.json { each = "*", args = keys } },
  },
  think = { { head .. "/think\n", over .. head .. "\n" }, { head .. "/think\n", over .. head }, { head .. "/think\n", over } },
  ignore = { head .. "\n" },
  stop = { "<|im_end|>", "<|stop|>", "<|endofturn|>" },
  examples = { {
    text = ' -> tool/function_call\n[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
