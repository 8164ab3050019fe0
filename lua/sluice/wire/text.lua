--- Formats without frames: text in; events as JSON Lines, or one result, out.

local collector = require("sluice.stream").collector
local json = require("sluice.core").json
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

-- An object as JSON text.
local function object(members)
  local out = {}
  for i, member in ipairs(members) do
    out[i] = '"' .. member[1] .. '": ' .. json.encode(member[2], ", ", ": ")
  end
  return "{" .. table.concat(out, ", ") .. "}"
end

local function line(members)
  return object(members) .. "\n"
end

-- A list of texts of JSON, as a value.
local function list(texts)
  return json.raw("[" .. table.concat(texts, ", ") .. "]")
end

local function event_line(event)
  local members = { { "type", event.type } }
  local function add(key, value)
    members[#members + 1] = value ~= nil and { key, value } or nil
  end
  add("choice", event.choice and event.choice > 1 and event.choice - 1 or nil)
  if event.first then
    add("start", event.first - 1)
    add("end", event.last)
  end
  add("index", event.index and event.index - 1)
  for _, key in ipairs { "id", "name", "key", "code", "message", "text", "status", "valid", "syntax", "source" } do
    add(key, event[key])
  end
  add("extra", event.extra and read.json(event.extra))
  return line(members)
end

local function result_line(number, result)
  local calls, errors = {}, {}
  for i, call in ipairs(result.calls) do
    local members = { { "index", i - 1 }, { "name", call.name } }
    members[#members + 1] = call.syntax and { "syntax", call.syntax } or nil
    for _, member in ipairs { { "arguments", read.json(call.arguments) }, { "id", call.id }, { "status", call.status },
      { "valid", call.valid == nil and json.null or call.valid } } do
      members[#members + 1] = member
    end
    if call.first then
      members[#members + 1] = { "start", call.first - 1 }
      members[#members + 1] = { "end", call.last }
    end
    members[#members + 1] = call.source and { "source", call.source } or nil
    members[#members + 1] = call.extra and { "extra", read.json(call.extra) } or nil
    calls[i] = object(members)
  end
  for i, e in ipairs(result.errors) do
    local members = { { "code", e.code }, { "message", e.message } }
    members[#members + 1] = e.first and { "offset", e.first - 1 } or nil
    members[#members + 1] = e.index and { "index", e.index - 1 } or nil
    errors[i] = object(members)
  end
  local members = { { "content", result.content or json.null }, { "reasoning", result.reasoning or json.null },
    { "calls", list(calls) }, { "errors", list(errors) } }
  if number > 1 then
    table.insert(members, 1, { "choice", number - 1 })
  end
  return line(members)
end

-- One message of Chat Completions, as in a conversation.
local function message_line(_, result)
  local members = { { "role", "assistant" }, { "content", result.content or json.null } }
  members[#members + 1] = result.reasoning and { "reasoning_content", result.reasoning } or nil
  local calls = json.array()
  for i, call in ipairs(result.calls) do
    calls[i] = json.object { { "id", call.id }, { "type", "function" },
      { "function", json.object { { "name", call.name }, { "arguments", call.arguments } } } }
  end
  members[#members + 1] = #calls > 0 and { "tool_calls", calls } or nil
  return line(members)
end

-- An encoder's functions that handle all events of the stream, and complaints, with one function.
local function ways_of(take, last)
  local ways = { last = last }
  for _, kind in ipairs(require("sluice.options").events) do
    ways[kind] = take
  end
  function ways.problem(state, message)
    return take(state, { type = "error", code = "bad_response", message = message })
  end
  return ways
end

local event_ways = ways_of(function(_, event)
  return event_line(event)
end)

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
    return event_ways
  end
  return result_ways, { [1] = collector(), numbers = { 1 }, line = to == "result" and result_line or message_line }
end

return M
