--- JSON arguments in a <function> tag that names the tool. Origin: daodao97/chatmcp.

return s.syntax {
  api = 3, name = "chatmcp", family = "agent",
  origin = "daodao97/chatmcp", source = "https://github.com/daodao97/chatmcp/blob/main/lib/llm/prompt.dart",
  call = { "<function", s.attrs { { "name", s.name() }, { "done", s.match(lpeg.P(1)^0, "") } }, ">\n", s.args(), "\n", "</function>" },
  between = "\n", prose = { "<function" },
  marked = { "<function{ mark}", "</function{ mark}>" },
  examples = { {
    text = '<function name="search">\n{"query": "cats"}\n</function>',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
