--- s.capture: see tests/spec/words_spec.lua.

return {
  { [[{ "<call:", s.capture("mark", "a1"), ">", s.json(), "</call:", s.same "mark", ">" }]],
    text = '<call:zz>{"name": "f", "arguments": {"x": 1}}</call:zz>', calls = 'f {"x":1}', grammar = [["<call:a1>" f]] },
  { [[{ "<call:", s.capture("key", "a"), ">", s.json() }]], wrong = [[needs a name other than "key" and "name"]] },
  { [[{ "<call:", s.capture "mark", ">", s.json() }]], wrong = "needs the text to write" },
}
