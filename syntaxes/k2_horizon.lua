--- K2 Horizon: GLM's key and value tags under another name, in a section; optional types, or JSON in place of the tags.
-- Models: K2-Horizon.

local s = require "sluice.syntax"

local type = s.type { map = { str = "string", int = "integer", float = "number", bool = "boolean", list = "array", dict = "object" } }

return s.syntax {
  api = 2,
  name = "k2_horizon",
  models = { "K2-Horizon" },
  source = "https://huggingface.co/LLM360",
  special = {
    "<ifm|tool_calls>", "</ifm|tool_calls>", "<ifm|tool_call>", "</ifm|tool_call>", "<ifm|arg_key>", "</ifm|arg_key>",
    "<ifm|arg_type>", "</ifm|arg_type>", "<ifm|arg_value>", "</ifm|arg_value>",
  },
  reasoning = {
    { open = "<ifm|think>", close = "</ifm|think>" }, { open = "<ifm|think_fast>", close = "</ifm|think_fast>" },
    { open = "<ifm|think_faster>", close = "</ifm|think_faster>" }, { open = "<think>", close = "</think>" },
  },
  options = { types = "schema", unknown_tools = "text" },
  call = {
    "<ifm|tool_calls>",
    s.calls {
      "<ifm|tool_call>",
      s.any {
        s.object(),
        { s.name(), s.parameters {
          "<ifm|arg_key>", s.key(), "</ifm|arg_key>",
          s.optional { "<ifm|arg_type>", s.attributes { { "", type } }, "</ifm|arg_type>", write = false },
          "<ifm|arg_value>", s.value(), s.recoverable "</ifm|arg_value>",
        } },
        write = 2,
      },
      "</ifm|tool_call>", between = "\n",
    },
    "</ifm|tool_calls>",
  },
  stop = { "<|ifm|im_end|>", "<|im_end|>" },
  examples = {
    {
      text = "<ifm|tool_calls><ifm|tool_call>get_weather<ifm|arg_key>city</ifm|arg_key><ifm|arg_value>Paris</ifm|arg_value>"
        .. "</ifm|tool_call></ifm|tool_calls>",
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
