--- Hunyuan A13B: a JSON array in <tool_calls> tags; the answer may be in <answer> tags. Models: Hunyuan-A13B.

return s.syntax {
  api = 3, name = "hunyuan_a13b",
  models = { "Hunyuan-A13B" },
  source = "https://huggingface.co/tencent/Hunyuan-A13B-Instruct",
  think = { "<think>\n", "\n</think>\n\n" },
  call = { s.tok "<tool_calls>", s.json { each = "*" }, s.tok "</tool_calls>" },
  ignore = { "<answer>", "</answer>" },
  stop = { "<|eos|>" },
  examples = { {
    text = '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "now", "arguments": {}}]'
      .. '</tool_calls>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
