--- Gemma 4: bare keys and strings in quotes of its own, between special tokens.
-- Models: gemma-4.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "gemma4",
  models = { "gemma-4", "diffusiongemma" },
  source = "https://huggingface.co/google",
  special = { "<|tool_call>", "<tool_call|>", "<|\"|>", "<|channel>", "<channel|>" },
  reasoning = {
    { open = "<|channel>thought\n", close = "<channel|>" }, { open = "<|channel>", close = "<channel|>" },
  },
  ignored_tokens = { "<channel|>" },
  options = { reasoning_opens = "anywhere" },
  stop = { "<turn|>", "<eos>", "<|tool_response>" },
  call = {
    "<|tool_call>", s.any { "call:", ":call:" }, s.name(), s.arguments { quote = '<|"|>' }, s.any { "<tool_call|>", "<turn|>" },
  },
  examples = {
    {
      text = '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
