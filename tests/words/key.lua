--- s.key: see tests/spec/words_spec.lua.

return {
  { [[{ "<call ", s.name(), ">", s.params { "<", s.key(), ">", s.value(), "</", s.same "key", ">" }, "</call>" }]],
    text = "<call f><x>1</x></call>", calls = 'f {"x":1}', grammar = [["<x>" integer "</x>"]] },
  { [[{ "<call ", s.name(), ">", s.params { "<", s.key(lpeg.R "az"^1 * -1), ">", s.value(), "</p>" }, "</call>" }]],
    reads = { ["<call f><text>a<1>b</p></call>"] = 'f {"text":"a<1>b"}' } },
}
