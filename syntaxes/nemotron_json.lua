--- Nemotron: a JSON array between upper-case tags.
-- Models: Nemotron Nano v2, Llama-Nemotron.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "nemotron_json",
  models = { "Nemotron-Nano", "Llama-Nemotron", "Llama-3.3-Nemotron", "Llama-3.1-Nemotron" },
  source = "https://huggingface.co/nvidia/NVIDIA-Nemotron-Nano-9B-v2",
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = {
    "<TOOLCALL>", s.optional "[", s.calls { s.object(), between = ", " }, s.optional "]", "</TOOLCALL>",
  },
  stop = { "<SPECIAL_12>" },
  examples = {
    {
      text = '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "now", "arguments": {}}]'
        .. '</TOOLCALL>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
    },
  },
}
