--- LFM2: a list of Python calls between special tokens.
-- Models: LFM2, LFM2.5.

local s = require "sluice.syntax"

local lpeg = require "lpeg"

local name = lpeg.R("az", "AZ", "__") * (lpeg.R("az", "AZ", "09") + lpeg.S "_.-")^0 * -1
local calls = s.calls { s.name { pattern = name }, "(", s.arguments "kwargs", ")", between = ", " }

return s.syntax {
  api = 2,
  name = "lfm2",
  models = { "LFM2" },
  source = "https://huggingface.co/LiquidAI/LFM2-1.2B",
  special = { "<|tool_call_start|>", "<|tool_call_end|>" },
  reasoning = { open = "<think>", close = "</think>" },
  blocks = {
    {
      "<|tool_call_start|>", s.optional "[", calls, s.optional "]", "<|tool_call_end|>",
    },
    { "<|tool_call_start|>", s.any { s.array(s.object()), s.object() }, "<|tool_call_end|>" },
    { "[", calls, "]" },
  },
  stop = { "<|im_end|>" },
  examples = {
    {
      text = "<|tool_call_start|>[get_weather(city='Paris'), now()]<|tool_call_end|>",
      calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
    },
  },
}
