--- GigaChat 3: a JSON object after a marker, or after a message with the role "function call".
-- Models: GigaChat3.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "gigachat3",
  models = { "GigaChat3" },
  source = "https://huggingface.co/ai-sage/GigaChat3-10B-A1.8B",
  special = { "<|function_call|>", "<|message_sep|>", "<|role_sep|>" },
  call = { s.any { "<|function_call|>", { "<|message_sep|>\n\n", "function call", "<|role_sep|>\n" } }, s.object() },
  stop = { "</s>" },
  examples = {
    {
      text = '<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
