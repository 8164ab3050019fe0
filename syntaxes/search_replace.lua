--- Edit blocks between conflict markers of five to nine characters; the file's name is above them, in the fence, or that of
-- the previous block. A shell fence is a command. Origin: Aider; also Cline, Roo, Void, Continue and RepoPrompt.

local P, R, S, C = lpeg.P, lpeg.R, lpeg.S, lpeg.C

local blank, ticks, tail = S " \t"^0, C("```" * P "`"^0), S "`*: \t"^0 * -1
local letter, extension = 1 - S "`<>*\n:", "." * R("az", "AZ", "09")^1
-- One with blanks ends in an extension: a sentence is none.
local name = -(P "```" + "..." + "- ") * S "#*` "^0 * C((letter - S " \t")^1 * #tail + (letter - extension * tail)^1 * extension) * tail
local fence = ticks * (1 - P "`")^0
local shells = P "bash" + "shell" + "sh" + "zsh" + "fish" + "ksh" + "csh" + "tcsh" + "cmd" + "batch" + "powershell" + "ps1"

-- Five to nine of this character.
local function marker(c, text)
  return P(c)^5 * -P(c) * text * blank
end
local search, divider, replace = marker("<", P " SEARCH" * P ">"^-1), marker("=", P ""), marker(">", P " REPLACE")

local function read(l)
  local ran = l.take(ticks * shells * blank)
  if ran then
    l.call "shell"
    l.body("command", P(ran) * blank)
    return true
  end
  local open, path = (l.carried() or ""):match "^(`*)(.*)" -- a fence that is still open, and the file
  open = l.take(fence) or open
  path = l.take(name) or path
  open = l.take(fence) or open
  open = l.take(fence) or open -- behind one around the path
  if open .. path == "" or not l.take(search) then
    return false
  end
  l.call "edit"
  l.value("path", path)
  if path == "" then
    l.cut()
  end
  l.body("search", divider)
  l.body("replace", replace + divider)
  repeat
    open = open ~= "" and l.take(P(open) * blank) and "" or open
  until open == "" or not l.take(blank)
  l.carry(open .. path)
  return true
end

-- How it is written.
local path_line = "[^`<>*:# \\t\\r\\n{\\[-]([^`<>*: \\t\\r\\n]*|[^`<>*:\\r\\n]*[.][a-zA-Z0-9]+)"
local form = s.any {
  { s.name "edit", s.value { key = "path", line = path_line }, "\n```\n<<<<<<< SEARCH\n", s.value { key = "search" },
    { at = "line", "=======\n" }, s.value { key = "replace" }, s.also "=====", { at = "line", ">>>>>>> REPLACE\n```" } },
  { s.name "shell", "```bash\n", s.value { key = "command" }, { at = "line", "```" } },
}

return s.syntax {
  api = 3, name = "search_replace", family = "agent",
  origin = "Aider-AI/aider", source = "https://aider.chat/docs/more/edit-formats.html",
  call = { at = "line", s.lines({ "```", "" }, read, nil, form) },
  between = "\n\n",
  values = { default = "string" },
  tools = { "edit", "shell" },
  examples = { {
    text = "a.py\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```",
    calls = { { name = "edit", arguments = s.ordered { { "path", "a.py" }, { "search", "a\n" }, { "replace", "b\n" } } } },
  }, {
    text = "```bash\nls\n```", calls = { { name = "shell", arguments = { command = "ls\n" } } },
  } },
}
