--- The place where a loop (`calls` or `params`) begins again: a hidden word at the end of the chain inside it.

local follow = require "sluice.compile.follow"
local word = require "sluice.word"

local again = word.leaf "again"

function again.of(loop)
  return word.make(again, { loop = loop })
end

function again:first(rest, firsts)
  local loop, here = self.loop, follow.cons(self, rest)
  if firsts.inside[loop] then
    word.refuse(loop, "nothing in it has to be there, so it would begin again without end: put a literal in it")
  end
  firsts.inside[loop] = true
  if loop.between then
    firsts:walk_loop(follow.cons(loop.between, follow.chain_of(loop, 1, here)))
  end
  local space, separator = firsts.space, loop.separator
  firsts.space = separator and separator:body() == "" and space .. separator.text or space
  firsts:walk_loop(follow.chain_of(loop, 1, here), loop.word == "params" and loop or nil)
  firsts.space = space
  firsts.inside[loop] = nil
  return true
end

return again
