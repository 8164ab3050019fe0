--- Apertus: a JSON array of objects with the name as the only key.
-- Models: Apertus.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "apertus",
  models = { "Apertus" },
  source = "https://huggingface.co/swiss-ai/Apertus-8B-Instruct-2509",
  special = { "<|tools_prefix|>", "<|tools_suffix|>", "<|inner_prefix|>", "<|inner_suffix|>" },
  reasoning = { open = "<|inner_prefix|>", close = "<|inner_suffix|>" },
  call = {
    "<|tools_prefix|>", "[", s.calls { s.object { name_as_key = true }, between = ", " }, s.recoverable "]",
    s.recoverable "<|tools_suffix|>",
  },
  stop = { "<|assistant_end|>" },
  examples = {
    {
      text = '<|tools_prefix|>[{"get_weather": {"city": "Paris"}}, {"now": {}}]<|tools_suffix|>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
    },
  },
}
