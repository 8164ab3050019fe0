--- Replaces text in literals: for dialects, and for marks.

local word = require "sluice.word"

local M = {}

--- reword.text(text, others): replaces each key of `others` in a text with its value. The longest key wins at each byte;
-- replacements are not searched again.
function M.text(text, others)
  local out, at = {}, 1
  while true do
    local from, best
    for key in pairs(others) do
      local first = text:find(key, at, true)
      if first and (not from or first < from or first == from and #key > #best) then
        from, best = first, key
      end
    end
    if not from then
      return at == 1 and text or table.concat(out) .. text:sub(at)
    end
    out[#out + 1], at = text:sub(at, from - 1) .. others[best], from + #best
  end
end

--- A node with text in its literals replaced; nil if it is a literal and becomes empty.
function M.node(node, others)
  if node.body then
    local text = M.text(node.text, others)
    return text ~= "" and word.copy(node, { text = text, token = text == node.text and node.token or nil }) or nil
  end
  local out = #node > 0 and word.map(node, function(part)
    return M.node(part, others)
  end) or node
  return out.reworded and out:reworded(function(text)
    return M.text(text, others)
  end) or out
end

return M
