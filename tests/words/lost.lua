--- s.lost: see tests/spec/words_spec.lua.

return {
  { [[{ s.lost "<calls>", s.calls { "<call ", s.name(), ">", s.args(), "</call>" }, "</calls>" }]], grammar = [["<calls>]],
    reads = { ["<call f>{}</call></calls>"] = "recovered f {}", ["<calls><call f>{}</call>"] = "recovered f {}" } },
}
