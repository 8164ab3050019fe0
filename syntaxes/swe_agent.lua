--- A discussion, and one shell command in the last fence of the message. Only its name selects it, never `auto`.
-- Origin: SWE-agent, its thought and action parser, which refuses a fence that is not closed; so a call is told only when it is complete.

local word = (lpeg.R("az", "AZ", "09") + lpeg.S "_+#.-")^1
local fence = "```" * lpeg.C(word^-1) * lpeg.S " \t"^0 * -1

-- Reads to the end, since only there the last fence is known. Then another fence is text, and so are the lines carried over.
local function read(l)
  local skip = tonumber(l.carried() or 0)
  if skip > 0 then
    l.carry(tostring(skip - 1))
    return false
  end
  local depth, count, at, body, cut = 0, 0, 0, {}, nil
  while l.peek() do
    local line = l.line()
    local language = fence:match(line)
    local opens = language and (depth == 0 or language ~= "")
    if opens and depth == 0 then
      at, body, cut = count, {}, true
    elseif language and not opens and depth == 1 then
      cut = false
    elseif depth > 0 then
      body[#body + 1] = line
    end
    depth = depth + (opens and 1 or language and -1 or 0)
    count = count + (language and 1 or 0)
  end
  l.carry(tostring(math.ceil((at > 0 and at or count) / 2) - 1)) -- the ends of fences do not come here
  if at > 0 or cut == nil then
    return false
  end
  l.call "bash"
  l.value("command", table.concat(body, "\n"))
  if cut then
    l.cut()
  end
  return true
end

return s.syntax {
  api = 3, name = "swe_agent", family = "fence",
  origin = "SWE-agent/SWE-agent", source = "https://github.com/SWE-agent/SWE-agent/blob/main/sweagent/tools/parsing.py",
  call = { at = "line", s.lines("```", read, nil, { s.name "bash", "```\n", s.value { key = "command" }, "\n```" }) },
  values = { default = "string" },
  tools = { "bash" },
  options = { max_calls = 1, calls = "whole" },
  examples = { {
    text = "```\nls -la\n```", calls = { { name = "bash", arguments = { command = "ls -la" } } },
  } },
}
