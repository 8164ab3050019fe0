--- Edit blocks between conflict markers of five to nine characters; the file's name is above them, in the fence, or that of the
-- previous block, if what follows that names no other. A shell fence is a command. Origin: Aider; also Cline, Roo, Void, Continue and
-- RepoPrompt.

local P, R, S, C = lpeg.P, lpeg.R, lpeg.S, lpeg.C

local blank, ticks, tail = S " \t"^0, C("```" * P "`"^0), S "`*: \t"^0 * -1
local letter, extension = 1 - S "`<>*\n:" - "](", "." * R("az", "AZ", "09")^1
-- One with blanks ends in an extension: a sentence is none.
local name = -(P "```" + "..." + "- " + R "09"^1 * S ".)" * " ") * (P "//" + "--")^-1 * S "#*` "^0
  * lpeg.Cc(false) * C((letter - S " \t")^1 * #tail + (letter - extension * tail)^1 * extension) * tail
local fence = ticks * blank * C((1 - P "`")^0)
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
  local open, carried = (l.carried() or ""):match "^(`*)(.*)" -- a fence that is still open, and the file
  local first, path = l.peek() or "", nil
  for _, pattern in ipairs { fence, name, fence, fence } do -- the last: behind one around the path
    local opener, said = l.take(pattern)
    if opener then
      open, said = opener, said:find "[./]" and (said:match '^([^%s:={"]+)%s*$' or "") or nil -- "": unclear
    end
    path = said and (path or said) ~= said and "" or said or path
  end
  path = path or carried
  local found = l.take(search)
  if not found and open ~= "" and l.line() then -- it may be the path
    path, found = "", l.take(search)
  end
  if not found or open .. path == "" then
    local other = path ~= carried or first:find "^```" -- may it name another file?
    for word in first:gmatch "[%w_./\\-]*%w" do
      other = other or word:find "[./]%a" and word ~= carried
    end
    if other then
      l.carry ""
    end
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
  call = { at = "line", s.lines({ "```", "[", "" }, read, nil, form) },
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
