--- s.opt: see tests/spec/words_spec.lua.

return {
  { [[{ "<call>", s.json(), s.opt "</call>" }]], text = '<call>{"name": "f", "arguments": {"x": 1}}</call>', calls = 'f {"x":1}',
    reads = { ['<call>{"name": "f", "arguments": {"x": 1}}'] = 'f {"x":1}' } },
  -- a parameter that begins it is absent if it is empty
  { [[{ "<call ", s.name(), ">\n", s.opt { s.value { key = "text" }, "\n" }, "</call>" }]], text = "<call f>\nhi\n</call>", calls = 'f {"text":"hi"}',
    reads = { ["<call f>\n</call>"] = "f {}" } },
}
