--- Granite 3: a JSON array after <|tool_call|> (or its spelling as a tag), or without a marker. Models: granite-3.0, granite-3.1.

return s.syntax {
  api = 3, name = "granite",
  models = { "granite-3", "granite-3.3" },
  source = "https://huggingface.co/ibm-granite/granite-3.1-8b-instruct",
  think = { "<think>", "</think>" },
  blocks = { { s.any { s.tok "<|tool_call|>", "<tool_call>" }, s.also "<tool_call>", s.json { each = "*" } }, s.json { each = "*" },
    { at = "start", s.any { "```json\n", "```\n" }, s.json { each = "*" }, "\n```" } },
  ignore = { "<response>", "</response>" }, stop = { "<|end_of_text|>", "<|eot_id|>", "<|im_end|>" },
  examples = { {
    text = '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
