--- Replaces text in literals: for dialects, and for marks.

local word = require "sluice.word"

local M = {}

--- reword.text(text, others): replaces each key of `others` in a text with its value. The longest key wins at each byte;
-- replacements are not searched again.
function M.text(text, others)
  local any = false
  for from in pairs(others) do
    any = any or text:find(from, 1, true)
  end
  if not any then
    return text
  end
  local out, at = {}, 1
  while at <= #text do
    local best = ""
    for from in pairs(others) do
      best = #from > #best and text:sub(at, at + #from - 1) == from and from or best
    end
    out[#out + 1] = best ~= "" and others[best] or text:sub(at, at)
    at = at + math.max(#best, 1)
  end
  return table.concat(out)
end

--- A node with text in its literals replaced; nil if it is a literal and becomes empty.
function M.node(node, others)
  if node.body then
    local text = M.text(node.text, others)
    return text ~= "" and word.copy(node, { text = text, token = text == node.text and node.token or nil }) or nil
  end
  return #node > 0 and word.map(node, function(part)
    return M.node(part, others)
  end) or node
end

return M
