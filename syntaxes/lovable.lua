--- A tag for each operation inside <lov-code>: its attributes and its body are the parameters. Origin: Lovable.

local function parameter(key)
  return { key, s.value { key = key } }
end

return s.syntax {
  api = 3, name = "lovable", family = "agent",
  origin = "Lovable", source = "https://github.com/x1xhlol/system-prompts-and-models-of-ai-tools (Lovable)",
  blocks = {
    { "<", s.given(), s.attrs { parameter "file_path", parameter "original_file_path", parameter "new_file_path", parameter "package",
      parameter "name" }, "/>" },
    { "<", s.given(), s.attrs { parameter "file_path" }, ">\n", s.value { key = "content" }, "</", s.same "name", ">" },
  },
  between = "\n",
  ignore = { "<lov-code>", "</lov-code>" },
  values = { default = "string" },
  tools = { "lov-write", "lov-delete", "lov-rename", "lov-add-dependency", "lov-copy" },
  examples = { {
    text = '<lov-write file_path="a.ts">\nx\n</lov-write>', deviates = true,
    calls = { { name = "lov-write", arguments = s.ordered { { "file_path", "a.ts" }, { "content", "x\n" } } } },
  } },
}
