--- s.match: see tests/spec/words_spec.lua.

return {
  { [[{ "call", s.match(" #" * lpeg.R "09"^1 * -1, " #{index}"), ": ", s.json() }]], grammar = [["call #"]],
    reads = { ['call #12: {"name": "f", "arguments": {}}'] = "f {}", ['call #x: {"name": "f", "arguments": {}}'] =
      'content call #x: {"name": "f", "arguments": {}}' } },
  { [[{ "<", s.match(lpeg.Ct("t:" * lpeg.Cg(lpeg.R "az"^1, "name")) * -1, function(call) return "t:" .. call.name end), ">", s.args() }]],
    text = '<t:f>{"x": 1}', calls = 'f {"x":1}', grammar = [["<t:f>"]] },
  { [[{ "<", s.match(lpeg.P "x"), ">", s.json() }]], wrong = "needs what to write" },
}
