--- Gemma 4: bare keys and strings in its own quotes, between special tokens. The tokens may be
-- missing around a given tool's name at the start of the message.
-- Models: gemma-4.

local s = require "sluice.syntax"

local open, close = s.any { "call:", ":call:" }, s.any { "<tool_call|>", "<turn|>" }
local arguments = s.arguments { quote = '<|"|>' }
return s.syntax {
  api = 2,
  name = "gemma4",
  models = { "gemma-4", "diffusiongemma" },
  source = "https://huggingface.co/google",
  special = { "<|tool_call>", "<tool_call|>", "<|\"|>", "<|channel>", "<channel|>" },
  reasoning = {
    { open = "<|channel>thought\n", close = "<channel|>" }, { open = "<|channel>", close = "<channel|>" },
    { open = "<|channel>analysis\n", close = "<|channel>response\n" }, { open = "<|channel>thinking\n", close = "<|channel>final\n" },
  },
  ignored_tokens = { "<channel|>" },
  options = { reasoning_opens = "anywhere" },
  stop = { "<turn|>", "<eos>", "<|tool_response>" },
  blocks = {
    { "<|tool_call>", s.calls { open, s.name(), arguments, separate_blocks = true }, close },
    { "<|tool_call>", s.recoverable(s.any { "call:", ":" }), s.name { declared = true }, arguments, close },
    { "<|tool_call>", open, s.name { declared = true }, "(", s.arguments { quote = '<|"|>', kwargs = true }, ")", close },
    {
      at = "start", s.recoverable "<|tool_call>", s.calls { "call:", s.name { declared = true }, arguments },
      s.recoverable { close },
    },
    { s.any { "<|channel>response\n", "<|channel>final\n" }, s.text(), s.recoverable(s.any { "<channel|>", "<turn|>", "<eos>" }) },
  },
  examples = {
    {
      text = '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
