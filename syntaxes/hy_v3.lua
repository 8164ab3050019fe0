--- Hunyuan 3: GLM's key and value tags with a separator after the name, in a section.
-- Models: Hunyuan 3 (HY 3). Some releases have a suffix in every token, each its own: that is the mark here, so that with the option
-- mark = "preview" the section begins with `<tool_calls:preview>`.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "hy_v3",
  models = { "HY-3", "Hunyuan-3", "Hy3" },
  source = "https://huggingface.co/tencent",
  special = { "<tool_calls>", "</tool_calls>", "<tool_call>", "</tool_call>", "<tool_sep>" },
  reasoning = { open = "<think>", close = "</think>" },
  call = {
    "<tool_calls>\n",
    s.calls {
      "<tool_call>", s.name(), s.recoverable "<tool_sep>", "\n",
      s.parameters {
        "<arg_key>", s.key(), s.recoverable "</arg_key>", "\n", s.recoverable "<arg_value>", s.value(),
        s.recoverable "</arg_value>", "\n",
      },
      s.any { "</tool_call>", "<end_of_tool_call>" }, "\n",
    },
    "</tool_calls>",
  },
  marked = {
    "<tool_calls{:mark}>", "</tool_calls{:mark}>", "<tool_call{:mark}>", "</tool_call{:mark}>", "<tool_sep{:mark}>",
    "<arg_key{:mark}>", "</arg_key{:mark}>", "<arg_value{:mark}>", "</arg_value{:mark}>",
  },
  examples = {
    {
      text = '<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city'
        .. '</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>\n</tool_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
