--- ^^^name, lines of `key: value`, ^^^: at the start of lines, one block per message.
-- Two forms are read: that of the specification (`---` and a body, `key: |` blocks, YAML lists, repeated keys), and that
-- which the project implements (`key ---` ... `--- key`, `key: [` ... `]`). The second is written.
-- Origin: stippi/code-assistant, docs/customizable-tool-syntax.md.

local s = require "sluice.syntax"
local lpeg = require "lpeg"

local word = (lpeg.R("az", "AZ", "09") + "_")^1 * -1
local x = s.exact

return s.syntax {
  api = 2,
  name = "caret",
  origin = "stippi/code-assistant",
  source = "https://github.com/stippi/code-assistant",
  call = {
    at = "line", x "^^^", s.name { pattern = word }, x "\n",
    s.parameters {
      s.any {
        { x "---\n", s.any {
          { s.key(), x ": |\n", s.block_text() },
          s.value { key = "content" },
        } },
        { s.key(), s.any {
          { x " ---\n", s.value { multiline_only = true }, x "\n--- ", s.backref "key", x "\n" },
          { x ": [\n", s.items(), x "]\n" },
          { x ": |\n", s.block_text() },
          { x ": |-\n", s.block_text { chomp = true } },
          { x ":\n", s.items { prefix = "- " } },
          { ": ", s.value { to_line_end = true }, "\n" },
          write = { 2, 1, 6 },
        } },
        write = 2,
      },
    },
    { at = "line", x "^^^\n" },
  },
  default_type = "string", repeated_is_array = true, singular_keys = true, max_calls = 1,
  marked = { "^^^{mark}\n", "^^^{mark }" },
  examples = {
    {
      text = "^^^write_file\nproject: test\ntags: [\na\nb\n]\ncontent ---\nline 1\nline 2\n--- content\n^^^\n",
      calls = { { name = "write_file", arguments = s.ordered { { "project", "test" }, { "tags", { "a", "b" } },
        { "content", "line 1\nline 2" } } } },
    },
    {
      deviates = true,
      text = "^^^write_file\npath: a\n---\nHello\n^^^\n",
      calls = { { name = "write_file", arguments = { path = "a", content = "Hello\n" } } },
    },
  },
}
