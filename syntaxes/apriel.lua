--- Apriel: reasoning up to a final response, and a JSON array in <tool_calls> tags. Models: Apriel 1.5, 1.6.

return s.syntax {
  api = 3, name = "apriel",
  models = { "Apriel" },
  source = "https://huggingface.co/ServiceNow-AI/Apriel-1.5-15b-Thinker",
  think = { "Here are my reasoning steps:\n", "\n[BEGIN FINAL RESPONSE]\n" },
  call = { s.tok "<tool_calls>", s.json { each = "*" }, s.tok "</tool_calls>" },
  ignore = { "[END FINAL RESPONSE]" },
  stop = { "<|end|>", "<|eos|>", "<|eom|>" },
  examples = { {
    text = '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_calls>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
