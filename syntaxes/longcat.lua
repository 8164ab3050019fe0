--- LongCat: a JSON object in its own tags. Models: LongCat-Flash.

return s.syntax {
  api = 3, name = "longcat",
  models = { "LongCat", "LongCat-Flash" },
  source = "https://huggingface.co/meituan-longcat/LongCat-Flash-Chat",
  think = { "<longcat_think>\n", "\n</longcat_think>\n\n" },
  call = { s.tok "<longcat_tool_call>", s.json(), s.tok "</longcat_tool_call>" },
  between = "\n",
  stop = { "</longcat_s>" },
  examples = { {
    text = '<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</longcat_tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
