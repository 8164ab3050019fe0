--- MiniCPM 5: functions and parameters in tags with attributes; values may be in CDATA. Models: MiniCPM5.

return s.syntax {
  api = 3, name = "minicpm5",
  models = { "MiniCPM5" },
  source = "https://huggingface.co/openbmb",
  values = { default = "any_json" },
  think = { "<think>\n", "\n</think>\n\n" },
  call = {
    "<function", s.attrs { name = s.name() }, ">", s.also "<arguments>",
    s.params {
      "<param", s.attrs { name = s.key() }, ">",
      s.any { { "<![CDATA[", s.value(), s.any { "]]></param>", "]]>\n</param>", "]]> </param>" } }, { s.value(), "</param>" } },
    },
    s.also "</arguments>", "</function>",
  },
  between = "\n", prose = { "<function" },
  stop = { "<|im_end|>" },
  examples = { {
    text = '<function name="save"><param name="path">a.txt</param><param name="text"><![CDATA[a < b]]></param></function>',
    calls = { { name = "save", arguments = s.ordered { { "path", "a.txt" }, { "text", "a < b" } } } },
  } },
}
