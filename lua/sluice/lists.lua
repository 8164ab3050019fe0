--- Lists and sets made from others.

local M = {}

--- map(list, f): what f(item, place) returns for each item, but for nil.
function M.map(list, f)
  local out = {}
  for i, item in ipairs(list) do
    out[#out + 1] = f(item, i)
  end
  return out
end

--- each(list, key): this member of each item, but for nil.
function M.each(list, key)
  return M.map(list, function(item) return item[key] end)
end

--- joined(list, ...): all lists as a new one.
function M.joined(...)
  local out = {}
  for _, list in ipairs { ... } do
    for _, item in ipairs(list) do
      out[#out + 1] = item
    end
  end
  return out
end

--- join(list, f[, separator]): the same as one text.
function M.join(list, f, separator)
  return table.concat(M.map(list, f), separator)
end

--- some(list, f): the first of these results that is true, or nil.
function M.some(list, f)
  for i, item in ipairs(list) do
    local found = f(item, i)
    if found then
      return found
    end
  end
end

--- set(list): its items, or the words of a text, each true.
function M.set(list)
  local out = {}
  for word in (type(list) == "string" and list or ""):gmatch "%S+" do
    out[word] = true
  end
  for _, item in ipairs(type(list) == "table" and list or {}) do
    out[item] = true
  end
  return out
end

--- has(mask, bit): true if this number, a sum of bits, contains the bit.
function M.has(mask, bit)
  return mask % (bit * 2) >= bit
end

--- copy(t[, more]): the same members, and those of `more`.
function M.copy(t, more)
  local out = {}
  for key, value in pairs(t) do
    out[key] = value
  end
  for key, value in pairs(more or {}) do
    out[key] = value
  end
  return out
end

return M
