--- Step-Audio 2: the kind of the call, the name and JSON arguments, each on a line, in <tool_call> tags. Models: Step-Audio-2.

return s.syntax {
  api = 3, name = "step_audio2",
  models = { "Step-Audio-2" },
  source = "https://github.com/vllm-project/vllm/pull/24603 (step_audio_2_tool_parser.py)",
  think = { "<think>\n", "\n</think>\n\n" },
  call = { s.tok "<tool_call>", "function\n", s.name(), "\n", s.args(), "\n", s.tok "</tool_call>" },
  stop = { "<|EOT|>" },
  examples = { {
    text = '<tool_call>function\nget_weather\n{"city": "Paris"}\n</tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
