--- Grok: calls and parameters in tags, with its own namespace before that of the call. Models: grok.

return s.syntax {
  api = 3, name = "xai",
  models = { "grok" },
  source = "https://docs.x.ai/docs/guides/function-calling (what Grok 4 writes into its text)",
  call = {
    "<xai:function_call", s.attrs { name = s.name() }, ">\n",
    s.params { s.any { "<parameter", "<xai:parameter" }, s.attrs { name = s.key() }, ">", s.value(),
      s.any { "</parameter>", "</xai:parameter>" }, "\n" },
    "</xai:function_call>",
  },
  between = "\n",
  values = { default = "string" },
  examples = { {
    text = '<xai:function_call name="search">\n<parameter name="query">cats</parameter>\n</xai:function_call>',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
