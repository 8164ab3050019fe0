--- OLMo 3: Python calls, one per line, in tags. Models: Olmo-3.

local name = lpeg.R("az", "AZ", "__") * (lpeg.R("az", "AZ", "09") + lpeg.S "_.-")^0 * -1

return s.syntax {
  api = 3, name = "olmo3",
  models = { "Olmo-3" },
  source = "https://huggingface.co/allenai/Olmo-3-7B-Instruct",
  think = { "<think>", "</think>" },
  call = { s.tok "<function_calls>", s.calls { s.name(name), "(", s.args "python", ")", between = "\n" }, s.tok "</function_calls>" },
  stop = { "<|im_end|>" },
  examples = { {
    text = "<function_calls>get_weather(city='Paris')\nnow()</function_calls>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
