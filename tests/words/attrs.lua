--- s.attrs: see tests/spec/words_spec.lua.

return {
  { [[{ "<call", s.attrs { name = s.name() }, ">", s.args(), "</call>" }]], text = '<call name="f">{"x": 1}</call>', calls = 'f {"x":1}',
    grammar = [["<call name=\"f\">"]], reads = { ["<call name='f' >{}</call>"] = "f {}", ["<call name=f>{}</call>"] = "f {}" } },
  { [[{ "<call", s.attrs { { "name", s.name() }, { "n", s.match(lpeg.P(1)^0, "") } }, ">", s.args(), "</call>" }]],
    reads = { ['<call n="1" name="f">{}</call>'] = "f {}" } },
  { [[{ "<call", s.attrs { { "n", s.match(lpeg.R "09"^1, "{index}") }, { "name", s.name() } }, ">", s.args(), "</call>" }]],
    text = '<call n="1" name="f">{"x": 1}</call>', calls = 'f {"x":1}' },
  { [[{ "<call ", s.name(), ">", s.params { "<p", s.attrs { { "name", s.key() }, type = { "string", { ["true"] = "string",
    ["false"] = "json" } } },
      ">", s.value(), "</p>" }, "</call>" }]],
    text = '<call f><p name="x" string="false">1</p><p name="text" string="true">2</p></call>', calls = 'f {"x":1,"text":"2"}' },
  { [[{ "<call", s.attrs { a = s.name(), b = s.key() }, ">" }]], wrong = "several attributes need an order" },
}
