--- Sarashina 2.2: a list of Python dictionaries after a marker, or without one. Models: sarashina2.2.

return s.syntax {
  api = 3, name = "sarashina",
  models = { "sarashina" },
  source = "https://huggingface.co/sbintuitions/sarashina2.2-3b-instruct-v0.1",
  blocks = {
    { s.tok "<|tool_calls|>", s.any { s.json { each = "*", python = true }, s.json { python = true } } },
    s.json { each = "*", python = true },
    { at = "start", s.any { "```python\n", "```json\n", "```\n" }, s.json { each = "*", python = true }, "\n```" },
  },
  stop = { "</s>" },
  examples = { {
    text = "<|tool_calls|>[{'name': 'get_weather', 'arguments': {'city': 'Paris'}}]",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
