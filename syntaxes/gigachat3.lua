--- GigaChat 3: a JSON object after a marker, or after a message with the role "function call". Models: GigaChat3.

return s.syntax {
  api = 3, name = "gigachat3",
  models = { "GigaChat3" },
  source = "https://huggingface.co/ai-sage/GigaChat3-10B-A1.8B",
  call = { s.any { s.tok "<|function_call|>", { s.tok "<|message_sep|>\n\n", "function call", s.tok "<|role_sep|>\n" } }, s.json() },
  stop = { "</s>", "<|message_sep|>\n\n" },
  examples = { {
    text = '<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
