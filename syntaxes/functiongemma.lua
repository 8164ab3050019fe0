--- FunctionGemma: as Gemma 4, with <escape> for quotes.
-- Models: functiongemma.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "functiongemma",
  models = { "functiongemma" },
  source = "https://huggingface.co/google/functiongemma-270m-it",
  special = { "<start_function_call>", "<end_function_call>", "<escape>" },
  stop = { "<end_of_turn>", "<start_function_response>" },
  call = {
    "<start_function_call>",
    s.calls { s.any { "call:", ":call:" }, s.name(), s.arguments { quote = '<escape>' }, separate_blocks = true },
    "<end_function_call>",
  },
  examples = {
    {
      text = '<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
