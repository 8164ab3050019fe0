--- s.any: see tests/spec/words_spec.lua.

return {
  { [[{ s.any { "<call>", s.also "<tool>" }, s.json(), s.any { "</call>", "</tool>" } }]], grammar = [["<call>" f]],
    reads = { ['<tool>{"name": "f", "arguments": {}}</tool>'] = "f {}" } },
  -- the first that can carry the call is written
  { [[{ "<call ", s.name(), s.any { { "=", s.value { key = "text", line = true } }, { ">\n", s.value { key = "text" } } }, "</call>" }]],
    text = "<call f>\na\nb</call>", calls = 'f {"text":"a\\nb"}' },
  { [[{ "<call>", s.any { s.json() } }]], wrong = "expected a list of at least two alternatives" },
  { [[{ "<call>", s.any { s.also "a", s.also "b" }, s.json() }]], wrong = "none is written" },
}
