--- MiniMax M1: JSON objects, one per line, in <tool_calls> tags. Models: MiniMax-M1.

return s.syntax {
  api = 3, name = "minimax_m1",
  models = { "MiniMax-M1" }, stop = { "<end_of_sentence>" },
  source = "https://huggingface.co/MiniMaxAI/MiniMax-M1-80k",
  think = { "<think>\n", "\n</think>\n\n" },
  call = { s.tok "<tool_calls>\n", s.calls { s.json(), between = "\n" }, s.tok "\n</tool_calls>" },
  examples = { {
    text = '<tool_calls>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n{"name": "now", "arguments": {}}\n'
      .. '</tool_calls>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
