--- LongCat, later models: the name, then GLM's pairs of key and value tags. Models: LongCat-2, LongCat-Flash-Lite.

return s.syntax {
  api = 3, name = "longcat_kv",
  models = { "LongCat-2", "LongCat-Flash-Lite" },
  source = "https://huggingface.co/meituan-longcat",
  think = { "<longcat_think>\n", "\n</longcat_think>\n\n" },
  call = {
    s.tok "<longcat_tool_call>", s.name(), "\n",
    s.params {
      s.tok "<longcat_arg_key>", s.key(), s.lost(s.tok "</longcat_arg_key>"), "\n", s.lost(s.tok "<longcat_arg_value>"), s.value(),
      s.tok "</longcat_arg_value>", "\n",
    },
    s.tok "</longcat_tool_call>",
  },
  between = "\n",
  stop = { "</longcat_s>" }, namespaces = { "functions." },
  examples = { {
    text = "<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Paris</longcat_arg_value>\n"
      .. "</longcat_tool_call>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
