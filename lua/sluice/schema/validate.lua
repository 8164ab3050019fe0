--- Compares JSON values.

local core = require "sluice.core"

local json = core.json
local M = {}

local kind_of = json.kind

local function number_of(value)
  return json.number(value)
end

--- same(a, b[, as_written]): true if two JSON values are equal. Numbers are compared by value; with `as_written` by their digits, so
-- 1 and 1.0 differ. The order of keys does not count.
local function same(a, b, as_written)
  local kind = kind_of(a)
  if kind ~= kind_of(b) then
    return false
  elseif kind == "number" then
    return json.encode(a) == json.encode(b) or not as_written and number_of(a) == number_of(b)
  elseif kind == "array" then
    if #a ~= #b then
      return false
    end
    for i = 1, #a do
      if not same(a[i], b[i], as_written) then
        return false
      end
    end
    return true
  elseif kind == "object" then
    local keys = json.keys(a)
    if #keys ~= #json.keys(b) then
      return false
    end
    for _, key in ipairs(keys) do
      if b[key] == nil or not same(a[key], b[key], as_written) then
        return false
      end
    end
    return true
  end
  return a == b
end
M.same = same

return M
