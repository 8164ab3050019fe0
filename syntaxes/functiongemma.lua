--- FunctionGemma: like Gemma 4, with <escape> for quotes. Models: functiongemma.

return s.syntax {
  api = 3, name = "functiongemma",
  tokens = { "<escape>" },
  models = { "functiongemma" },
  source = "https://huggingface.co/google/functiongemma-270m-it",
  options = { types = "schema" }, -- the model writes numbers in quotes, too
  stop = { "<end_of_turn>", "<start_function_response>" },
  call = {
    s.tok "<start_function_call>",
    s.calls { separate = true, s.any { "call:", ":call:" }, s.name(), s.args { quote = "<escape>" } },
    s.tok "<end_function_call>",
  },
  examples = { {
    text = '<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
