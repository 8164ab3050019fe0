--- InternLM 2: a JSON object with `parameters` between action markers. Models: InternLM2, InternLM2.5.

return s.syntax {
  api = 3, name = "internlm",
  models = { "internlm2", "internlm3", "Intern-S1" },
  source = "https://huggingface.co/internlm/internlm2_5-7b-chat",
  call = { s.tok "<|action_start|>", s.tok "<|plugin|>\n", s.json { args = { "parameters", "arguments" } }, s.tok "<|action_end|>\n" },
  stop = { "<|im_end|>" },
  examples = { {
    text = '<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Paris"}}<|action_end|>\n',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
