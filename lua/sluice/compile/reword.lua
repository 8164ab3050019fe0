--- Replaces text in literals: for dialects, and for marks.

local lists = require "sluice.lists"
local word = require "sluice.word"

local M = {}

--- reword.split(text, keys): a text in pieces: what is before the first key of the table `keys` in it, this key, what is before the next
-- one, and so on; the rest is the last one. The longest key wins at each byte.
function M.split(text, keys)
  local out, at = {}, 1
  while true do
    local from, best
    for key in pairs(keys) do
      local first = text:find(key, at, true)
      if first and (not from or first < from or first == from and #key > #best) then
        from, best = first, key
      end
    end
    out[#out + 1] = text:sub(at, (from or 0) - 1)
    if not from then
      return out
    end
    out[#out + 1], at = best, from + #best
  end
end

--- reword.text(text, others[, used]): replaces each key of `others` in a text with its value, and notes it in `used`.
function M.text(text, others, used)
  return lists.join(M.split(text, others), function(piece, i)
    if used and i % 2 == 0 then
      used[piece] = true
    end
    return i % 2 == 0 and others[piece] or piece
  end)
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
