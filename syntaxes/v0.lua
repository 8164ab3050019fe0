--- Files in fences with attributes, inside <CodeProject>. Origin: Vercel's v0.

local P, S, C = lpeg.P, lpeg.S, lpeg.C

local blank, key = S " \t", S " \t" * P "file="
local path = '"' * C((1 - P '"')^1) * '"' + "'" * C((1 - P "'")^1) * "'"
local opener = C("```" * P "`"^0) * (1 - key)^0 * key * path * P(1)^0

local function read(l)
  local fence, file = l.take(opener)
  if not fence then
    return false
  end
  l.call "write"
  l.value("file", file)
  return l.body("content", P(fence) * blank^0)
end

return s.syntax {
  api = 3, name = "v0", family = "agent",
  origin = "Vercel's v0", source = "https://github.com/x1xhlol/system-prompts-and-models-of-ai-tools (v0)",
  call = { at = "line", s.lines("```", read, nil, {
    s.name "write", '```tsx file="', s.value { key = "file", line = '[^" \\r\\n]+' }, '"\n',
    s.value { key = "content" }, { at = "line", "```" },
  }) },
  between = "\n",
  think = { "<Thinking>\n", "\n</Thinking>\n\n" }, ignore = { "<CodeProject", "</CodeProject" },
  values = { default = "string" },
  tools = { "write" },
  examples = { {
    text = '```tsx file="a.tsx"\nexport default 1\n```',
    calls = { { name = "write", arguments = s.ordered { { "file", "a.tsx" }, { "content", "export default 1\n" } } } },
  } },
}
