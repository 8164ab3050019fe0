--- A code fence with a tool's name as language word, and optional arguments after it; its body is the tool's.
-- Origin: gptme, its markdown format.

local P, S, C = lpeg.P, lpeg.S, lpeg.C

local blank = S " \t"^0
local ticks, rest = C(P "```" * P "`"^0), (1 - P "`")^0
local opener, closer, inner = ticks * C((1 - S " \t`")^1) * blank * C(rest), ticks * blank, ticks * rest

-- Fences in the body that have a word open another. A body that is not closed ends with the text.
local function read(l)
  local fence, name, args = (opener * -1):match(l.peek() or "")
  if not fence or not l.known(name) then
    return false
  end
  l.line()
  l.call(name)
  if args ~= "" then
    l.value("args", args)
  end
  local open = { #fence }
  return l.body("content", P(function(line)
    local bare, other = (closer * -1):match(line), (inner * -1):match(line)
    if bare and #bare >= open[#open] then
      open[#open] = nil
    elseif other and not bare then
      open[#open + 1] = #other
    end
    return not open[1] and #line + 1
  end), true)
end

local function write(call)
  local longest, a = "``", call.arguments
  if type(a.content) ~= "string" then
    return nil, "needs the text `content`"
  end
  for run in a.content:gmatch "`+" do
    longest = #run > #longest and run or longest
  end
  return ("%s`%s%s\n%s\n%s`"):format(longest, call.name, a.args and " " .. a.args or "", a.content, longest)
end

return s.syntax {
  api = 3, name = "gptme_markdown", family = "agent",
  origin = "gptme/gptme", source = "https://github.com/gptme/gptme/blob/master/gptme/codeblock.py",
  call = { at = "line", s.lines("```", read, write, {
    "```", s.name(), s.opt { " ", s.value { key = "args", line = "[^` \\r\\n][^`\\r\\n]*" } }, "\n", s.value { key = "content" }, "\n```",
  }) },
  between = "\n",
  values = { default = "string" },
  tools = { "save", "append", "patch", "shell", "ipython", "python", "tmux", "browser", "read", "morph", "screenshot", "vision", "gh" },
  examples = {
    { text = "```shell\nls\n```", calls = { { name = "shell", arguments = { content = "ls" } } } },
    {
      text = "````save README.md\n```sh\nnpm i\n```\n````",
      calls = { { name = "save", arguments = s.ordered { { "args", "README.md" }, { "content", "```sh\nnpm i\n```" } } } },
    },
  },
}
