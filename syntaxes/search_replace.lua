--- Edit blocks between conflict markers of five to nine characters; the file's name is above them, in the fence, or that of
-- the previous block. A shell fence is a command. Origin: Aider; also Cline, Roo, Void, Continue and RepoPrompt.

local P, S, C = lpeg.P, lpeg.S, lpeg.C

local blank = S " \t"^0
local name = -(P "```" + "...") * S "#*` "^0 * C((1 - S "`<>*\n:")^1) * S "`*: "^0
local fence = "```" * C(P(1)^0)
local shell = P "```" * (P "bash" + "shell" + "sh" + "zsh" + "cmd" + "powershell") * blank

-- Five to nine of this character.
local function marker(c, text)
  return P(c)^5 * -P(c) * text * blank
end
local search, divider, replace = marker("<", P " SEARCH" * P ">"^-1), marker("=", P ""), marker(">", P " REPLACE")

local function read(l)
  if l.take(shell) then
    l.call "shell"
    l.body("command", P "```" * blank)
    return true
  end
  local fenced, path = l.take(fence), l.take(name)
  fenced = l.take(fence) or fenced
  l.take(fence) -- behind one around the path
  path = path or l.carried()
  if not path or not l.take(search) then
    return false
  end
  l.carry(path)
  l.call "edit"
  l.value("path", path)
  l.body("search", divider)
  l.body("replace", replace + divider)
  if fenced then
    l.take(P "```" * blank)
  end
  return true
end

-- How it is written.
local form = s.any {
  { s.name "edit", s.value { key = "path", line = "[^`<>*:# \\t\\r\\n{\\[][^`<>*:\\r\\n]*" }, "\n```\n<<<<<<< SEARCH\n",
    s.value { key = "search" }, { at = "line", "=======\n" }, s.value { key = "replace" },
    s.also "=====", { at = "line", ">>>>>>> REPLACE\n```" } },
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
