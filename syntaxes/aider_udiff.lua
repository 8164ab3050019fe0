--- A unified diff of one file in a fence: its path, and its hunks as they are. Origin: Aider, its udiff coder.

local P, S, C, Cc = lpeg.P, lpeg.S, lpeg.C, lpeg.Cc

local opener, closer = P "```diff" * S " \t"^0, P "```" * S " \t"^0
local name = C((1 - S " "^0 * (P "\t" + -1))^1) * P(1)^0
-- What the next line must be: `b/` is no folder beside `a/`, or for a new file.
local old = P "--- " * ((P "a/" + "/dev/null") * Cc(P "+++ " * P "b/"^-1 * name) + Cc(P "+++ " * name)) * P(1)^0

local function read(l)
  l.take(opener)
  local new = l.take(old)
  local path = new and l.take(new)
  if not path then
    return false
  end
  while path do
    l.call "edit"
    l.value("path", path)
    if path:find "^%+%+%+ " then -- the header is there twice
      l.cut()
    end
    l.value("diff", "")
    path = nil
    while not path and not l.take(closer) do
      local line = l.line()
      new = line and (old * -1):match(line)
      path = new and l.take(new) -- another file; else such a line is of the hunk
      if not line then
        return false
      elseif not path then
        l.more(line .. "\n")
      end
    end
  end
  return true
end

return s.syntax {
  api = 3, name = "aider_udiff", family = "agent",
  origin = "Aider-AI/aider", source = "https://github.com/Aider-AI/aider/blob/main/aider/coders/udiff_coder.py",
  call = { at = "line", s.lines({ "```diff", "--- " }, read, nil, {
    s.name "edit", "```diff\n--- /dev/null\n+++ ", s.value { key = "path", line = true }, "\n", s.value { key = "diff" },
    { at = "line", "```" },
  }) },
  between = "\n",
  values = { default = "string" },
  tools = { "edit" },
  options = { fences = "text" },
  examples = { {
    deviates = true,
    text = "```diff\n--- a.py\n+++ a.py\n@@ ... @@\n-a\n+b\n```",
    calls = { { name = "edit", arguments = s.ordered { { "path", "a.py" }, { "diff", "@@ ... @@\n-a\n+b\n" } } } },
  } },
}
