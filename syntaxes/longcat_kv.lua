--- LongCat, later models: the name, then GLM's pairs of key and value tags.
-- Models: LongCat-2.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "longcat_kv",
  models = { "LongCat-2" },
  source = "https://huggingface.co/meituan-longcat",
  special = {
    "<longcat_tool_call>", "</longcat_tool_call>", "<longcat_arg_key>", "</longcat_arg_key>", "<longcat_arg_value>",
    "</longcat_arg_value>",
  },
  reasoning = { open = "<longcat_think>\n", close = "\n</longcat_think>\n\n" },
  call = {
    "<longcat_tool_call>", s.name(), "\n",
    s.parameters {
      "<longcat_arg_key>", s.key(), s.recoverable "</longcat_arg_key>", "\n", s.recoverable "<longcat_arg_value>", s.value(),
      s.recoverable "</longcat_arg_value>", "\n",
    },
    "</longcat_tool_call>",
  },
  between = "\n",
  stop = { "</longcat_s>" },
  examples = {
    {
      text = "<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Paris</longcat_arg_value>\n"
        .. "</longcat_tool_call>",
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
