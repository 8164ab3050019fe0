--- s.section: see tests/spec/words_spec.lua.

return {
  { [[{ at = "start", s.section { s.json { each = "*" }, s.json(), "\n---\n" } }]],
    reads = { ['[]\n---\nHi'] = "content Hi", ['[oops]\n---\nHi'] = "content Hi", ["Hi"] = "content Hi" } },
  { [[{ at = "start", s.section { s.json() } }]], wrong = "expected a list of calls, a call, and a literal" },
}
