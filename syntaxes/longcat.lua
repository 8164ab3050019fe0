--- LongCat: a JSON object in its own tags.
-- Models: LongCat-Flash.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "longcat",
  models = { "LongCat" },
  source = "https://huggingface.co/meituan-longcat/LongCat-Flash-Chat",
  special = { "<longcat_tool_call>", "</longcat_tool_call>" },
  reasoning = { open = "<longcat_think>\n", close = "\n</longcat_think>\n\n" },
  call = { "<longcat_tool_call>", s.object(), "</longcat_tool_call>" },
  between = "\n",
  stop = { "</longcat_s>" },
  examples = {
    {
      text = '<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</longcat_tool_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
