--- Edit blocks between conflict markers of five to nine characters; the file's name is above them, in the fence, or that of
-- the previous block. A shell fence is a command.
-- Origin: Aider; also Cline, Roo, Void, Continue and RepoPrompt.

local s = require "sluice.syntax"
local lpeg = require "lpeg"
local P, S, C = lpeg.P, lpeg.S, lpeg.C

local x = s.exact
local function marker(c, text, more)
  local list = {}
  for i, n in ipairs { 7, 5, 6, 8, 9 } do
    list[i] = x(c:rep(n) .. text)
  end
  list[#list + 1] = more
  list.write = 1
  return s.any(list)
end
local inside = (1 - S "`<>*\n:")^1
local name = S "#*` "^0 * C(inside) * S "`*: "^0 * -1
local edit, path = s.name { is = "edit" }, s.value { key = "path", inline = true, pattern = name, carry = true }
local shell = (P "bash" + "shell" + "sh" + "zsh" + "cmd" + "powershell") * P " "^0 * -1
local open = { x "```", s.pattern((1 - P "\n")^0 * -1, ""), x "\n" }
local halves = { s.any { marker("<", " SEARCH\n"), marker("<", " SEARCH>\n"), write = 1 }, s.value { key = "search", lines = "=" },
  marker("=", "\n"), s.value { key = "replace", lines = ">" }, marker(">", " REPLACE", x "=======\n") }

return s.syntax {
  api = 2,
  name = "search_replace", family = "agent",
  origin = "Aider-AI/aider",
  source = "https://aider.chat/docs/more/edit-formats.html",
  blocks = {
    { at = "line", edit, path, x "\n", open, halves, "\n", s.optional "```" },
    { at = "line", open, edit, path, x "\n", halves, "\n", s.optional "```" },
    { at = "line", edit, path, x "\n", halves },
    { at = "line", open, edit, s.carried { key = "path" }, halves, "\n", s.optional "```" },
    { at = "line", edit, s.carried { key = "path" }, halves },
    { at = "line", s.name { is = "shell" }, x "```", s.pattern(shell, "bash"), x "\n",
      s.value { key = "command", lines = "`" }, x "```" },
  },
  between = "\n\n",
  default_type = "string",
  tools = { "edit", "shell" },
  examples = {
    {
      text = "a.py\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```",
      calls = { { name = "edit", arguments = s.ordered { { "path", "a.py" }, { "search", "a\n" }, { "replace", "b\n" } } } },
    },
  },
}
