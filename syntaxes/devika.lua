--- Files, each as a line with its path and a fence, between lines of tildes. Origin: Devika.

local P, S, C = lpeg.P, lpeg.S, lpeg.C

local blank = S " \t"^0
local frame, heading = P "~~~" * blank, P "File:" * blank * "`" * C((1 - P "`")^1) * "`" * P ":"^-1 * blank
local opener, closer = "```" * (1 - P "`")^0, P "```" * blank

local function read(l)
  l.take(frame)
  local path = l.take(heading)
  if not path then
    return false
  end
  l.call "write"
  l.value("path", path)
  l.value("content", "")
  if not l.take(opener) then
    l.cut()
    return true
  end
  while not l.take(closer) do
    local line = l.line()
    if not line then
      l.cut()
      return true
    end
    l.value("content", line .. "\n")
  end
  l.take(frame)
  return true
end

return s.syntax {
  api = 3, name = "devika", family = "agent",
  origin = "stitionai/devika", source = "https://github.com/stitionai/devika/blob/main/src/agents/coder/coder.py",
  call = { at = "line", s.lines({ "~~~", "File:" }, read, nil, {
    s.name "write", "~~~\nFile: `", s.value { key = "path", line = true }, "`:\n```\n", s.value { key = "content" },
    { at = "line", "```\n~~~" },
  }) },
  between = "\n",
  values = { default = "string" },
  tools = { "write" },
  examples = { {
    text = "~~~\nFile: `a.py`:\n```\nprint(1)\n```\n~~~",
    calls = { { name = "write", arguments = s.ordered { { "path", "a.py" }, { "content", "print(1)\n" } } } },
  } },
}
