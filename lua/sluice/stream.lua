--- Streams for Lua hosts, and collectors of their events: shared by the public module and the wire formats.

local core = require "sluice.core"

local M = {}

---@class sluice.Stream
local Stream = {}
Stream.__index = Stream

--- stream.check_bytes(bytes[, where]): raises, where a host called the function that calls this, if the bytes are not a string. `where`
-- begins the message.
function M.check_bytes(bytes, where)
  if type(bytes) ~= "string" then
    error(("%sthe bytes must be a string, not a %s"):format(where or "", type(bytes)), 3)
  end
end

-- An iterator over the available events.
local function events(self)
  return function()
    return (self.raw:next())
  end
end

--- stream:feed(bytes): feeds bytes; returns an iterator over the new events. Events not taken are returned by the next feed.
---@param bytes string
---@return fun(): sluice.Event? events
function Stream:feed(bytes)
  M.check_bytes(bytes, "stream:feed: ")
  self.raw:feed(bytes)
  self.bytes = bytes -- borrowed, not copied: keep them alive until they are read
  return events(self)
end

--- stream:feed_special(bytes): feeds one special token of the model: see the option `special`.
---@param bytes string one special token
---@return fun(): sluice.Event? events
function Stream:feed_special(bytes)
  M.check_bytes(bytes, "stream:feed_special: ")
  self.raw:feed(bytes, true)
  self.bytes = bytes
  return events(self)
end

--- stream:closing(): returns the text that completes the open call's arguments so far to one JSON object; "" if no call is open.
---@return string text
function Stream:closing()
  return self.raw:closing()
end

--- stream:counts(): returns how many calls have ended since the last reset, { valid, recovered, doubtful }, and `leaked`: 1 if markup
-- of the format was left in the text.
---@return { valid: integer, recovered: integer, doubtful: integer, leaked: integer } counts
function Stream:counts()
  local valid, recovered, doubtful, leaked = self.raw:counts()
  return { valid = valid, recovered = recovered, doubtful = doubtful, leaked = leaked }
end

--- stream:finish(): ends the response; returns an iterator over the last events.
---@return fun(): sluice.Event? events
function Stream:finish()
  self.raw:finish()
  return events(self)
end

--- stream:reset(): prepares the stream for the next response.
---@return sluice.Stream self
function Stream:reset()
  self.raw:reset()
  return self
end

--- stream:state() -> "text", "reasoning", "possible_block" or "call", the open call's name, the number of held bytes.
---@return "text"|"reasoning"|"possible_block"|"call" state
---@return string? name of the open call
---@return integer held bytes
function Stream:state()
  local state, name, held = self.raw:state()
  return state, name, held
end

--- stream.new(raw): wraps a stream of `sluice.core`.
function M.new(raw)
  return setmetatable({ raw = raw }, Stream)
end

--- stream.open(plan, tools, options): opens a stream with options that are already checked.
function M.open(plan, tools, options)
  return M.new(assert(core.stream(plan, tools, options)))
end

--- stream.collector(): gathers events. collector(event) adds one; collector() returns { content, reasoning, calls, errors } so far;
-- content and reasoning are nil if empty.
function M.collector()
  local content, reasoning = {}, {}
  local calls, errors = {}, {}
  local cut, doubted = false, 0 -- cut: the text ended inside the open call
  -- What is found out after the end of a call makes it and all before it doubtful.
  local function doubt(upto)
    for i = doubted + 1, upto do
      calls[i].status, calls[i].valid, doubted = "incomplete", calls[i].valid and false, i
    end
  end
  return function(event)
    if not event then
      return { content = #content > 0 and table.concat(content) or nil,
        reasoning = #reasoning > 0 and table.concat(reasoning) or nil, calls = calls, errors = errors }
    elseif event.type == "text" then
      content[#content + 1] = event.text
    elseif event.type == "reasoning" then
      reasoning[#reasoning + 1] = event.text
    elseif event.type == "call_begin" then
      cut = false
      calls[event.index] = { name = event.name, id = event.id, syntax = event.syntax, pieces = {} }
    elseif event.type == "arguments" then
      local pieces = calls[event.index].pieces
      pieces[#pieces + 1] = event.text
    elseif event.type == "call_end" then
      local call = calls[event.index]
      call.arguments, call.pieces = table.concat(call.pieces), nil
      call.id, call.status, call.valid, call.extra = event.id, event.status, event.valid, event.extra
      call.first, call.last, call.source = event.block_first, event.last, event.source
      if call.status == "incomplete" and not cut then
        doubt(event.index - 1)
      end
    elseif event.type == "error" then
      errors[#errors + 1] = { code = event.code, message = event.message, first = event.first, index = event.index }
      cut = cut or event.code == "unfinished_call"
      if event.index and calls[event.index] and calls[event.index].status then
        doubt(event.index)
      end
    end
  end
end

--- stream.whole(stream, text): parses a whole response; returns a collector's result.
function M.whole(stream, text)
  local collect = M.collector()
  for event in stream:feed(text) do
    collect(event)
  end
  for event in stream:finish() do
    collect(event)
  end
  return collect()
end

return M
