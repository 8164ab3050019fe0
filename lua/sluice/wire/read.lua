--- Reads members of decoded JSON with a check of their type.

local json = require("sluice.core").json

local M = {}

--- The object; nil if it is not one.
function M.object(value)
  return json.kind(value) == "object" and value or nil
end

--- Decodes a JSON object, with its numbers' exact text; nil if it is not one.
function M.decode(text)
  return M.object((json.decode(text, { exact = true })))
end

--- The list; an empty one if it is not one.
function M.list(value)
  return json.kind(value) == "array" and value or {}
end

--- The text; nil if it is empty or not a text.
function M.text(value)
  return type(value) == "string" and value ~= "" and value or nil
end

--- A count or index: a whole number from 0; nil if it is not one. (With exact decoding it is text.)
function M.count(value)
  local n = json.kind(value) == "number" and json.number(value)
  return n and n >= 0 and n < 2^53 and n % 1 == 0 and math.floor(n) or nil
end

--- The message of a server's error; nil if the object is not one.
function M.problem(from)
  local problem = from and from.error
  return M.object(problem) and M.text(problem.message) or M.text(problem)
end

--- The object's members that are not in `known` and not null; nil if there are none.
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

--- Arguments as JSON text, given as text or as a value; nil if there are none.
function M.arguments(value)
  if type(value) == "string" then
    return M.text(value)
  end
  return value ~= nil and value ~= json.null and json.encode(value, ", ", ": ") or nil
end

--- JSON text as a value that is encoded unchanged, on one line: line breaks between tokens become blanks.
function M.json(text)
  return json.raw((text:gsub("[\r\n]", " ")))
end

--- A call of a parsed response as Chat Completions has it; `arguments`: in place of its own.
function M.function_call(call, arguments)
  return json.object { { "id", call.id }, { "type", "function" },
    { "function", json.object { { "name", call.name }, { "arguments", arguments or call.arguments } } } }
end

--- Puts what was parsed of a message's text into the message. none: its content if there is no text; thought: its member for reasoning;
-- call_of(call): a call as it has them, or nil to leave it out. Returns the number of its calls, `count`, and whether one is `cut`.
function M.merge(message, result, none, thought, call_of)
  local calls, cut = M.list(message.tool_calls), false
  message.content = result.content or none
  if result.reasoning then
    message[thought] = (M.text(message[thought]) or "") .. result.reasoning
  end
  for _, call in ipairs(result.calls) do
    cut = cut or call.status == "incomplete"
    calls[#calls + 1] = call_of(call)
  end
  message.tool_calls = calls[1] and json.array(calls) or message.tool_calls
  return { count = #calls, cut = cut }
end

--- The functions of an encoder whose messages have one answer: other choices are left out.
function M.first_choice(ways)
  local out = {}
  for kind, way in pairs(ways) do
    out[kind] = kind == "last" and way or function(state, event)
      return (event.choice or 1) == 1 and way(state, event) or ""
    end
  end
  return out
end

--- The reason for the end of a choice: with calls "stop" becomes "tool_calls", and both become "length" if a call was cut off and must
-- not be run; with a refusal "stop" becomes "content_filter". `choice`: its `count` of calls, `cut`, `refused`.
function M.reason(reason, choice)
  if choice.count > 0 and (reason == "stop" or reason == "tool_calls") then
    return choice.cut and "length" or "tool_calls"
  end
  return reason == "stop" and choice.refused and "content_filter" or reason
end

return M
