--- MiniMax M2: invocations in tags, in a section, values not escaped; also its fallback, [TOOL_CALL]. Models: MiniMax-M2, M2.1, M2.5.

return s.syntax {
  api = 3, name = "minimax_m2",
  models = { "MiniMax-M2", "MM-M2" },
  source = "https://huggingface.co/MiniMaxAI/MiniMax-M2",
  think = { "<think>\n", "\n</think>\n\n" },
  stop = { "[e~[" },
  blocks = {
    {
      s.lost(s.tok "<minimax:tool_call>\n"),
      s.calls {
        "<invoke", s.attrs { name = s.name() }, ">\n",
        s.params { "<parameter", s.attrs { name = s.key() }, ">", s.value(), "</parameter>", "\n" },
        "</invoke>\n",
      },
      s.tok "</minimax:tool_call>",
    },
    { "[TOOL_CALL]\n", '{tool => "', s.name(), '", args => {\n',
      s.params { "--", s.key(), { exact = true, " " }, s.value { json = true }, "\n" }, "}}\n", "[/TOOL_CALL]" },
    { "[TOOL_CALL]\n", s.json { name = { "tool", "name" }, args = { "args", "arguments" } }, "\n[/TOOL_CALL]" },
  },
  result = { "<response>", s.value(), "</response>" },
  examples = { {
    text = '<minimax:tool_call>\n<invoke name="get_weather">\n'
      .. '<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
