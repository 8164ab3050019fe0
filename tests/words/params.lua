--- s.params: see tests/spec/words_spec.lua.

return {
  { [[{ "call ", s.name(), "(", s.params { s.key(), ": ", s.value(), between = " | " }, ")" }]], text = "call f()", calls = "f {}" },
  { [[{ "<call ", s.name(), ">", s.params { "<p ", s.key(), ">", s.value(), "</p>", between = ", " }, "</call>" }]],
    text = "<call f><p x>1</p>, <p text>a</p></call>", calls = 'f {"x":1,"text":"a"}', grammar = [[", <p list>"]] },
  { [[{ "<call ", s.name(), ">\n", s.params { "<", s.key(), ">", s.value(), "</", s.same "key", ">\n" }, "</call>" }]],
    reads = { ["<call f>\nwell\n<x>1</x>\n</call>"] = 'incomplete f {"x":1}' } },
  { [[{ "<call ", s.name(), ">", s.params { nested = "item", "<", s.key(), ">", s.value(), "</", s.same "key", ">" }, "</call>" }]],
    text = "<call f><list><item>a</item><item>b</item></list></call>", calls = 'f {"list":["a","b"]}' },
}
