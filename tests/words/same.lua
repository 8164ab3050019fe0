--- s.same: see tests/spec/words_spec.lua.

return {
  { [[{ "{{", s.name(), "}}", s.params { "{", s.key(), "}", s.value(), "{/", s.same "key", "}" }, "{{/", s.same "name", "}}" }]],
    grammar = [["{x}" integer "{/x}"]], reads = { ["{{f}}{text}a{/x}b{/text}{{/f}}"] = 'f {"text":"a{/x}b"}' } },
  { [[{ "<call ", s.name(), ">", s.args(), "</", s.same "suffix", ">" }]], wrong = "the name of an s.capture" },
}
