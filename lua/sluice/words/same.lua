--- same "key", same "name": what this word read, once more.

local follow = require "sluice.compile.follow"
local quoting = require "sluice.compile.quoting"
local word = require "sluice.word"

local same = word.leaf "same"
same.header = true

function same.build(class, what)
  if type(what) ~= "string" then
    word.fail(class, 'must be "key", "name" or the name of an s.capture')
  end
  return (what == "key" or what == "name") and { what = what } or word.classes.capture.again(class, what)
end

function same:parse(plan, rest, before)
  local p, closer, firsts = plan.program, before and before:last(), follow.firsts(rest)
  if not firsts[1] then
    word.refuse(self, "nothing follows it: put the literal after it that ends it")
  end
  p:add("same", { a = p:set(follow.texts(firsts)), b = closer and #closer:body() or 0, name = self.what == "name" })
end

--- The question that decides whether the literal before it ends a value: see words/value.lua.
function same:ask(plan, entry, confirm)
  local p, after = plan.program, entry.rest.rest
  return { kind = "named", head = quoting.closer(after), name = self.what == "name",
    later = p:set(confirm),
    -- if no literal can follow it, nothing can confirm it
    open = follow.firsts(after and after.rest).open or #follow.laters(after and after.rest) == 0 }
end

function same:write(call, out)
  out[#out + 1] = self.what == "key" and call.key or call.name
end

--- Its text in a grammar. Together with the literals around it, it ends a text.
function same:spelt(context)
  return self.what == "key" and context.key or context.call.name
end

return same
