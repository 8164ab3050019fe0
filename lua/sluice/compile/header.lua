--- What name, key, id and match share: they stand on one line, and the next literal ends them.

local follow = require "sluice.compile.follow"
local word = require "sluice.word"

local M = {}

--- The literals that end such a word. Raises if its end is not clear.
function M.ends(node, rest)
  local firsts, after = follow.firsts(rest), rest and rest.node
  if firsts.open and after and after.body and not after.exact then
    error(("%ss.%s: only white space follows it, which is read as any white space or none; if %s ends it, write { exact = true, %s }")
      :format(node.place or "", node.word, word.quoted(after.text), word.quoted(after.text)), 0)
  elseif firsts.open then
    error(("%ss.%s: it has no clear end: no literal follows it directly; put one after it"):format(node.place or "", node.word), 0)
  end
  local list = follow.texts(firsts)
  return #list > 0 and list or { "\n" }
end

return M
