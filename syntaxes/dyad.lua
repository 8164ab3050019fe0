--- A tag for each operation: its attributes are parameters, its body is the content. Origin: dyad-sh/dyad.

local function parameter(key)
  return { key, s.value { key = key } }
end

return s.syntax {
  api = 3, name = "dyad", family = "agent",
  origin = "dyad-sh/dyad", source = "https://github.com/dyad-sh/dyad/blob/main/src/ipc/utils/dyad_tag_parser.ts",
  call = {
    "<", s.given(),
    s.attrs { entities = true, parameter "path", parameter "from", parameter "to", parameter "packages", parameter "type",
      parameter "query", parameter "description" }, ">\n",
    s.opt { s.value { key = "content", trim = "fence", entities = true }, "\n" },
    "</", s.same "name", ">",
  },
  between = "\n",
  values = { default = "string" },
  tools = { "dyad-write", "dyad-rename", "dyad-delete", "dyad-add-dependency", "dyad-search-replace", "dyad-execute-sql", "dyad-command",
    "dyad-copy", "dyad-add-integration" },
  marked = { "<{mark:}", "</{mark:}" },
  examples = { {
    text = '<dyad-write path="a.ts" description="A file">\nlet a = 1;\n</dyad-write>',
    calls = { { name = "dyad-write", arguments = s.ordered { { "path", "a.ts" }, { "description", "A file" },
      { "content", "let a = 1;" } } } },
  }, {
    text = '<dyad-rename from="a.ts" to="b.ts">\n</dyad-rename>',
    calls = { { name = "dyad-rename", arguments = s.ordered { { "from", "a.ts" }, { "to", "b.ts" } } } },
  } },
}
