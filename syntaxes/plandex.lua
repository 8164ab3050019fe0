--- A file's whole text in a tag with its path; only a closer on its own line ends it. Origin: plandex-ai/plandex.

return s.syntax {
  api = 3, name = "plandex", family = "agent",
  origin = "plandex-ai/plandex", source = "https://github.com/plandex-ai/plandex/blob/main/app/server/types/reply.go",
  call = {
    s.name "write_file",
    "<PlandexBlock", s.attrs { { "lang", s.value { key = "lang" } }, { "path", s.value { key = "path" } } }, ">\n",
    s.value { key = "content" }, { at = "line", "\n</PlandexBlock>" },
  },
  between = "\n\n",
  values = { default = "string" },
  tools = { "write_file" },
  marked = { "<PlandexBlock{ mark}", "</PlandexBlock{ mark}>" },
  examples = { {
    text = '<PlandexBlock lang="go" path="main.go">\npackage main\n</PlandexBlock>',
    calls = { { name = "write_file", arguments = s.ordered { { "lang", "go" }, { "path", "main.go" }, { "content", "package main" } } } },
  } },
}
