--- Pairs of old and new text; one newline on each side is dropped. Origin: Zed's edit agent.

return s.syntax {
  api = 3, name = "zed_edit", family = "agent",
  origin = "zed-industries/zed",
  source = "https://github.com/zed-industries/zed/blob/main/crates/assistant_tools/src/edit_agent/edit_parser.rs",
  call = {
    s.name "edit", "<old_text", s.attrs { line = s.value { key = "line" } }, ">",
    s.value { key = "old_text", trim = "lines" }, s.any { "</old_text>", "</new_text>" }, "\n",
    "<new_text>", s.value { key = "new_text", trim = "lines" }, s.any { "</new_text>", "</old_text>" },
  },
  between = "\n",
  ignore = { "<edits>", "</edits>" },
  values = { default = "string" },
  tools = { "edit" },
  examples = { {
    text = "<old_text>a</old_text>\n<new_text>b</new_text>",
    calls = { { name = "edit", arguments = s.ordered { { "old_text", "a" }, { "new_text", "b" } } } },
  }, {
    text = '<old_text line="2">a</old_text>\n<new_text>b</new_text>',
    calls = { { name = "edit", arguments = s.ordered { { "line", "2" }, { "old_text", "a" }, { "new_text", "b" } } } },
  } },
}
