--- Sarashina 2.2: a list of Python dictionaries after a marker, or without one.
-- Models: sarashina2.2.

local s = require "sluice.syntax"

local call = s.object { python = true }
local array = s.array(call)

return s.syntax {
  api = 2,
  name = "sarashina",
  models = { "sarashina2.2" },
  source = "https://huggingface.co/sbintuitions/sarashina2.2-3b-instruct-v0.1",
  special = { "<|tool_calls|>" },
  blocks = {
    { "<|tool_calls|>", s.any { array, call } },
    array,
  },
  stop = { "</s>" },
  examples = {
    {
      text = "<|tool_calls|>[{'name': 'get_weather', 'arguments': {'city': 'Paris'}}]",
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
