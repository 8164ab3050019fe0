--- A format that no model has: what a stranger drops in gets grammars and prompts with no further line.
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
