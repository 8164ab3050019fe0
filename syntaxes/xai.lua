--- Grok: calls and parameters in tags, with its own namespace before that of the call. Models: grok.

local P, blank, card = lpeg.P, lpeg.S " \t\r\n"^0, "xai:tool_usage_card_id>"
local others = s.match(blank * (P("<" .. card) * (1 - P "<")^0 * ("</" .. card) * blank)^-1 * lpeg.C(P(1)^1)^-1 * -1, "")

return s.syntax {
  api = 3, name = "xai",
  models = { "grok" },
  source = "https://docs.x.ai/docs/guides/function-calling (what Grok 4 writes into its text)",
  blocks = { {
    "<xai:function_call", s.attrs { name = s.name() }, ">\n",
    s.params { s.any { "<parameter", "<xai:parameter" }, s.attrs { name = s.key() }, ">", s.value(),
      s.any { "</parameter>", "</xai:parameter>" }, "\n" },
    "</xai:function_call>",
  }, {
    "<xai:tool_usage_card>\n", others, "<xai:tool_name>", s.name(), "</xai:tool_name>\n",
    "<xai:tool_args>", s.opt "<![CDATA[", s.args(), s.opt "]]>", "</xai:tool_args>\n", "</xai:tool_usage_card>",
  } },
  between = "\n",
  values = { default = "string" },
  examples = { {
    text = '<xai:function_call name="search">\n<parameter name="query">cats</parameter>\n</xai:function_call>',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
