--- Hunyuan 3: GLM's key and value tags, after an optional separator, in a section.
-- Models: Hunyuan 3 (HY 3). Some releases have a suffix in every token, each its own. That of the open weights is also read here; another
-- one is the mark: with the option mark = "preview" the section begins with `<tool_calls:preview>`.

return s.syntax {
  api = 3,
  name = "hy_v3",
  models = { "HY-3", "Hunyuan-3", "Hy3" },
  source = "https://huggingface.co/tencent",
  think = { { "<think>", "</think>" }, { "<think:opensource>", "</think:opensource>" } },
  blocks = {
    {
      s.lost(s.tok "<tool_calls>\n"),
      s.calls {
        s.tok "<tool_call>", s.name(), s.opt(s.tok "<tool_sep>"), "\n",
        s.params { "<arg_key>", s.key(), s.lost "</arg_key>", "\n", s.lost "<arg_value>", s.value(), "</arg_value>", "\n" },
        s.any { s.tok "</tool_call>", s.tok "<end_of_tool_call>" },
        "\n",
      },
      s.tok "</tool_calls>",
    },
    {
      s.lost(s.tok "<tool_calls:opensource>\n"),
      s.calls {
        s.tok "<tool_call:opensource>", s.name(), s.opt(s.tok "<tool_sep:opensource>"), "\n",
        s.params {
          s.tok "<arg_key:opensource>", s.key(), s.lost(s.tok "</arg_key:opensource>"), "\n", s.lost(s.tok "<arg_value:opensource>"),
          s.value(), s.tok "</arg_value:opensource>", "\n",
        },
        s.any { s.tok "</tool_call:opensource>", s.tok "<end_of_tool_call:opensource>" },
        "\n",
      },
      s.tok "</tool_calls:opensource>",
    },
  },
  stop = { "<｜hy_eos:opensource｜>" },
  marked = {
    "<tool_calls{:mark}>", "</tool_calls{:mark}>", "<tool_call{:mark}>", "</tool_call{:mark}>", "<end_of_tool_call{:mark}>",
    "<tool_sep{:mark}>", "<arg_key{:mark}>", "</arg_key{:mark}>", "<arg_value{:mark}>", "</arg_value{:mark}>",
    "<tool_calls:opensource{:mark}>", "<tool_call:opensource{:mark}>",
  },
  examples = {
    {
      text = '<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city'
        .. '</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>\n</tool_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
