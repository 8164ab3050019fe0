--- s.name: see tests/spec/words_spec.lua.

return {
  { [[{ "<call ", s.name(), ">", s.args(), "</call>" }]], grammar = [["<call f>"]],
    reads = { ["<call  f >{}</call>"] = "f {}", ["<call f\n>{}</call>"] = "f {}", ["<call\nf>{}</call>"] = "f {}" } },
  { [[{ "<call ", s.name(lpeg.R "af" * -1), ">", s.args(), "</call>" }]], reads = { ["<call h>{}</call>"] = "content <call h>{}</call>" } },
  { [[{ s.name "f", "<run>", s.value { key = "text" }, "</run>" }]], text = "<run>a</run>", calls = 'f {"text":"a"}', grammar = [["<run>"]] },
  { [[{ "call ", s.name(), " ", s.value { key = "text" } }]], wrong = "only white space follows it" },
  { [[{ "call ", s.name { pattern = 1 }, ":", s.args() }]], wrong = "must be an LPeg pattern" },
  { [[{ "<", s.args(), s.name(), ">" }]], wrong = "put the name first" },
}
