--- A JSON object after <functioncall>; the arguments may be JSON in a string, in single quotes.
-- Origin: Glaive's data set; models fine-tuned on it, as MistralLite and OpenHermes variants.

return s.syntax {
  api = 3, name = "glaive",
  origin = "glaiveai/glaive-function-calling-v2",
  source = "https://huggingface.co/datasets/glaiveai/glaive-function-calling-v2",
  call = { "<functioncall> ", s.json(), s.opt "</functioncall>" },
  between = "\n",
  stop = { "<|endoftext|>" },
  examples = { {
    text = '<functioncall> {"name": "get_weather", "arguments": {"city": "Paris"}}</functioncall>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
