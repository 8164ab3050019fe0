--- s.args: see tests/spec/words_spec.lua.

return {
  { [[{ "<call ", s.name(), ">", s.args(), "</call>" }]], text = '<call f>{"x": 1}</call>', calls = 'f {"x":1}', grammar = [["<call f>" arguments-f]],
    reads = { ["<call f>{x: 1,}</call>"] = 'recovered f {"x":1}', ['<call f>{"text": "a'] = 'incomplete f {"text":"a"}' } },
  { [[{ "[", s.name(), "(", s.args "python", ")]" }]], reads = { ["[f(x=1, list=['a', 'b'])]"] = 'f {"x":1,"list":["a","b"]}' }, grammar = [["[f("]] },
  { [[{ "<call ", s.name(), ">", s.args { quote = "<q>" }, "</call>" }]], text = "<call f>{text:<q>a<q>,x:1}</call>", calls = 'f {"text":"a","x":1}' },
  { [[{ "<call ", s.name(), ">", s.args { raw = "text" }, "</call>" }]], reads = { ["<call f>ls -l</call>"] = 'f {"text":"ls -l"}' } },
  { [[{ "<call ", s.name(), ">", s.args "kwargs", "</call>" }]], wrong = "python" },
}
