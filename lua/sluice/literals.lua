--- Replaces text in literals: for dialects, and for marks.

local M = {}

--- literals.replaced(text, others): replaces each key of `others` in a text with its value. The longest key wins at each byte;
-- replacements are not searched again.
function M.replaced(text, others)
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

--- literals.reworded(word, others): a copy of a word with its literals replaced; nil if it is a literal and becomes empty.
function M.reworded(word, others)
  local copy = {}
  for k, v in pairs(word) do
    copy[k] = type(k) ~= "number" and v or nil
  end
  if word.word == "literal" then
    copy.text = M.replaced(copy.text, others)
    return copy.text ~= "" and copy or nil
  end
  for _, part in ipairs(word) do
    copy[#copy + 1] = M.reworded(part, others)
  end
  copy.between = type(word.between) == "table" and M.reworded(word.between, others) or word.between
  return copy
end

return M
