--- Members of decoded JSON that may be anything, read as what they should be.

local json = require("sluice.core").json

local M = {}

--- The object; nil where it is none.
function M.object(value)
  return json.kind(value) == "object" and value or nil
end

--- The object that this JSON text is, its numbers as they stand; nil where it is none.
function M.decode(text)
  return M.object((json.decode(text, { exact = true })))
end

--- The list; an empty one where it is none.
function M.list(value)
  return json.kind(value) == "array" and value or {}
end

--- The text; nil where it is empty or none.
function M.text(value)
  return type(value) == "string" and value ~= "" and value or nil
end

--- A count, or a place in a list: a whole number from 0; nil where it is none. (Decoded exactly, it is the text of one.)
function M.count(value)
  local n = json.kind(value) == "number" and tonumber(tostring(value))
  return n and n >= 0 and n < 2^53 and n % 1 == 0 and math.floor(n) or nil
end

--- The object's members that are not named in `known` and are not null; nil where there are none.
function M.others(from, known)
  local out
  for _, key in ipairs(json.keys(from)) do
    if not known[key] and from[key] ~= json.null then
      out = out or json.object()
      out[key] = from[key]
    end
  end
  return out
end

--- Arguments as JSON text: they came as such, or as a value. nil where there are none.
function M.arguments(value)
  if type(value) == "string" then
    return M.text(value)
  end
  return value ~= nil and value ~= json.null and json.encode(value, ", ", ": ") or nil
end

--- JSON text as a value that is encoded as it stands, on one line: between its tokens a line break is a blank.
function M.json(text)
  return json.raw((text:gsub("[\r\n]", " ")))
end

--- The ways of an encoder whose messages have one answer: other choices are left out.
function M.first_choice(ways)
  local out = {}
  for kind, way in pairs(ways) do
    out[kind] = kind == "last" and way or function(state, event)
      return (event.choice or 1) == 1 and way(state, event) or ""
    end
  end
  return out
end

--- Why the answer of a choice ended: with calls "stop" is "tool_calls", and either is "length" where one was cut and is not to
-- be run; with a refusal it is "content_filter". `choice`: its `count` of calls, `cut`, `refused`.
function M.reason(reason, choice)
  if choice.count > 0 and (reason == "stop" or reason == "tool_calls") then
    return choice.cut and "length" or "tool_calls"
  end
  return reason == "stop" and choice.refused and "content_filter" or reason
end

return M
