--- s.id: see tests/spec/words_spec.lua.

return {
  { [[{ "[CALL]", s.name(), "[ID]", s.id(), "[ARGS]", s.args(), "[END]" }]], text = '[CALL]f[ID]c7[ARGS]{"x": 1}[END]', calls = 'f {"x":1}',
    grammar = '"[CALL]f[ID]' },
}
