--- Fourteen smileys on each side of a JSON object: exactly fourteen, or a multiple for adjacent delimiters.
-- Origin: robert-at-pretension-io/mcp (docs/smiley_tool_calling.md). The system validates calls before it runs them, so a call
-- is announced only when it is complete, and nothing is repaired.

local fourteen = ("😊"):rep(14)

return s.syntax {
  api = 3, name = "smiley",
  origin = "robert-at-pretension-io/mcp", source = "https://github.com/robert-at-pretension-io/mcp",
  call = { fourteen, "\n", s.json { strict = true }, "\n", fourteen },
  between = "\n",
  options = { calls = "whole", repairs = false },
  examples = { {
    text = ("😊"):rep(14) .. '\n{"name": "search", "arguments": {"query": "rust"}}\n' .. ("😊"):rep(14),
    calls = { { name = "search", arguments = { query = "rust" } } },
  } },
}
