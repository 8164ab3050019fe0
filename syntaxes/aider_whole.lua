--- A file's path on a line, then all of it in a fence. Only its name selects it, never `auto`. Origin: Aider, its whole-file coder; Devika,
-- in a frame of tildes.

local P, R, S, C = lpeg.P, lpeg.R, lpeg.S, lpeg.C

local name = S "#*` "^0 * P "File: `"^-1 * C((R("az", "AZ", "09") + S "_./+-" + R "\128\255")^1) * S "`*: "^0
local frame = P "~~~"
local ticks, blank = P "```" * P "`"^0, S " \t"^0
local opener, closer = C(ticks) * (R("az", "AZ", "09") + S "_+#.-")^0, ticks * blank

local function read(l)
  local line, inside = l.peek() or "", l.carried() == "inside" -- a fence of the prose: its closer opens no file
  if inside or line:find "^```" then
    l.carry((inside and not (closer * -1):match(line) or not inside) and "inside" or "")
    return false
  end
  local path = (l.take(frame) or true) and l.take(name)
  local fence = path and l.take(opener)
  if not fence then
    return false
  end
  l.call "write"
  l.value("path", path)
  l.body("content", P(fence) * blank)
  l.take(frame)
  return true
end

return s.syntax {
  api = 3, name = "aider_whole", aliases = { "devika" }, family = "fence",
  origin = "Aider-AI/aider, stitionai/devika", source = "https://github.com/Aider-AI/aider/blob/main/aider/coders/wholefile_coder.py",
  call = { at = "line", s.lines({ "`", "~~~", "" }, read, nil, {
    s.name "write", s.value { key = "path", line = "[a-zA-Z0-9_./+-]+" }, "\n```\n", s.value { key = "content" }, { at = "line", "```" },
  }) },
  between = "\n",
  values = { default = "string" },
  tools = { "write" },
  examples = { {
    text = "a.py\n```\nprint(1)\n```",
    calls = { { name = "write", arguments = s.ordered { { "path", "a.py" }, { "content", "print(1)\n" } } } },
  } },
}
