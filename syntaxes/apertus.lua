--- Apertus: a JSON array of objects with the name as the only key. Models: Apertus.

return s.syntax {
  api = 3, name = "apertus",
  models = { "Apertus" },
  source = "https://huggingface.co/swiss-ai/Apertus-8B-Instruct-2509",
  think = { s.tok "<|inner_prefix|>", s.tok "<|inner_suffix|>" },
  call = { s.tok "<|tools_prefix|>", "[", s.calls { s.json { name = "*" }, between = ", " }, "]", s.tok "<|tools_suffix|>" },
  stop = { "<|assistant_end|>" }, options = { reasoning_opens = "anywhere" },
  examples = { {
    text = '<|tools_prefix|>[{"get_weather": {"city": "Paris"}}, {"now": {}}]<|tools_suffix|>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
