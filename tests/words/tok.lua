--- s.tok: see tests/spec/words_spec.lua.

return {
  { [[{ s.tok "<call>", s.json(), s.tok "</call>" }]], grammar = [["<call>" f]],
    reads = { ['<call>{"name": "f", "arguments": {"x": 1}}'] = 'recovered f {"x":1}' } },
  { [[{ s.tok " ", s.json() }]], wrong = "a token is not white space alone" },
  { [[{ s.tok {}, s.json() }]], wrong = "must be a text that is not empty" },
}
