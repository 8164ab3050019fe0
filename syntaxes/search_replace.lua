--- Edit blocks between conflict markers of five to nine characters; the file's name is above them, in the fence, or, if no
-- other is named, that of the previous block. A shell fence is a command. Origin: Aider; also Cline, Roo, Void, Continue, RepoPrompt.

local P, R, S, C = lpeg.P, lpeg.R, lpeg.S, lpeg.C

local blank, ticks, tail, letter = S " \t"^0, C("```" * P "`"^0), S "`*: \t"^0 * -1, 1 - S "`<>*\n:\"" - "]("
local letters, signs = R("az", "AZ", "09"), S "_./\\-"
local words = P "First" + "Second" + "Third" + "Next" + "Then" + "Also" + "And" + "Now" + "After" + "Finally" + "Lastly" + "Done"
local types = ".bat.c.cc.cfg.conf.cpp.cs.css.csv.dart.env.ex.exs.fs.go.gradle.h.hpp.hs.htm.html.ini.ipynb.java.jl.js.json.jsx.kt.less.lock"
  .. ".lua.md.mjs.ml.nix.php.pl.proto.ps1.py.pyi.r.rb.rs.rst.sass.scala.scss.sh.sql.svelte.swift.tf.toml.ts.tsx.txt.vue.xml.yaml.yml.zig."
local extension = lpeg.Cmt("." * letters^1 * #tail, function(_, at, said)
  return types:find(said:lower() .. ".", 1, true) and at
end)
-- A name with blanks (behind its last `/`), or in a sentence, ends in one of these: `self.name` and `e.g.` are none.
local file = (letter - extension) * (letter - " " - extension)^0 * (letter - "/" - extension)^0 * extension
local name = -(P "```" + "..." + "- " + R "09"^1 * S ".)" * " ") * (P "//" + P "-"^2)^-1 * S "#*` "^0
  * lpeg.Cc(false) * C((letter - S " \t" - S ".,!?" * tail)^1 * #tail - words * tail + file) * tail
local fence = ticks * blank * C((1 - P "`")^0)
-- What may name a file in a sentence: words with a dot or a slash, each byte of the line looked at once or twice.
local paths = lpeg.Ct((#((letters + S "_\\-")^0 * S "./") * C((signs^0 * letters^1)^1) + signs^1 + (letters + S "_\\-")^1 + 1)^0)
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
    return l.body("command", P(ran) * blank)
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
    local sign = first:find "%w %S" and "/%a" or "[./]%a"
    for _, word in ipairs(paths:match(first)) do
      other = other or word ~= carried and word ~= "and/or" and (word:find(sign) or file:match(word) or extension:match(word))
    end
    l.carry(other and "" or l.carried() or "")
    return false
  end
  l.call "edit"
  l.value("path", path)
  if path == "" then
    l.cut()
  end
  l.body("search", divider, false, search + replace, P(false)) -- neither has a place in it
  l.body("replace", replace + divider)
  repeat
    open = open ~= "" and l.take(P(open) * blank) and "" or open
  until open == "" or not l.take(blank)
  l.carry(open .. path)
  return true
end

-- How it is written.
local path_line = "[^`<>*:# \\t\\r\\n{\\[-]([^`<>*: \\t\\r\\n]*[^`<>*: \\t\\r\\n.,!?])?" -- without blanks
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
  values = { default = "string" }, tools = { "edit", "shell" },
  examples = { {
    text = "a.py\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```",
    calls = { { name = "edit", arguments = s.ordered { { "path", "a.py" }, { "search", "a\n" }, { "replace", "b\n" } } } },
  }, {
    text = "```bash\nls\n```", calls = { { name = "shell", arguments = { command = "ls\n" } } },
  } },
}
