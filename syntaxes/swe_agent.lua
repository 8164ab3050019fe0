--- A discussion, and one shell command in the last fence of the message. Only its name selects it, never `auto`.
-- Origin: SWE-agent, its thought and action parser.

local fence, closer = "```" * (lpeg.R("az", "AZ", "09") + lpeg.S "_+- \t")^0, "```" * lpeg.S " \t"^0

local function read(l)
  if not l.take(fence) then
    return false
  end
  local body, cut = {}, true
  while cut and l.peek() do
    cut = not l.take(closer)
    body[#body + 1] = cut and l.line() or nil
  end
  while l.peek() do -- is it the last one?
    if (fence * -1):match(l.line()) then
      return false
    end
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
  max_calls = 1,
  tools = { "bash" },
  examples = { {
    text = "```\nls -la\n```", calls = { { name = "bash", arguments = { command = "ls -la" } } },
  } },
}
