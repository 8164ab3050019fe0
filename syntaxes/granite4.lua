--- Granite 4: like Hermes; the `arguments` key is required. Models: granite-4.0.

return s.syntax {
  api = 3, name = "granite4",
  models = { "granite-4" },
  source = "https://huggingface.co/ibm-granite/granite-4.0-h-small",
  think = { "<think>\n", "\n</think>\n\n" },
  call = { s.tok "<tool_call>\n", s.json { strict = true }, s.tok "\n</tool_call>" },
  between = "\n",
  stop = { "<|end_of_text|>" },
  examples = { {
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
