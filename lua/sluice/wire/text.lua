--- Formats without frames: text in; events as JSON Lines, or one result, out.

local collector = require("sluice.stream").collector
local json = require("sluice.core").json
local lists = require "sluice.lists"
local read = require "sluice.wire.read"

local M = {}

--- What splits the body: all of it is the model's text.
function M.frames(decoder)
  return {
    feed = function(_, bytes)
      decoder:message {}
      decoder:text(1, bytes)
    end,
    finish = function()
      decoder:message {}
      decoder:ended(1, "stop")
      decoder:done()
    end,
  }
end

-- An object on a line; members without a value are left out.
local function line(members)
  return json.encode(json.object(members), ", ", ": ") .. "\n"
end

-- An offset from 1, counted from 0.
local function from_0(offset)
  return offset and offset - 1
end

local function event_line(_, event)
  local members = { { "type", event.type }, { "choice", (event.choice or 1) > 1 and event.choice - 1 or nil },
    { "start", from_0(event.first) }, { "end", event.first and event.last }, { "index", from_0(event.index) } }
  for _, key in ipairs { "id", "name", "key", "code", "message", "text", "status", "valid", "syntax", "source" } do
    members[#members + 1] = { key, event[key] }
  end
  members[#members + 1] = { "extra", event.extra and read.json(event.extra) }
  return line(members)
end

local function result_line(number, result)
  local calls = json.array(lists.map(result.calls, function(call, i)
    local valid = call.valid
    if valid == nil then
      valid = json.null
    end
    return json.object { { "index", i - 1 }, { "name", call.name }, { "syntax", call.syntax },
      { "arguments", read.json(call.arguments) }, { "id", call.id }, { "status", call.status }, { "valid", valid },
      { "start", from_0(call.first) }, { "end", call.first and call.last }, { "source", call.source },
      { "extra", call.extra and read.json(call.extra) } }
  end))
  local errors = json.array(lists.map(result.errors, function(e)
    return json.object { { "code", e.code }, { "message", e.message }, { "offset", from_0(e.first) }, { "index", from_0(e.index) } }
  end))
  return line { { "choice", number > 1 and number - 1 or nil }, { "content", result.content or json.null },
    { "reasoning", result.reasoning or json.null }, { "calls", calls }, { "errors", errors } }
end

-- One message of Chat Completions, as in a conversation.
local function message_line(_, result)
  local calls = json.array(lists.map(result.calls, function(call)
    return json.object { { "id", call.id }, { "type", "function" },
      { "function", json.object { { "name", call.name },
        { "arguments", call.status == "incomplete" and call.arguments:sub(1, -2) or call.arguments } } } } -- does not parse
  end))
  return line { { "role", "assistant" }, { "content", result.content or json.null },
    { "reasoning_content", result.reasoning },
    { "tool_calls", calls[1] and calls } }
end

local replacement = "\239\191\189"

-- A text as JSON can have it, and the place of the first byte that was replaced, if any was.
local function sound(text)
  local said = text and text:find "[\128-\255]" and json.decode(json.encode(read.whole(text))) or text
  local at = said ~= text and said:find(replacement, 1, true)
  while at and text:sub(at, at + 2) == replacement do
    at = said:find(replacement, at + 3, true)
  end
  return said, at
end

-- Wraps a function that handles events: bytes of a text, name or id that JSON cannot have are replaced, which is reported once for each
-- choice, at the byte if the text is a piece of the source.
local function reporting(take)
  return function(state, event)
    local choice, changed, first, last = event.choice or 1, nil, event.first, event.last
    for _, key in ipairs { "text", "name", "id" } do
      local said, at = sound(event[key])
      if at then
        changed = changed or setmetatable({}, { __index = event })
        changed[key] = said
        local exact = key == "text" and first and last - first + 1 == #event.text
        first, last = exact and first + at - 1 or first, exact and first + at - 1 or last
      end
    end
    if changed and not state.reported[choice] then
      state.reported[choice] = true
      return take(state, { type = "error", code = "invalid_utf8", choice = choice, message = "invalid UTF-8 was replaced by U+FFFD",
        first = first, last = last }) .. take(state, changed)
    end
    return take(state, changed or event)
  end
end

-- An encoder's functions that handle all events of the stream, and complaints, with one function.
local function ways_of(take, last)
  local ways = { last = last }
  for _, kind in ipairs(require("sluice.options").events) do
    ways[kind] = reporting(take)
  end
  function ways.problem(state, message)
    return take(state, { type = "error", code = "bad_response", message = message })
  end
  return ways
end

local event_ways = ways_of(event_line)

local result_ways = ways_of(function(choices, event)
  local number = event.choice or 1
  if not choices[number] then
    choices[number] = collector()
    choices.numbers[#choices.numbers + 1] = number
  end
  choices[number](event)
  return ""
end, function(choices)
  local out = {}
  table.sort(choices.numbers)
  for i, number in ipairs(choices.numbers) do
    out[i] = choices.line(number, choices[number]())
  end
  return table.concat(out)
end)

--- Encoders of "events" (one line each, as `sluice parse -o events`), "result" and "openai-message" (one line per choice, as
-- `sluice parse`).
function M.encoder(_, to)
  if to == "events" then
    return event_ways, { reported = {} }
  end
  return result_ways, { [1] = collector(), numbers = { 1 }, reported = {}, line = to == "result" and result_line or message_line }
end

return M
