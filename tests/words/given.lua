--- s.given: see tests/spec/words_spec.lua.

return {
  { [[{ "<", s.given(), ">", s.params { "<", s.key(), ">", s.value(), "</", s.same "key", ">" }, "</", s.same "name", ">" }]],
    grammar = [["<f>"]], reads = { ["<p>text</p>"] = "content <p>text</p>", ["<g></g>"] = "g {}" } },
}
