--- s.value: see tests/spec/words_spec.lua.

return {
  { [[{ s.name "f", "<run>", s.value { key = "text" }, "</run>" }]], text = "<run> a\n</run>", calls = 'f {"text":" a\\n"}',
    grammar = [["<run>" text]] },
  { [[{ s.name "f", "<run>\n", s.value { key = "text" }, "\n</run>" }]], text = "<run>\n\na\n</run>", calls = 'f {"text":"\\na"}' },
  { [[{ s.name "f", "<run>", s.value { key = "text", trim = true }, "</run>" }]], reads = { ["<run>\n a \n</run>"] = 'f {"text":"a"}' } },
  { [[{ s.name "f", "<run>", s.value { key = "text", trim = "fence" }, "</run>" }]],
    reads = { ["<run>\n```sh\nls\n```\n</run>"] = 'f {"text":"ls"}' } },
  { [[{ s.name "f", "<run>", s.value { key = "text", trim = "lines" }, "</run>" }]], text = "<run>\na\nb\n</run>", calls = 'f {"text":"a\\nb"}',
    reads = { ["<run>a</run>"] = 'f {"text":"a"}' } },
  { [[{ s.name "f", "<run>", s.value { key = "text", entities = true }, "</run>" }]], reads = { ["<run>a &lt; b</run>"] = 'f {"text":"a < b"}' } },
  { [[{ s.name "f", "<run>\n", s.value { key = "text" }, { at = "line", "END" } }]], text = "<run>\na END\nb\nEND", calls = 'f {"text":"a END\\nb\\n"}' },
  { [[{ s.name "f", "<run>", s.value { key = "x" }, "</run>" }]], text = "<run>12</run>", calls = 'f {"x":12}', grammar = [["<run>" integer "</run>"]] },
  { [[{ "<run>", s.value { trimm = true }, "</run>" }]], wrong = "did you mean 'trim'?" },
  { [[{ "<run>", s.value { trim = "all" }, "</run>" }]], wrong = 'must be true, "fence" or "lines"' },
}
