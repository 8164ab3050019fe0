--- Checks of arguments and fields. Each returns nil if the value is good, else what it must be: "must be ...".

local lists = require "sluice.lists"
local options = require "sluice.options"

local M = { nearest = require "sluice.nearest" }

--- instead(name, known) -> "; did you mean 'x'?" or the list of what there is: the end of a message.
function M.instead(name, known)
  local near, names = M.nearest(tostring(name), known, " (did you mean '%s'?)"), {}
  for key in pairs(known) do
    names[#names + 1] = type(key) == "string" and key or nil
  end
  table.sort(names)
  return near or names[1] and "; there are " .. table.concat(names, ", ") or ""
end

--- named(what, given, known): what is wrong with the named values that a script gave. what: "option" or "field"; known: a check for each.
function M.named(what, given, known)
  for key, value in next, given do
    local wrong = known[key] and known[key](value)
    if wrong then
      return ("the %s '%s' %s"):format(what, key, wrong)
    elseif not known[key] then
      return ("there is no %s '%s'%s"):format(what, tostring(key), M.instead(key, known))
    end
  end
end

local function of_type(kind, what)
  return function(value)
    return type(value) ~= kind and ("must be %s, not a %s"):format(what, type(value)) or nil
  end
end

M.flag, M.call = of_type("boolean", "true or false"), of_type("function", "a function")

function M.text(value)
  return (type(value) ~= "string" or value == "") and "must be a text that is not empty" or nil
end

function M.one_of(...)
  local list = { ... }
  local known = lists.set(list)
  return function(value)
    return not known[value] and ('must be "%s"'):format(table.concat(list, '" or "')) or nil
  end
end

--- A list of texts: no holes, no other keys.
function M.texts(value)
  local count = 0
  for _ in pairs(type(value) == "table" and value or {}) do
    count = count + 1
  end
  local good = type(value) == "table" and count == #value and not lists.some(value, M.text)
  return not good and 'must be a list of texts, none of them empty: { "...", "..." }' or nil
end

--- A text or several.
function M.spellings(value)
  return M.text(value) and (M.texts(value) or #value == 0) and "must be a text, or a list of texts of which the first is written" or nil
end

function M.list(value)
  return (type(value) ~= "table" or #value == 0 and next(value) ~= nil) and "must be a list: { ..., ... }" or nil
end

--- One of these types; what it must be: "must be ...".
function M.type(what, ...)
  local known = lists.set { ... }
  return function(value)
    return not known[type(value)] and what or nil
  end
end

--- A list of which each item has this check. item: what the message calls it; lead: how the message begins.
function M.list_of(wrong_with, item, lead)
  return function(value)
    return lists.some(type(value) == "table" and value or {}, function(one, i)
      local wrong = wrong_with(one)
      return wrong and ("%s %s %d %s"):format(lead or "has an error:", item or "item", i, wrong)
    end) or M.list(value)
  end
end

--- A table with these fields, each with its check. needed: { field, what the message says of one that is missing }... .
function M.record(fields, needed)
  return function(value)
    if type(value) ~= "table" then
      return ("must be a table, not a %s"):format(type(value))
    end
    for key, item in pairs(value) do
      local wrong = fields[key] and fields[key](item)
      if not fields[key] then
        return ("has no field '%s'%s"):format(tostring(key), M.instead(key, fields))
      elseif wrong then
        return ("has an error: '%s' %s"):format(key, wrong)
      end
    end
    return lists.some(needed or {}, function(one)
      return value[one[1]] == nil and one[2]
    end)
  end
end

--- The options of a stream.
function M.stream_options(value)
  local wrong = options.wrong_in(type(value) == "table" and value or {}, options.kinds)
  return wrong and "has an error: " .. wrong or type(value) ~= "table" and "must be a table" or nil
end

return M
