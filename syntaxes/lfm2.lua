--- LFM2: a list of Python calls between special tokens. Models: LFM2, LFM2.5.

local name = lpeg.R("az", "AZ", "__") * (lpeg.R("az", "AZ", "09") + lpeg.S "_.-")^0 * -1

return s.syntax {
  api = 3, name = "lfm2",
  models = { "LFM2" },
  source = "https://huggingface.co/LiquidAI/LFM2-1.2B",
  think = { "<think>", "</think>" },
  blocks = {
    {
      s.tok "<|tool_call_start|>", s.opt "[",
      s.calls { s.name(name), "(", s.args "python", ")", between = ", " },
      s.opt "]", s.tok "<|tool_call_end|>",
    },
    { s.tok "<|tool_call_start|>", s.any { s.json { each = "*" }, s.json() }, s.tok "<|tool_call_end|>" },
    { "[", s.calls { s.name(name), "(", s.args "python", ")", between = ", " }, "]" },
  },
  stop = { "<|im_end|>" },
  examples = { {
    text = "<|tool_call_start|>[get_weather(city='Paris'), now()]<|tool_call_end|>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
