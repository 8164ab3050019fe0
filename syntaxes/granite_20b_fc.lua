--- Granite 20B function calling: a JSON object after a marker; its closer is read, never written. Models: granite-20b-functioncalling.

return s.syntax {
  api = 3, name = "granite_20b_fc",
  models = { "granite-20b-functioncalling" },
  source = "https://huggingface.co/ibm-granite/granite-20b-functioncalling",
  call = { s.tok "<function_call> ", s.json(), s.also "\n</function_call>" },
  between = "\n",
  stop = { "<|endoftext|>" },
  examples = { {
    text = '<function_call> {"name": "get_weather", "arguments": {"city": "Paris"}}',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
