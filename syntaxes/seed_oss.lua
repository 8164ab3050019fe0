--- Seed OSS: like Qwen3-Coder, in its own tags, with unchanged values. Models: Seed-OSS.

return s.syntax {
  api = 3, name = "seed_oss",
  models = { "Seed-OSS" },
  source = "https://huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct",
  think = { "<seed:think>", "</seed:think>" },
  stop = { "<seed:eos>" },
  call = {
    s.lost(s.tok "<seed:tool_call>\n"),
    s.calls {
      separate = true, "<function=", s.name(), ">\n",
      s.params { "<parameter=", s.key(), ">", s.value(), "</parameter>\n" },
      "</function>", "\n",
    },
    s.tok "</seed:tool_call>",
  },
  between = "\n",
  examples = { {
    text = '<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris'
      .. '</parameter>\n</function>\n</seed:tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
