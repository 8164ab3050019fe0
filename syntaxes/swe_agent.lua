--- A discussion, and one shell command in the last fence of the message. Only its name selects it, never `auto`.
-- Origin: SWE-agent, its thought and action parser, which refuses a fence that is not closed; so a call is told only when it is complete.

local word = (lpeg.R("az", "AZ", "09") + lpeg.S "_+#.-")^1
local fence = "```" * lpeg.C(word^-1) * lpeg.S " \t"^0 * -1

-- What a line that is a fence adds to the depth; 0: it is none.
local function step(line, depth)
  local language = fence:match(line)
  return language and (depth == 0 or language ~= "") and 1 or language and -1 or 0
end

-- Only at the end the last fence is known. So the first block notes how many are before it, and the second reads that one.
local function read(l)
  local skip, count, lines, depth = tonumber(l.carried()), -1, {}, 0
  while not skip and l.peek() do
    local more = step(l.line(), depth)
    count, depth = count + (depth == 0 and more or 0), depth + more
  end
  if skip ~= 0 then
    l.carry(tostring(skip and skip - 1 or 2 * count)) -- both blocks are tried at each
    return false
  end
  repeat
    lines[#lines + 1] = l.line()
    depth = depth + step(lines[#lines], depth)
  until depth == 0 or not l.peek()
  l.call "bash"
  l.value("command", table.concat(lines, "\n", 2, #lines - (depth == 0 and 1 or 0)))
  if depth > 0 then
    l.cut()
  end
  return true
end

local block = { at = "line", s.lines("```", read, nil, { s.name "bash", "```\n", s.value { key = "command" }, "\n```" }) }

return s.syntax {
  api = 3, name = "swe_agent", family = "fence",
  origin = "SWE-agent/SWE-agent", source = "https://github.com/SWE-agent/SWE-agent/blob/main/sweagent/tools/parsing.py",
  blocks = { block, block },
  values = { default = "string" },
  tools = { "bash" },
  options = { max_calls = 1, calls = "whole" },
  examples = { {
    text = "```\nls -la\n```", calls = { { name = "bash", arguments = { command = "ls -la" } } },
  } },
}
