--- GigaChat 3: a JSON object after a marker, or after a message with the role "function call". Models: GigaChat3.

return s.syntax {
  api = 3, name = "gigachat3",
  models = { "GigaChat3" }, tokens = { "<|message_sep|>", "<|role_sep|>" },
  source = "https://huggingface.co/ai-sage/GigaChat3-10B-A1.8B",
  call = { s.any { s.tok "<|function_call|>", "function call<|role_sep|>\n", "function call <|role_sep|>\n" }, s.json() },
  stop = { "</s>", "<|message_sep|>\n\n", "<|message_sep|>" },
  examples = { {
    text = '<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
