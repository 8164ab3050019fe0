--- s.also: see tests/spec/words_spec.lua.

return {
  { [[{ "<call>", s.also "json", s.json(), "</call>" }]], grammar = [["<call>" f]],
    reads = { ['<call>json{"name": "f", "arguments": {}}</call>'] = "f {}" } },
}
