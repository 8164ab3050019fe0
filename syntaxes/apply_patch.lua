--- File operations between *** Begin Patch and *** End Patch: a new file as lines after `+`, or a diff as it is.
-- Origin: OpenAI's Codex; GPT-4.1 and GPT-5 also write it in other agents, sometimes as a shell's here-document.

local s = require "sluice.syntax"

local x = s.exact
local path = s.value { key = "path", to_line_end = true }
local function head(text)
  return { at = "line", text }
end

return s.syntax {
  api = 2,
  name = "apply_patch", family = "agent",
  origin = "openai/codex",
  source = "https://github.com/openai/codex/tree/main/codex-rs/apply-patch",
  call = {
    s.optional { "apply_patch <<", s.any { "'EOF'\n", "EOF\n", '"EOF"\n' }, write = false },
    { at = "line", "*** Begin Patch\n" },
    s.calls { s.any {
      { s.name { is = "add_file" }, head "*** Add File: ", path, x "\n", s.block_text { key = "content", prefix = "+" } },
      { s.name { is = "delete_file" }, head "*** Delete File: ", path, x "\n" },
      { s.name { is = "update_file" }, head "*** Update File: ", path, x "\n",
        s.optional { head "*** Move to: ", s.value { key = "move_to", to_line_end = true }, x "\n" },
        s.value { key = "diff", lines = "*" } },
    } },
    head "*** End Patch", s.optional { "\nEOF", write = false },
  },
  default_type = "string",
  tools = { "add_file", "delete_file", "update_file" },
  examples = {
    {
      text = "*** Begin Patch\n*** Add File: a.txt\n+x\n+y\n*** Update File: b.py\n@@ def f():\n-    a\n+    b\n*** End Patch",
      calls = { { name = "add_file", arguments = s.ordered { { "path", "a.txt" }, { "content", "x\ny\n" } } },
        { name = "update_file", arguments = s.ordered { { "path", "b.py" }, { "diff", "@@ def f():\n-    a\n+    b\n" } } } },
    },
  },
}
