--- Reads members of decoded JSON with a check of their type.

local json = require("sluice.core").json
local lists = require "sluice.lists"

local M = {}

--- The object; nil if it is not one.
function M.object(value)
  return json.kind(value) == "object" and value or nil
end

--- Decodes a JSON object, with its numbers' exact text, and ill-formed UTF-8 as it is, which a stream reports; nil if it is not one.
function M.decode(text)
  return M.object((json.decode(text, { exact = true, raw = true })))
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
  local problem = from and (from.error or from.object == "error" and from.message)
  return M.object(problem) and M.text(problem.message) or M.text(problem)
end

--- The object's members that are not in `known` and not null; nil if there are none.
function M.others(from, known)
  local out = lists.map(json.keys(from), function(key)
    return not known[key] and from[key] ~= json.null and { key, from[key] } or nil
  end)
  return out[1] and json.object(out)
end

--- The members of a call, and those that an event's server gave it besides.
function M.with_fields(members, event)
  return lists.joined(members, lists.map(event.fields and json.keys(event.fields) or {}, function(key)
    return { key, event.fields[key] }
  end))
end

--- What was parsed, and the items of a list that nobody could parse; nil: there are none of these.
function M.beside(parsed, list, is_strange)
  local left = lists.map(M.list(list), is_strange)
  return left[1] and json.array(lists.joined(parsed or {}, left))
end

--- Calls that were parsed, and those of a server's list that are of another kind; nil: there are none.
function M.beside_calls(parsed, list)
  return M.beside(parsed, list, function(call)
    return not (M.object(call) and M.object(call["function"])) and call or nil
  end) or parsed
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

--- Puts what was parsed in the place of a text or a list; `none`: if nothing was. A member that says nothing, or is something else, stays.
function M.replace(message, key, value, none)
  local had = message[key]
  if value ~= nil or M.text(had) or M.list(had)[1] ~= nil then
    message[key] = value == nil and none or value
  end
end

--- The arguments to send. The last brace waits for the end of the call: what a client gets of an incomplete one does not parse.
function M.sendable(state, event)
  local key = (event.choice or 1) .. ":" .. event.index
  local held = state.held[key] or ""
  local piece = event.type == "arguments" and held .. event.text or event.status ~= "incomplete" and held or ""
  state.held[key] = event.type == "arguments" and piece:match "}?$" or nil
  return state.held[key] and piece:sub(1, -1 - #state.held[key]) or piece
end

--- Adds functions to those of an encoder whose messages have one answer: other choices are left out. The end waits for the token counts,
-- which other formats send last.
function M.waits(ways)
  local done = ways.done
  ways.one_answer = true
  function ways.finish(state, event)
    state.reason = event.reason
    return ""
  end
  function ways.usage(state, event)
    state.input, state.output = event.input or state.input, event.output or state.output
    return ""
  end
  function ways.done(state)
    state.ended = true
    return done(state)
  end
  --- Ends an answer for which the server gave a reason but no end.
  function ways.last(state)
    return state.reason and not state.ended and ways.done(state) or ""
  end
end

--- A text whose halves of surrogate pairs, which are no UTF-8, are replaced like other bytes: json.encode would escape them.
function M.whole(text)
  return text and (text:gsub("\237[\160-\191][\128-\191]", ("\239\191\189"):rep(3)))
end

--- The text of the events of this type, or nil.
function M.said(events, kind)
  local text = lists.join(events, function(event)
    return event.type == kind and event.text or nil
  end)
  return text ~= "" and text or nil
end

M.stops = lists.set "stop tool_calls function_call eos eos_token STOP end_turn tool_use" -- as servers say it

--- The reason for the end of a choice: with calls "stop" becomes "tool_calls", and "length" if a call was cut off and must not be run; with
-- a refusal "stop" becomes "content_filter". `choice`: its `count` of calls, `cut`, `refused`.
function M.reason(reason, choice)
  if choice.count > 0 and reason ~= "content_filter" and (choice.cut or M.stops[reason]) then
    return choice.cut and "length" or "tool_calls"
  end
  return reason == "stop" and choice.refused and "content_filter" or reason
end

return M
