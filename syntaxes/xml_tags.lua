--- <tool:name> with <param:key> inside: values as text, one newline on each side of those with several lines, repeated
-- parameters for arrays. <thinking> may come before or between text. Origin: stippi/code-assistant, its XML syntax.

return s.syntax {
  api = 3, name = "xml_tags",
  origin = "stippi/code-assistant", source = "https://github.com/stippi/code-assistant",
  think = { "<thinking>", "</thinking>" },
  call = {
    "<tool:", s.name(), ">\n",
    s.params { "<param:", s.key(), ">", s.value { trim = "lines" }, "</param:", s.same "key", ">\n" },
    "</tool:", s.same "name", ">",
  },
  between = "\n",
  options = { reasoning_opens = "anywhere" },
  values = { default = "string", repeated = "plural" },
  examples = { {
    text = "<tool:read_files>\n<param:project>test</param:project>\n<param:path>a.rs</param:path>\n<param:path>b.rs</param:path>\n"
      .. "</tool:read_files>",
    calls = { { name = "read_files", arguments = s.ordered { { "project", "test" }, { "path", { "a.rs", "b.rs" } } } } },
  } },
}
