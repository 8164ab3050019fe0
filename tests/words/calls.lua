--- s.calls: see tests/spec/words_spec.lua.

return {
  { [[{ "<calls>", s.calls { s.json(), between = "\n" }, "</calls>" }]], grammar = [["<calls>"]],
    reads = { ['<calls>{"name": "f", "arguments": {}}{"name": "g", "arguments": {}}</calls>'] = "f {}; g {}" } },
  { [[between = "\n", call = { "<calls>", s.calls { separate = true, s.json() }, "</calls>" }]],
    text = '<calls>{"name": "f", "arguments": {}}</calls>\n<calls>{"name": "g", "arguments": {}}</calls>', calls = "f {}; g {}" },
}
