--- MiniMax M3: tags after its own mark, with elements inside elements. Models: MiniMax M3.

local ns = "]<]minimax[>["
local tag = (1 - lpeg.S " \t\r\n<>/=\"")^1 * -1

return s.syntax {
  api = 3, name = "minimax_m3",
  tokens = { "]<]minimax[>[" },
  models = { "MiniMax-M3", "MM-M3" },
  source = "https://huggingface.co/MiniMaxAI",
  stop = { "[e~[" },
  think = { s.tok "<mm:think>", s.tok "</mm:think>" },
  blocks = {
    {
      s.lost "]<]minimax[>[<tool_call>\n",
      s.calls {
        "]<]minimax[>[<invoke", s.attrs { name = s.name() }, ">",
        s.params { nested = "item", "]<]minimax[>[<", s.key(tag), ">", s.value(), "]<]minimax[>[</", s.same "key", ">" },
        "]<]minimax[>[</invoke>\n",
      },
      "]<]minimax[>[</tool_call>",
    },
    {
      s.lost(s.tok "<minimax:tool_call>\n"),
      s.calls {
        "<invoke", s.attrs { name = s.name() }, ">\n",
        s.params {
          nested = "item",
          s.any {
            { "<parameter", s.attrs { name = s.key() }, ">", s.value(), "</parameter>" },
            { "<", s.key(tag), ">", s.value(), "</", s.same "key", ">" },
          },
          "\n",
        },
        "</invoke>", "\n",
      },
      s.tok "</minimax:tool_call>",
    },
  },
  values = { default = "string", repeated = "array" },
  examples = { {
    text = ns .. "<tool_call>\n" .. ns .. '<invoke name="find">' .. ns .. "<what>hotels" .. ns .. "</what>" .. ns .. "<where>" .. ns
      .. "<city>Paris" .. ns .. "</city>" .. ns .. "<street>Rivoli" .. ns .. "</street>" .. ns .. "</where>" .. ns .. "</invoke>\n"
      .. ns .. "</tool_call>",
    calls = { { name = "find", arguments = s.ordered { { "what", "hotels" },
      { "where", s.ordered { { "city", "Paris" }, { "street", "Rivoli" } } } } } },
  } },
}
