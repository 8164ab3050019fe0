--- What name, key, id and match share: they stand on one line, and the next literal ends them.

local follow = require "sluice.compile.follow"
local word = require "sluice.word"

local M = {}

--- The literals that end such a word. Raises if its end is not clear.
function M.ends(node, rest)
  local firsts, after = follow.firsts(rest), rest and rest.node
  if firsts.open and after and after.body and not after.exact then
    word.refuse(node, "only white space follows it, which is read as any white space or none; if %s ends it, write { exact = true, %s }",
      word.quoted(after.text), word.quoted(after.text))
  elseif firsts.open then
    word.refuse(node, "it has no clear end: no literal follows it directly; put one after it")
  end
  local list = follow.texts(firsts)
  return #list > 0 and list or follow.list { "\n" }
end

return M
