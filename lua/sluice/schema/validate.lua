--- Compares JSON values.

local json = require("sluice.core").json
local M = {}

--- same(a, b[, as_written]): true if two JSON values are equal. Numbers are compared by value; with `as_written` by their digits, so
-- 1 and 1.0 differ. The order of keys does not count.
function M.same(a, b, as_written)
  local kind = json.kind(a)
  if kind ~= json.kind(b) then
    return false
  elseif kind == "number" then
    return json.encode(a) == json.encode(b) or not as_written and json.number(a) == json.number(b)
  elseif kind ~= "array" and kind ~= "object" then
    return a == b
  end
  local keys = kind == "object" and json.keys(a)
  local count = keys and #keys or #a
  if count ~= (keys and #json.keys(b) or #b) then
    return false
  end
  for i = 1, count do
    local key = keys and keys[i] or i
    if b[key] == nil or not M.same(a[key], b[key], as_written) then
      return false
    end
  end
  return true
end

return M
