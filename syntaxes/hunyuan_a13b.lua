--- Hunyuan A13B: a JSON array in <tool_calls> tags; the answer may be in <answer> tags.
-- Models: Hunyuan-A13B.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "hunyuan_a13b",
  models = { "Hunyuan-A13B" },
  source = "https://huggingface.co/tencent/Hunyuan-A13B-Instruct",
  special = { "<tool_calls>", "</tool_calls>" },
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = { "<tool_calls>", s.array(s.object()), "</tool_calls>" },
  ignored_tokens = { "<answer>", "</answer>" },
  stop = { "<|eos|>" },
  examples = {
    {
      text = '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "now", "arguments": {}}]'
        .. '</tool_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
    },
  },
}
