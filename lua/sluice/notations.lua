--- Notations of values other than JSON: Python's, and one with a format's own quotes.

local core = require "sluice.core"

local json = core.json
local M = {}

--- A value as a Python literal.
function M.python(value)
  local kind = json.kind(value)
  if kind == "null" then
    return "None"
  elseif kind == "boolean" then
    return value and "True" or "False"
  elseif kind == "string" then
    local text = value:gsub("[%z\1-\31\\']", function(c)
      local names = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ["\\"] = "\\\\", ["'"] = "\\'" }
      return names[c] or ("\\x%02x"):format(c:byte())
    end)
    return "'" .. text .. "'"
  elseif kind == "array" then
    local list = {}
    for i, item in ipairs(value) do
      list[i] = M.python(item)
    end
    return "[" .. table.concat(list, ", ") .. "]"
  elseif kind == "object" then
    local list = {}
    for i, key in ipairs(json.keys(value)) do
      list[i] = M.python(key) .. ": " .. M.python(value[key])
    end
    return "{" .. table.concat(list, ", ") .. "}"
  end
  return json.encode(value)
end

--- A value in a format's own quotes: bare keys, no white space.
function M.quoted(value, quote)
  local kind = json.kind(value)
  if kind == "string" then
    return quote .. value .. quote
  elseif kind == "array" then
    local list = {}
    for i, item in ipairs(value) do
      list[i] = M.quoted(item, quote)
    end
    return "[" .. table.concat(list, ",") .. "]"
  elseif kind == "object" then
    local list = {}
    for i, key in ipairs(json.keys(value)) do
      local bare_key = key:match "^[%a_][%w_]*$" and key or quote .. key .. quote
      list[i] = bare_key .. ":" .. M.quoted(value[key], quote)
    end
    return "{" .. table.concat(list, ",") .. "}"
  end
  return json.encode(value)
end

return M
