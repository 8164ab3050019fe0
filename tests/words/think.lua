--- s.think: see tests/spec/words_spec.lua.

return {
  { [[blocks = { { "<call>", s.json(), "</call>" }, { "<plan>", s.think(), "</plan>" } }]],
    reads = { ["<plan>First.</plan>"] = "reasoning First.", ["<plan>Cut"] = "reasoning Cut" } },
}
