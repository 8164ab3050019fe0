--- Apriel: reasoning up to a final response, and a JSON array in <tool_calls> tags.
-- Models: Apriel 1.5, 1.6.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "apriel",
  models = { "Apriel" },
  source = "https://huggingface.co/ServiceNow-AI/Apriel-1.5-15b-Thinker",
  special = { "<tool_calls>", "</tool_calls>" },
  reasoning = { open = "Here are my reasoning steps:\n", close = "\n[BEGIN FINAL RESPONSE]\n" },
  call = { "<tool_calls>", s.array(s.object()), "</tool_calls>" },
  ignored_tokens = { "[END FINAL RESPONSE]" },
  stop = { "<|end|>" },
  examples = {
    {
      text = '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
