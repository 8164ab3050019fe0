--- Gemma 4: bare keys and strings in its own quotes, between special tokens. The tokens may be
-- missing around a given tool's name at the start of the message. Models: gemma-4.

local begin, close = s.tok "<|tool_call>", s.any { s.tok "<tool_call|>", "<turn|>" }
local args = s.args { quote = '<|"|>' }

return s.syntax {
  api = 3, name = "gemma4",
  tokens = { "<|\"|>" },
  models = { "gemma-4", "diffusiongemma" },
  source = "https://huggingface.co/google",
  think = { { "<|channel>thought\n", s.tok "<channel|>" }, { s.tok "<|channel>", s.tok "<channel|>" },
    { "<|channel>analysis\n", "<|channel>response\n" }, { "<|channel>thinking\n", "<|channel>final\n" } },
  ignore = { "<channel|>" },
  options = { reasoning_opens = "anywhere" },
  stop = { "<turn|>", "<eos>", "<|tool_response>" },
  blocks = {
    { begin, s.calls { separate = true, s.any { "call:", ":call:" }, s.name(), args }, close },
    { begin, s.lost(s.any { "call:", ":" }), s.given(), args, close },
    { begin, s.any { "call:", ":call:" }, s.given(), "(", s.args { python = true, quote = '<|"|>' }, ")", close },
    { at = "start", s.lost(begin), s.calls { "call:", s.given(), args }, close },
    { s.any { "<|channel>response\n", "<|channel>final\n" }, s.text(), s.any { s.tok "<channel|>", "<turn|>", "<eos>" } },
  },
  examples = { {
    text = '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
