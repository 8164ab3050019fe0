--- s.lines: see tests/spec/words_spec.lua.

local read = [[function(l)
  local name = l.take("!" * lpeg.C(lpeg.R "az"^1))
  if not (name and l.known(name)) then return false end
  l.call(name)
  while l.peek() and not l.take(lpeg.P "!") do l.value("text", l.line() .. "\n") end
  return true
end]]
local form = [[{ "!", s.name(), "\n", s.value { key = "text" }, { at = "line", "!" } }]]

return {
  { ([[{ at = "line", s.lines("!", %s, nil, %s) }]]):format(read, form), text = "!f\na\nb\n!", calls = 'f {"text":"a\\nb\\n"}', grammar = [["!f\n" lines]],
    reads = { ["Hi.\n!f\na\n!\nDone."] = 'f {"text":"a\\n"}; content Hi.\n\nDone.', ["!h\na\n!"] = "content !h\na\n!" } },
  { ([[{ at = "line", s.lines("!", %s, function(call) return "!" .. call.name .. "\n" .. call.arguments.text .. "!" end) }]]):format(read),
    text = "!f\na\n!", calls = 'f {"text":"a\\n"}', grammar = "a block that a function reads" },
  { [[{ at = "line", s.lines("!", true) }]], wrong = "its second argument must be a function" },
  { [[{ at = "line", s.lines({}, function() end) }]], wrong = "its first argument" },
}
