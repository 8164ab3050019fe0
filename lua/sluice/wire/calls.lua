--- Reads calls that a server parsed like the library's own: their arguments become one JSON object, whatever the server sent, and
-- call_end says if the call is valid.

local core = require "sluice.core"
local json = core.json

local M = {}

-- Markers around the arguments, of an internal format.
local OPENER, CLOSER = "\1call\2", "\3"
local LAST = "}" .. CLOSER

local plan
local function plan_of_calls()
  if not plan then
    local s = require("sluice.vocabulary").new { trusted = true }
    plan = require("sluice.compile.plan").plan(s.syntax { api = 3, name = "wire_calls", call = { OPENER, s.json(), CLOSER } })
  end
  return plan
end

local Call = {}
Call.__index = Call

-- Relays events about the arguments. Their offsets are dropped: no host has this text.
function Call:relay()
  for event in self.next, self.reader do
    if event.type == "call_end" then
      self.ended = event
    elseif event.type == "arguments" or event.type == "error" then
      self.put { type = event.type, text = event.text, code = event.code, message = event.message }
    end
  end
end

--- call:feed(text): feeds a part of the arguments.
function Call:feed(text)
  self.some = self.some or text:find "%S" ~= nil
  self.start = #self.start < 200 and self.start .. text:sub(1, 200) or self.start
  self.reader:feed(text)
  self.text = text -- borrowed, as in sluice.stream
  self:relay()
end

--- Are they a whole object?
function Call:is_whole()
  return self.some and self.reader:closing() == ""
end

--- call:finish() -> status, valid: ends the arguments.
function Call:finish()
  if not self.some then
    self:feed "{}"
  end
  local whole = self.reader:closing() == ""
  if whole then -- arguments that were cut off would swallow it
    self.reader:feed(LAST)
    self:relay()
  end
  self.reader:finish()
  self:relay()
  local ended = self.ended
  if not ended then -- an array, a number, or not JSON
    self.put { type = "error", code = "bad_arguments", message = "the arguments are not an object: " .. self.start:sub(1, 200) }
    self.put { type = "arguments", text = "{}" }
    return "incomplete", false
  end
  return whole and ended.status or "incomplete", ended.valid and whole
end

--- calls.new(stream, name, put): reads a call of this name that the server parsed. It shares the tools and options of the stream, if that
-- is one of sluice.stream. put(event) is called for its arguments and errors, without the call's index.
function M.new(stream, name, put)
  local reader = stream.raw and stream.raw:beside(plan_of_calls()) or assert(core.stream(plan_of_calls(), nil, { markup = true }))
  local self = setmetatable({ reader = reader, next = reader.next, put = put, start = "" }, Call)
  self.text = OPENER .. '{"name": ' .. json.encode(name) .. ', "arguments": '
  reader:feed(self.text)
  self:relay()
  return self
end

return M
