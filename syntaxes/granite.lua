--- Granite 3: a JSON array after <|tool_call|> (or its spelling as a tag), or without a marker.
-- Models: granite-3.0, granite-3.1.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "granite",
  models = { "granite-3" },
  source = "https://huggingface.co/ibm-granite/granite-3.1-8b-instruct",
  special = { "<|tool_call|>" },
  reasoning = { open = "<think>", close = "</think>" },
  blocks = {
    { s.any { "<|tool_call|>", "<tool_call>" }, s.optional { "<tool_call>", write = false }, s.array(s.object()) },
    s.array(s.object()),
  },
  stop = { "<|end_of_text|>" },
  examples = {
    {
      text = '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
