--- s.text: see tests/spec/words_spec.lua.

return {
  { [[blocks = { { "<call>", s.json(), "</call>" }, { "<say>\n", s.text(), "\n</say>" } }]],
    reads = { ["<say>\nHello\n</say>"] = "content Hello", ['<say>\nA\n</say><call>{"name": "g", "arguments": {}}</call>'] = "g {}; content A" } },
}
