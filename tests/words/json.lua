--- s.json: see tests/spec/words_spec.lua.

return {
  { [[{ "<call>", s.json(), "</call>" }]], text = '<call>{"name": "f", "arguments": {"x": 1}}</call>', calls = 'f {"x":1}',
    grammar = [["<call>" f "</call>"]] },
  { [[{ "<call>", s.json { name = { "tool", "name" }, args = "*" }, "</call>" }]], text = '<call>{"tool": "f", "x": 1}</call>',
    calls = 'f {"x":1}',
    reads = { ['<call>{"name": "f", "x": 1}</call>'] = 'f {"x":1}' } },
  { [[{ "<call>", s.json { each = "calls.*" }, "</call>" }]],
    text = '<call>{"calls": [{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]}</call>', calls = "f {}; g {}" },
  { [[{ "<call>", s.json { name = "*" }, "</call>" }]], text = '<call>{"f": {"x": 1}}</call>', calls = 'f {"x":1}' },
  { [[{ "<call>", s.json { strict = true }, "</call>" }]],
    reads = { ['<call>{"name": "f"}</call>'] = 'content <call>{"name": "f"}</call>' } },
  { [[{ "<call>", s.json { members = { { "id", "string", default = "c1" }, { "name" }, { "arguments" } } }, "</call>" }]],
    reads = { ['<call>{"name": "f", "arguments": {}}</call>'] = 'content <call>{"name": "f", "arguments": {}}</call>' } },
  { [[{ "<call>", s.json { each = "a.b" }, "</call>" }]], wrong = [[must be "*", "key.*" or "key"]] },
}
