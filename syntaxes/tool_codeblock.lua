--- A fence with a line for the tool's name, and each argument between its own line and END_ARG. Words in any case.
-- Origin: Continue's system-message tools.

local P, S, C = lpeg.P, lpeg.S, lpeg.C

local blank = S " \t"^0
local text = blank * C((1 - blank * -1)^1) * blank

-- A word in any case, with or without the underscore.
local function any_case(word)
  local out = P(true)
  for c in word:gmatch "." do
    out = out * (S(c:upper() .. c:lower()) + (c == "_" and P(true) or P(false)))
  end
  return out
end

local fence, closer = any_case "```tool" * blank, P "```" * blank
local broken = any_case "begin_arg" * blank + any_case "end_arg:" * P(1)^0 -- a colon too few, or too many
local name, argument, ending = any_case "tool_name" * ":" * text, any_case "begin_arg" * ":" * text, any_case "end_arg" * blank

local function read(l)
  l.take(fence)
  local called = l.ended() and l.take(name) -- else the name may go on
  if not called then
    return false
  end
  l.call(called)
  while not l.take(closer) do
    local key, depth = l.take(argument), 1 -- a quoted call in the value has arguments of its own
    if key then
      l.body(key, P(function(line)
        depth = depth + ((argument * -1):match(line) and 1 or (ending * -1):match(line) and -1 or 0)
        return depth == 0 and #line + 1
      end), true, broken, P(false))
    elseif not l.peek() then
      l.mended()
      break
    elseif l.line():find "%S" then
      l.cut() -- it may have been an argument
    end
  end
  return true
end

return s.syntax {
  api = 3, name = "tool_codeblock", family = "agent",
  origin = "continuedev/continue",
  source = "https://github.com/continuedev/continue/tree/main/core/tools/systemMessageTools/toolCodeblocks",
  call = { at = "line", s.lines({ "```tool", "```Tool", "```TOOL", "TOOL", "tool", "Tool" }, read, nil, {
    "```tool\nTOOL_NAME: ", s.name(), "\n",
    s.params { "BEGIN_ARG: ", s.key(), "\n", s.value(),
      s.also(s.any { "BEGIN_ARG:", "END_ARG", "begin_arg:", "end_arg" }), "\nEND_ARG", "\n" },
    "```",
  }) },
  between = "\n",
  examples = { {
    text = "```tool\nTOOL_NAME: read_file\nBEGIN_ARG: filepath\na.ts\nEND_ARG\n```",
    calls = { { name = "read_file", arguments = { filepath = "a.ts" } } },
  } },
}
