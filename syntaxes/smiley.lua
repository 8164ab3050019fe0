--- Fourteen smileys on each side of a JSON object: exactly fourteen, or a multiple for adjacent delimiters.
-- Origin: robert-at-pretension-io/mcp (docs/smiley_tool_calling.md). The system validates calls before it runs them, so a call
-- is announced only when it is complete, and nothing is repaired.

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
