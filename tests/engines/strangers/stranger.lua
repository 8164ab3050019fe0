--- A format of no model: a third-party script gets grammars and prompts without further code.
-- Origin: these tests.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "stranger",
  origin = "these tests",
  reasoning = { open = "((", close = "))" },
  call = {
    "<<do ", s.name(), ">>\n",
    s.parameters { "| ", s.key(), " = ", s.value(), " |\n" },
    "<<done>>",
  },
  between = "\n",
}
