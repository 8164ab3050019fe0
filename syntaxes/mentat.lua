--- An edit as JSON between @@start and @@end, its lines of code after @@code. Origin: Mentat, its block format.

return s.syntax {
  api = 3, name = "mentat", family = "agent",
  origin = "AbanteAI/mentat", source = "https://github.com/AbanteAI/mentat/blob/main/mentat/parsers/block_parser.py",
  call = {
    at = "line", "@@start\n", s.json { name = "action", args = "*", members = { { "action" } } }, "\n",
    s.opt { s.any { { "@@code\n", s.value { key = "code" } },
      s.also(s.params { "@@", s.key(lpeg.P "code" * -1), { exact = true, "\n" }, s.value() }) } }, { at = "line", "@@end" },
  },
  between = "\n",
  tools = { "insert", "replace", "delete", "create-file", "delete-file", "rename-file" },
  examples = { {
    text = '@@start\n{"action": "replace", "file": "a.py", "start-line": 1}\n@@code\nx = 1\n@@end',
    calls = { { name = "replace", arguments = s.ordered { { "file", "a.py" }, { "start-line", 1 }, { "code", "x = 1\n" } } } },
  } },
}
