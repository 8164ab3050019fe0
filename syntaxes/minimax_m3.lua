--- MiniMax M3: tags after its own mark, with elements inside elements.
-- Models: MiniMax M3.

local s = require "sluice.syntax"
local lpeg = require "lpeg"

local ns = "]<]minimax[>["
local tag = (1 - lpeg.S " \t\r\n<>/=\"")^1 * -1

return s.syntax {
  api = 2,
  name = "minimax_m3",
  models = { "MiniMax-M3" },
  source = "https://huggingface.co/MiniMaxAI",
  special = { ns, "<minimax:tool_call>", "</minimax:tool_call>", "<mm:think>", "</mm:think>" },
  stop = { "[e~[" },
  reasoning = { open = "<mm:think>", close = "</mm:think>" },
  blocks = {
    {
      ns .. "<tool_call>\n",
      s.calls {
        ns .. "<invoke", s.attributes { { "name", s.name() } }, ">",
        s.parameters {
          ns .. "<", s.key { pattern = tag }, ">", s.value(), ns .. "</", s.backref "key", ">",
          nested = "item",
        },
        ns .. "</invoke>\n",
      },
      ns .. "</tool_call>",
    },
    -- without its mark, in the section of MiniMax M2
    {
      "<minimax:tool_call>\n",
      s.calls {
        "<invoke", s.attributes { { "name", s.name() } }, ">\n",
        s.parameters {
          s.any {
            { "<parameter", s.attributes { { "name", s.key() } }, ">", s.value(), "</parameter>" },
            { "<", s.key { pattern = tag }, ">", s.value(), "</", s.backref "key", ">" },
          },
          "\n", nested = "item",
        },
        "</invoke>", "\n",
      },
      "</minimax:tool_call>",
    },
  },
  default_type = "string", repeated_is_array = true,
  examples = {
    {
      text = ns .. "<tool_call>\n" .. ns .. '<invoke name="find">' .. ns .. "<what>hotels" .. ns .. "</what>" .. ns .. "<where>" .. ns
        .. "<city>Paris" .. ns .. "</city>" .. ns .. "<street>Rivoli" .. ns .. "</street>" .. ns .. "</where>" .. ns .. "</invoke>\n"
        .. ns .. "</tool_call>",
      calls = { { name = "find", arguments = s.ordered { { "what", "hotels" },
        { "where", s.ordered { { "city", "Paris" }, { "street", "Rivoli" } } } } } },
    },
  },
}
