--- Fourteen smileys on each side of a JSON object: exactly fourteen, or a multiple for delimiters side by side.
-- Origin: robert-at-pretension-io/mcp (docs/smiley_tool_calling.md). The system validates before it runs, so a call is
-- announced when it is whole, and nothing is mended.

local s = require "sluice.syntax"

local fourteen = s.run("😊", 14)

return s.syntax {
  api = 2,
  name = "smiley",
  origin = "robert-at-pretension-io/mcp",
  source = "https://github.com/robert-at-pretension-io/mcp",
  call = { fourteen, "\n", s.object { arguments_required = true }, "\n", fourteen },
  between = "\n",
  options = { calls = "whole", repairs = false },
  examples = {
    {
      text = ("😊"):rep(14) .. '\n{"name": "search", "arguments": {"query": "rust"}}\n' .. ("😊"):rep(14),
      calls = { { name = "search", arguments = { query = "rust" } } },
    },
  },
}
