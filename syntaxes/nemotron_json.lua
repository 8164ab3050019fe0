--- Nemotron: a JSON array between upper-case tags. Models: Nemotron Nano v2, Llama-Nemotron.

return s.syntax {
  api = 3, name = "nemotron_json",
  models = { "Nemotron-Nano", "Llama-Nemotron", "Llama-3.3-Nemotron", "Llama-3.1-Nemotron" },
  source = "https://huggingface.co/nvidia/NVIDIA-Nemotron-Nano-9B-v2",
  think = { "<think>\n", "\n</think>\n\n" },
  call = { "<TOOLCALL>", s.opt "[", s.calls { s.json(), between = ", " }, s.opt "]", "</TOOLCALL>" },
  stop = { "<SPECIAL_12>", "<|eot_id|>" },
  examples = { {
    text = '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "now", "arguments": {}}]'
      .. '</TOOLCALL>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
