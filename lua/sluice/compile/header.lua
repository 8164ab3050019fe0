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

--- A call's arguments may be missing: then the literals after them end its name, too, if names have no such bytes.
function M.ends_without_arguments(rest, list)
  local first = follow.firsts(rest)[1]
  for _, entry in ipairs(first and first.arguments and follow.firsts(first.rest) or {}) do
    if #entry.text > 2 and entry.text:find "^[^%w%s_.:/-]" then
      list:add(entry.text)
    end
  end
  return list
end

return M
