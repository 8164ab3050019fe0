--- A format of no model: a third-party script gets grammars and prompts without further code.
-- Origin: these tests.

local s = require "sluice.syntax"

return s.syntax {
  api = 3,
  name = "stranger",
  origin = "these tests",
  think = { "((", "))" },
  call = {
    "<<do ", s.name(), ">>\n",
    s.params { "| ", s.key(), " = ", s.value(), " |\n" },
    "<<done>>",
  },
  between = "\n",
}
