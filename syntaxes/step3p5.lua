--- Step 3.5: like Qwen3-Coder, with nothing between calls. Models: Step-3.5.

return inherit("qwen3_coder", {
  api = 3, name = "step3p5",
  tokens = { "<tool_call>", "</tool_call>" },
  models = { "Step-3.5", "Step-3.7" },
  source = "https://huggingface.co/stepfun-ai/Step-3.5-Flash",
  stop = { "<|im_end|>" },
  options = { fences = "call" },
  between = "",
  examples = { {
    text = '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
