--- key(), key(pattern): a parameter's name, on one line, up to the next literal.

local word = require "sluice.word"

local key = word.leaf "key"
key.gives, key.header, key.any_arguments = "key", true, true

function key.build(class, given)
  return { pattern = given ~= nil and word.pattern(class, given, "argument") or nil }
end

function key:parse(plan, rest, before)
  local p, left = plan.program, before and before:last()
  p:add("key", { a = p:set(word.ends(self, rest)), b = p:pattern(self.pattern), line = left ~= nil and left.text:find "\n" ~= nil })
end

function key.write(_, call, out)
  out[#out + 1] = call.key
end

return key
