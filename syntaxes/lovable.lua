--- A tag for each operation inside <lov-code>: its attributes and its body are the parameters. Origin: Lovable.

-- A tag without a body, with these attributes.
local function tag(name, ...)
  local attributes = {}
  for i, key in ipairs { ... } do
    attributes[i] = { key, s.value { key = key } }
  end
  return { s.name(name), "<" .. name, s.attrs(attributes), "/>" }
end

return s.syntax {
  api = 3, name = "lovable", family = "agent",
  origin = "Lovable", source = "https://github.com/x1xhlol/system-prompts-and-models-of-ai-tools (Lovable)",
  blocks = {
    { s.name "lov-write", "<lov-write", s.attrs { { "file_path", s.value { key = "file_path" } } }, ">\n", s.value { key = "content" },
      "</lov-write>" },
    tag("lov-delete", "file_path"), tag("lov-rename", "original_file_path", "new_file_path"),
    tag("lov-copy", "file_path", "new_file_path", "name"),
    { s.name "lov-add-dependency", "<lov-add-dependency>", s.value { key = "package" }, "</lov-add-dependency>" },
  },
  between = "\n",
  ignore = { "<lov-code>", "</lov-code>" },
  values = { default = "string" },
  tools = { "lov-write", "lov-delete", "lov-rename", "lov-add-dependency", "lov-copy" },
  examples = { {
    text = '<lov-write file_path="a.ts">\nx\n</lov-write>',
    calls = { { name = "lov-write", arguments = s.ordered { { "file_path", "a.ts" }, { "content", "x\n" } } } },
  }, {
    text = '<lov-rename original_file_path="a.ts" new_file_path="b.ts"/>\n<lov-delete file_path="c.ts"/>\n'
      .. '<lov-add-dependency>zod</lov-add-dependency>\n<lov-copy file_path="a.ts" new_file_path="b.ts" name="b"/>',
    calls = { { name = "lov-rename", arguments = s.ordered { { "original_file_path", "a.ts" }, { "new_file_path", "b.ts" } } },
      { name = "lov-delete", arguments = { file_path = "c.ts" } }, { name = "lov-add-dependency", arguments = { package = "zod" } },
      { name = "lov-copy", arguments = s.ordered { { "file_path", "a.ts" }, { "new_file_path", "b.ts" }, { "name", "b" } } } },
  } },
}
