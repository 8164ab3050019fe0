--- K2 Horizon: GLM's key and value tags under another name, in a section; optional types, or JSON in place of the tags. Models: K2-Horizon.

local types = { bool = "boolean", dict = "object", float = "number", int = "integer", list = "array", str = "string" }

return s.syntax {
  api = 3, name = "k2_horizon",
  models = { "K2-Horizon" },
  source = "https://huggingface.co/LLM360",
  think = { { "<ifm|think>", "</ifm|think>" }, { "<ifm|think_fast>", "</ifm|think_fast>" }, { "<ifm|think_faster>", "</ifm|think_faster>" },
    { "<think>", "</think>" } },
  options = { types = "schema", unknown_tools = "text" },
  call = {
    s.lost(s.tok "<ifm|tool_calls>"),
    s.calls {
      s.tok "<ifm|tool_call>",
      s.any {
        s.also(s.json()),
        {
          s.name(),
          s.params {
            s.tok "<ifm|arg_key>", s.key(), s.tok "</ifm|arg_key>",
            s.also { s.tok "<ifm|arg_type>", s.attrs { type = { "", types } }, s.lost(s.tok "</ifm|arg_type>") },
            s.tok "<ifm|arg_value>", s.value(), s.tok "</ifm|arg_value>",
          },
        },
      },
      s.tok "</ifm|tool_call>", between = "\n",
    },
    s.tok "</ifm|tool_calls>",
  },
  stop = { "<|ifm|im_end|>", "<|im_end|>" },
  examples = { {
    text = "<ifm|tool_calls><ifm|tool_call>get_weather<ifm|arg_key>city</ifm|arg_key><ifm|arg_value>Paris</ifm|arg_value>"
      .. "</ifm|tool_call></ifm|tool_calls>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
