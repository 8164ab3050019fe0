--- ERNIE 4.5: a JSON object in <tool_call> tags, as Hermes; the answer may be in <response> tags. Models: ERNIE-4.5 (thinking).

return s.syntax {
  api = 3, name = "ernie45",
  models = { "ERNIE-4.5" }, stop = { "</s>", "<|end_of_sentence|>" },
  source = "https://huggingface.co/baidu/ERNIE-4.5-21B-A3B-Thinking",
  think = { s.tok "<think>\n", s.tok "\n</think>\n\n" },
  call = { s.tok "<tool_call>\n", s.json(), s.tok "\n</tool_call>\n" },
  ignore = { "<response>", "</response>" },
  examples = { {
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
