--- Jamba: a JSON array in <tool_calls> tags. Models: Jamba 1.5 and 1.6.

return s.syntax {
  api = 3, name = "jamba",
  models = { "Jamba" }, stop = { "<|eom|>" },
  source = "https://huggingface.co/ai21labs/AI21-Jamba-1.5-Mini",
  call = { s.tok "<tool_calls>", "[\n    ", s.calls { s.json(), between = ",\n    " }, "\n]", s.tok "</tool_calls>" },
  examples = { {
    text = '<tool_calls>[\n    {"name": "get_weather", "arguments": {"city": "Paris"}},\n'
      .. '    {"name": "now", "arguments": {}}\n]'
      .. '</tool_calls>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
