--- Replaces text in literals: for dialects, and for marks.

local word = require "sluice.word"

local M = {}

--- reword.text(text, others[, used]): replaces each key of `others` in a text with its value, and notes it in `used`. The longest key
-- wins at each byte; replacements are not searched again.
function M.text(text, others, used)
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
    if used then
      used[best] = true
    end
  end
end

--- A node with text in its literals replaced; without a literal that becomes empty.
function M.node(node, others, used)
  return word.map(node, function(at)
    if at.body then
      local text = M.text(at.text, others, used)
      return text ~= "" and word.copy(at, { text = text, token = text == at.text and at.token or nil }) or nil
    end
    return at.reworded and at:reworded(function(text)
      return M.text(text, others, used)
    end) or at
  end)
end

return M
