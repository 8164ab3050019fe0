--- Wire formats: converts the bodies of model servers to stream events and back.
--
--    local wire = require "sluice.wire"
--    local decoder = wire.decoder("openai", function() return sluice.stream("hermes", { tools = tools }) end)
--    for event in decoder:feed(bytes) do ... end     -- of the HTTP body, in any chunks
--    for event in decoder:finish() do ... end
--
--    local encoder = wire.encoder("openai", { model = "mine" })
--    io.write(encoder:add(event)) ... io.write(encoder:finish())
--
-- Formats: "openai" (Chat Completions; server-sent events), "anthropic" (Messages; server-sent events), "ollama" (chat; JSON
-- Lines); also "text" to decode, and "events", "result" and "openai-message" (one message of Chat Completions) to encode. A body that is
-- one JSON object, as servers send without streaming, is decoded too.
--
-- Besides a stream's events there are those of the wire: "message" (id, model, created, fields), "finish" (reason: "stop",
-- "length", "tool_calls", "content_filter", ...), "usage" (input, output), "done", and "other", anything that does not belong to the
-- answer (raw: its bytes, with a message if they are invalid). Every event has `choice`, from 1; a call's index and id are unique within
-- the choice. Offsets count bytes of the choice's text; events for reasoning and tool calls that the server parsed itself have none. feed
-- returns all events of its bytes at once.

local calls = require "sluice.wire.calls"
local core = require "sluice.core"
local frames = require "sluice.wire.frames"
local lists = require "sluice.lists"
local read = require "sluice.wire.read"
local stream_options = require "sluice.options"
local check_bytes = require("sluice.stream").check_bytes
local json = core.json

---@class sluice.wire
local M = {}

-- The module of each format: decode(decoder, from, data, whole) decodes a frame or a body (true: a part of an answer; false: something
-- else that servers send; nil: not of this format); framed(data, from) is a frame with this JSON text; pass(state, from, events, known)
-- puts what was parsed of a frame into it, and returns the frames before it, and if it is dropped; encoder(options, to) returns a function
-- for each type of event, and its state.
local decoders = { openai = "openai", anthropic = "anthropic", ollama = "ollama", text = "text" }
local encoders = { openai = "openai", anthropic = "anthropic", ollama = "ollama", events = "text", result = "text",
  ["openai-message"] = "text" }

-- The module of a format, by its name in one of the lists above. Raises where the host made the decoder or encoder.
local function format_of(name, list, what)
  if not list[name] then
    error(("there is no wire format '%s' to %s%s"):format(tostring(name), what, require("sluice.nearest")(tostring(name), list,
      "; the nearest is '%s'") or ""), 4)
  end
  return require("sluice.wire." .. list[name])
end

---@class sluice.wire.Decoder
local Decoder = {}
Decoder.__index = Decoder

-- Adds an event of a choice. A call that ends where bytes of the response are missing is in doubt, unless its arguments are whole.
function Decoder:put(choice, event, whole)
  event.choice, self.answered = choice.number, self.answered or event.type ~= "finish"
  if event.status and choice.lost and not whole and event.status ~= "incomplete" then
    self:put(choice, { type = "error", code = "unfinished_call", message = "a frame inside the call could not be read",
      index = event.index, first = event.first, last = event.last })
    event.status, event.valid = "incomplete", event.valid and false
  end
  local late = event.type == "error" and choice.ended[event.index] and event.index -- found out behind the call's end
    or event.status == "incomplete" and choice.cuts ~= event.index and event.index - 1 or 0
  for i = late > 0 and self.at or math.huge, #self.queue do -- in one frame it counts for the calls before it, as in a result
    local before = self.queue[i]
    if before.status and before.choice == choice.number and before.index <= late then
      before.status, before.valid = "incomplete", before.valid and false
    end
  end
  if event.status then
    choice.ended[event.index] = true
  elseif event.code == "unfinished_call" then
    choice.cuts = event.index -- the text ends inside it
  end
  choice.cut = choice.cut or event.status == "incomplete" or late > 0
  self.queue[#self.queue + 1] = event
end

-- The state of one choice, by its number from 1.
function Decoder:choice(number)
  local choice = self.choices[number]
  if not choice then
    local stream = self.make(number)
    if type(stream) ~= "table" or not (stream.feed and stream.finish) then
      error(("the stream factory returned a %s, not a stream"):format(type(stream)), 0)
    end
    choice = { number = number, stream = stream, calls = {}, order = {}, own = {}, ended = {}, count = 0, size = 0, moved = {} }
    self.choices[number] = choice
    self.numbers[#self.numbers + 1] = number
  end
  return choice
end

-- Relays events of the choice's stream; its calls are counted together with those that the server parsed.
function Decoder:relay(choice, events)
  for event in events do
    for _, key in ipairs(choice.moved) do
      event[key] = event[key] and event[key] + choice.base
    end
    if event.index then
      if not choice.own[event.index] then -- its begin, or an error before that
        choice.count = choice.count + 1
        choice.own[event.index] = choice.count
      end
      event.index = choice.own[event.index]
    end
    self:put(choice, event)
  end
end

-- Ends a part of the choice's text: what its stream holds comes out, and what follows is parsed separately.
function Decoder:part(choice)
  self:relay(choice, choice.stream:finish())
  choice.stream.raw:reset(true)
  choice.own, choice.base, choice.moved, choice.over = {}, choice.size, { "first", "last", "block_first" }, false
end

--- Wire formats use the functions below. decoder:beside(number): something of the server's own follows the text so far. Returns false.
function Decoder:beside(number)
  local choice = self:choice(number)
  local raw = not choice.over and choice.stream.raw
  if raw and select(4, raw:state()) then
    self:part(choice)
  end
  return false
end

--- decoder:text(number, text): raw text of the model. Servers may give a reason for the end of a choice in every frame.
function Decoder:text(number, text)
  local choice = self:choice(number)
  local late = choice.over and not (choice.lost or self.lost or self.over)
  if late and not choice.late then
    choice.late = true
    self:put(choice, { type = "error", code = "bad_response", message = "text after the end of its choice, which is not parsed with it" })
  end
  if late and choice.stream.raw and choice.stream:state() == "text" then -- in reasoning that is open it stays text
    self:part(choice)
  end
  if choice.over then
    self:put(choice, { type = "text", text = text })
  else
    choice.size = choice.size + #text
    self:relay(choice, choice.stream:feed(text))
  end
end

--- decoder:refusal(number, text): a refusal, if the server sends it as such.
function Decoder:refusal(number, text)
  self:choice(number).refused = true
  self:put(self.choices[number], { type = "text", text = text })
end

--- decoder:reasoning(number, text): reasoning that the server parsed; so the text does not start with it.
function Decoder:reasoning(number, text)
  local choice = self:choice(number)
  if choice.size == 0 and choice.stream.raw then
    choice.stream.raw:reset(true)
  end
  self:put(choice, { type = "reasoning", text = text })
end

--- decoder:call(number, key, part): a part { id, name, arguments } of a call that the server parsed; `key` identifies the call.
-- The call begins with its name. A part with a name begins another call if the call has ended or has another id
-- (some servers give every call the same number).
function Decoder:call(number, key, part)
  local choice = self:choice(number)
  for _, other in ipairs(part.name and choice.order or {}) do -- one whose arguments are whole ends where another call begins
    local one = choice.calls[other]
    if one.index and not one.over and one.reader:is_whole() and (other ~= key or not one.given and part.arguments) then
      self:end_call(number, other)
    end
  end
  local call = choice.calls[key]
  if call and call.over and not part.name then
    return self:other("", part.arguments and "part of a call that has ended")
  end
  if call and not call.over and part.name and part.id and call.given and part.id ~= call.given then
    self:end_call(number, key)
  end
  if not call or call.over then
    call = { pieces = {} }
    choice.calls[key] = call
    choice.order[#choice.order + 1] = key
  end
  call.given, call.name = call.given or part.id, call.name or part.name
  if part.arguments then
    call.pieces[#call.pieces + 1] = part.arguments
  end
  if call.name and not call.index then
    self:beside(number)
    choice.count = choice.count + 1
    call.index, call.id = choice.count, call.given or core.new_id()
    self:put(choice, { type = "call_begin", index = call.index, name = call.name, id = call.id,
      fields = self.same and part.fields or nil })
    call.reader = calls.new(choice.stream, call.name, function(event)
      event.index = call.index
      self:put(choice, event)
    end)
  end
  if call.index then
    for i, text in ipairs(call.pieces) do
      call.pieces[i] = nil
      call.reader:feed(text)
    end
  end
end

--- decoder:end_call(number, key): ends a call, also if the server did not.
function Decoder:end_call(number, key)
  local choice = self:choice(number)
  local call = choice.calls[key]
  if not call or call.over then
    return
  end
  call.over = true
  if not call.index then
    return self:other("", "a call without a name")
  end
  local whole, status, valid = call.reader:is_whole(), call.reader:finish()
  self:put(choice, { type = "call_end", index = call.index, id = call.given or call.id, status = status, valid = valid }, whole)
end

--- decoder:strange(call): a server's call that is not a function's. Only the same format has a place for it.
function Decoder:strange(call)
  self:other("", not self.same and "a call of another kind: " .. json.encode(call):sub(1, 200) or nil)
end

-- Ends the choice's text: relays the rest of its stream, and ends the server's calls.
function Decoder:close(choice)
  if not choice.over then
    choice.over, choice.lost = true, choice.lost or self.lost
    self:relay(choice, choice.stream:finish())
  end
  for _, key in ipairs(choice.order) do -- including those that began after the end
    self:end_call(choice.number, key)
  end
end

--- decoder:ended(number, reason): ends a choice.
function Decoder:ended(number, reason)
  local choice = self:choice(number)
  self:close(choice)
  self:put(choice, { type = "finish", reason = read.reason(reason, choice) })
end

--- decoder:message(event), decoder:usage(event), decoder:done(), decoder:other(raw, message): the other events.
function Decoder:message(event)
  if not self.known then
    self.known, event.type = true, "message"
    self.queue[#self.queue + 1] = event
  end
end

function Decoder:usage(event)
  event.type = "usage"
  self.queue[#self.queue + 1] = event
end

-- Closes all choices: what their streams hold comes out. `lost`: bytes of the response are missing here; what follows is text.
function Decoder:close_all(lost)
  self.lost = self.lost or lost
  for _, number in ipairs(self.numbers) do
    self:close(self.choices[number])
  end
end

function Decoder:done()
  self:close_all() -- those without a reason for their end
  self.queue[#self.queue + 1] = not self.over and { type = "done" } or nil -- proxies one behind the other each say it
  self.known, self.over = true, true
end

function Decoder:other(raw, message)
  self.problem = self.problem or message
  self.queue[#self.queue + 1] = (raw ~= "" or message) and { type = "other", from = self.from, raw = raw, message = message } or nil
end

-- The queue's events from this place on, which are taken from there.
local function taken(self, at)
  local events = {}
  for i = at, #self.queue do
    events[#events + 1], self.queue[i] = self.queue[i], nil
  end
  return events
end

-- Their bytes, if the encoder has the same format.
function Decoder:encoded(at)
  return lists.join(taken(self, at), function(event)
    return event.type ~= "done" and self.same:add(event) or nil
  end)
end

-- Closes all choices outside of a frame. `lacks`: the line ends that the last frame lacks.
function Decoder:break_off(lost, lacks)
  local at = #self.queue + 1
  self:close_all(lost)
  local held = self.same and self:encoded(at) or ""
  self:other(held ~= "" and lacks .. held or "")
end

-- Decodes a frame with this data (nil: it has none). whole: it is the body; last: the body ended before it did. If the encoder has the same
-- format, what was parsed takes the place of what the frame had, and everything else in it stays.
function Decoder:frame(raw, data, whole, last)
  local format, same, at = self.format, self.same, #self.queue + 1
  self.at = at
  local from = data and read.decode(data)
  local before = same and from and json.encode(from)
  local known = data and format.decode(self, from, data, whole)
  if data and known == nil then
    local problem = read.problem(from)
    local message = problem or ("a frame that is not %s: %s"):format(
      from and ("of the format '%s'"):format(self.from) or "a JSON object", data:sub(1, 200))
    local broken = not from and data:find "[{}]"
    if broken or problem then
      self:break_off(true, "")
    end
    if last and broken then -- a client cannot read it either
      message = "the response ends inside a frame: " .. data:sub(1, 200)
      raw = same and same.ways.problem(same.state, message) or raw
    end
    return self:other(raw, message)
  elseif whole then
    self:done()
  end
  if not same then
    return known or self:other(raw)
  end
  local first, dropped = "", false
  if before then
    first, dropped = format.pass(same.state, from, taken(self, at), known)
    local after = json.encode(from)
    raw = after == before and raw or whole and after or format.framed(after, from)
  end
  self:other(self:encoded(at) .. first .. (dropped and "" or raw))
end

local function drain(self)
  local queue, at = self.queue, 0
  self.queue = {}
  return function()
    at = at + 1
    return queue[at]
  end
end

local bom = "\239\187\191"

-- Feeds bytes of the body. Whether it is one JSON object or a stream is undecided while there is only white space, or a part of a byte
-- order mark; for lines, also behind the first brace: only a body has a line end there.
function Decoder:advance(bytes)
  local sse = self.format.framing == "sse"
  if self.body == nil then
    bytes = (self.first or "") .. bytes
    local text = bytes:sub(1, #bom) == bom and bytes:sub(#bom + 1) or bytes
    local first, behind = text:match "%S", text:match "^%s*{[ \t\r]*([^ \t\r]?)"
    local open = sse and not first or not sse and behind == ""
    if #bytes < #bom and bom:sub(1, #bytes) == bytes or open and #text <= 4096 then
      self.first = bytes
      return
    elseif not first and sse then -- empty lines keep a connection alive
      self.first = nil
      return self:other(bytes)
    end
    bytes, self.first, self.body = text, nil, behind and (sse or behind == "\n") and {} or false
  end
  self.start = #self.start < 200 and self.start .. bytes:sub(1, 200) or self.start
  if self.body then
    self.body[#self.body + 1] = bytes
  else
    self.frames:feed(bytes)
  end
end

-- Ends the body. What the streams held is written behind the last frame, so that one gets the line ends that it lacks.
function Decoder:close_body()
  local lacks = ""
  if self.first then
    self.frames:feed(self.first)
  end
  if self.body then
    local text = table.concat(self.body)
    self.body = false
    self:frame(text, text, true)
  else
    lacks = self.frames:finish()
  end
  self:break_off(false, lacks)
  if not (self.known or self.over or self.problem) then -- a proxy's page, a list, nothing
    self:other("", not self.start:find "%S" and "the response is empty" or "there is no response in the body: " .. self.start:sub(1, 200))
  end
end

--- decoder:feed(bytes): feeds bytes; returns an iterator over the new events.
---@param bytes string
---@return fun(): sluice.wire.Event? events
function Decoder:feed(bytes)
  check_bytes(bytes)
  self:advance(bytes)
  return drain(self)
end

--- decoder:finish(): ends the body; returns an iterator over the last events. If the body ended before the answer, there is no
-- "finish" and no "done".
---@return fun(): sluice.wire.Event? events
function Decoder:finish()
  self:close_body()
  return drain(self)
end

local function decoder_of(from, make)
  local format = format_of(from, decoders, "decode")
  if type(make) ~= "function" then
    error(("the stream factory must be a function, not a %s"):format(type(make)), 3)
  end
  local self = setmetatable({ from = from, format = format, make = make, queue = {}, choices = {}, numbers = {}, start = "" }, Decoder)
  if format.framing then
    self.frames = frames.new(format.framing, function(raw, data, last, problem)
      if problem then
        self:break_off(true, "")
      end
      self:frame(raw, data, false, last)
      self:other("", problem)
    end)
  else
    self.frames, self.body = format.frames(self), false
  end
  return self
end

---@class sluice.wire.Encoder
local Encoder = {}
Encoder.__index = Encoder

--- encoder:add(event): returns the bytes to send for an event.
---@param event sluice.wire.Event|sluice.Event
---@return string bytes
function Encoder:add(event)
  if type(event) ~= "table" then
    error(("the event must be a table, not a %s"):format(type(event)), 2)
  end
  local ways, kind = self.ways, event.type
  if kind == "other" then
    return event.from == self.to and event.raw or event.message and ways.problem(self.state, event.message) or ""
  elseif not ways[kind] or ways.one_answer and (event.choice or 1) ~= 1 then
    return ""
  end
  return ways[kind](self.state, event)
end

--- encoder:finish(): returns the last bytes.
---@return string bytes
function Encoder:finish()
  return self.ways.last and self.ways.last(self.state) or ""
end

local option_kinds = { from = "string", to = "string", stream = "function", id = "string", model = "string", created = "number" }

local function encoder_of(to, options)
  stream_options.check(options or {}, 4, option_kinds)
  local ways, state = format_of(to, encoders, "encode").encoder(options or {}, to)
  return setmetatable({ to = to, ways = ways, state = state }, Encoder)
end

--- wire.encoder(to[, options]): makes an encoder; encoder:add(event) and encoder:finish() return the bytes to send, or "".
-- Options, used unless a "message" event has them: id, model, created (seconds since 1970). "other" events from a decoder of
-- the same format pass unchanged; only "events" and "result" encode errors and markup.
---@param to "openai"|"anthropic"|"ollama"|"events"|"result"|"openai-message"
---@param options? sluice.wire.EncoderOptions
---@return sluice.wire.Encoder encoder
function M.encoder(to, options)
  return (encoder_of(to, options)) -- no tail call: the error names the caller
end

--- wire.decoder(from, make): makes a decoder of one response. make(number) returns a fresh stream (sluice.stream) for a choice;
-- choices count from 1. Raises if there is no such format.
---@param from "openai"|"anthropic"|"ollama"|"text"
---@param make fun(number: integer): sluice.Stream
---@return sluice.wire.Decoder decoder
function M.decoder(from, make)
  return (decoder_of(from, make))
end

--- wire.filter{ from =, to =, stream = make, ... }: makes a decoder and an encoder (with these options) in one: feed(bytes) and
-- finish() return bytes; held() returns the number of held bytes of text. If both formats are the same, a JSON response stays one, and each
-- frame keeps what it has beside the parsed text. After finish, `problem` says what was wrong with a body that has no answer.
---@param options sluice.wire.FilterOptions
---@return sluice.wire.Filter filter
function M.filter(options)
  stream_options.check(options, 3, option_kinds)
  local decoder, encoder = decoder_of(options.from, options.stream), encoder_of(options.to, options)
  decoder.same = options.from == options.to and encoder
  local replaced = options.from == "text" and encoders[options.to] ~= "text" -- only a server's escapes have halves of a character
  local function encoded()
    local out = {}
    for event in drain(decoder) do
      event.text = replaced and read.whole(event.text) or event.text
      out[#out + 1] = encoder:add(event)
    end
    return table.concat(out)
  end
  return {
    feed = function(_, bytes)
      check_bytes(bytes)
      decoder:advance(bytes)
      return encoded()
    end,
    finish = function(self)
      decoder:close_body()
      self.problem = not decoder.answered and decoder.problem or nil
      return encoded() .. encoder:finish()
    end,
    held = function()
      local held = 0
      for _, number in ipairs(decoder.numbers) do
        local choice = decoder.choices[number]
        held = held + (choice.over and 0 or select(3, choice.stream:state()))
      end
      return held
    end,
  }
end

return M
