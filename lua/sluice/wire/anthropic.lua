--- Anthropic Messages: named server-sent events, or one `message`.
-- Source: https://docs.anthropic.com/en/api/messages-streaming

local core = require "sluice.core"
local read = require "sluice.wire.read"
local json = core.json

local M = { framing = "sse" }

local reasons = { end_turn = "stop", stop_sequence = "stop", max_tokens = "length", tool_use = "tool_calls",
  refusal = "content_filter" }
local stop_reasons = { stop = "end_turn", length = "max_tokens", tool_calls = "tool_use", content_filter = "refusal" }

local object, text, count, others = read.object, read.text, read.count, read.others

local in_call = { type = true, id = true, name = true, input = true }

-- The tokens of the prompt; Anthropic counts cached ones separately.
local function input_of(from)
  local input = count(from.input_tokens)
  return input and input + (count(from.cache_creation_input_tokens) or 0) + (count(from.cache_read_input_tokens) or 0)
end

-- The message's start counts the prompt's tokens, its end the answer's.
local function usage(decoder, from)
  from = object(from)
  if from then
    decoder:usage { input = input_of(from) or decoder.input, output = count(from.output_tokens), fields = from }
  end
end

-- Decodes the beginning of a content block, or a whole one. Returns true if its kind is known.
local function block(decoder, key, from)
  if from.type == "text" then
    if text(from.text) then
      decoder:text(1, from.text)
    end
  elseif from.type == "thinking" then
    if text(from.thinking) then
      decoder:reasoning(1, from.thinking)
    end
  elseif from.type == "tool_use" then
    local empty = object(from.input) and #json.keys(from.input) == 0 -- the arguments follow
    decoder:call(1, key, { id = text(from.id), name = text(from.name), fields = others(from, in_call),
      arguments = not empty and read.arguments(from.input) or nil })
  else
    return false
  end
  return true
end

local events = {}

function events.message_start(decoder, from)
  local message = object(from.message) or json.object()
  decoder:message { id = text(message.id), model = text(message.model), fields = message }
  decoder.input = object(message.usage) and input_of(message.usage)
  return true
end

-- Blocks of an unknown kind, by number: passed on unchanged.
local function foreign(decoder)
  decoder.foreign = decoder.foreign or {}
  return decoder.foreign
end

function events.content_block_start(decoder, from)
  local content, number = object(from.content_block), count(from.index) or 0
  local ours = content and block(decoder, number, content) or false
  foreign(decoder)[number] = not ours
  return ours
end

function events.content_block_delta(decoder, from)
  local delta = object(from.delta) or json.object()
  if foreign(decoder)[count(from.index) or 0] then
    return false
  elseif delta.type == "text_delta" and text(delta.text) then
    decoder:text(1, delta.text)
  elseif delta.type == "thinking_delta" and text(delta.thinking) then
    decoder:reasoning(1, delta.thinking)
  elseif delta.type == "input_json_delta" then
    decoder:call(1, count(from.index) or 0, { arguments = text(delta.partial_json) })
  else
    return delta.type == "text_delta" or delta.type == "thinking_delta"
  end
  return true
end

function events.content_block_stop(decoder, from)
  decoder:end_call(1, count(from.index) or 0)
  return not foreign(decoder)[count(from.index) or 0]
end

function events.message_delta(decoder, from)
  local delta = object(from.delta) or json.object()
  if text(delta.stop_reason) then
    decoder:ended(1, reasons[delta.stop_reason] or delta.stop_reason, from)
  end
  usage(decoder, from.usage)
  return true
end

function events.message_stop(decoder)
  decoder:done()
  return true
end

--- Decodes one frame.
function M.decode(decoder, raw, data)
  local from = read.decode(data)
  if not from then
    decoder:other(raw, "a frame that is not a JSON object: " .. data:sub(1, 200))
  elseif from.type == "error" then
    decoder:other(raw, read.problem(from) or "an error instead of an answer: " .. data:sub(1, 200))
  elseif type(from.type) ~= "string" then
    decoder:other(raw, "a frame that is not a message event: " .. data:sub(1, 200))
  elseif not events[from.type] then
    decoder:other(raw) -- "ping", and unknown events
  elseif not events[from.type](decoder, from) then
    decoder:beside(1, from) -- an unknown kind of content
  end
end

--- Decodes the body of an answer that was not streamed.
function M.decode_body(decoder, body)
  local from = read.decode(body)
  if not from or json.kind(from.content) ~= "array" then
    decoder:other(body, read.problem(from)
      or (from and "a body that is not a message: " or "a body that is not a JSON object: ") .. body:sub(1, 200))
    return
  end
  decoder:message { id = text(from.id), model = text(from.model), fields = from }
  for i, content in ipairs(from.content) do
    if object(content) and block(decoder, i - 1, content) then
      decoder:end_call(1, i - 1)
    elseif object(content) then
      decoder:beside(1, json.object { { "type", "content_block_start" }, { "index", i - 1 }, { "content_block", content } })
      decoder:beside(1, json.object { { "type", "content_block_stop" }, { "index", i - 1 } })
    end
  end
  local delta = json.object { { "stop_reason", from.stop_reason }, { "stop_sequence", from.stop_sequence or json.null } }
  delta.container = from.container
  decoder:ended(1, reasons[from.stop_reason] or text(from.stop_reason) or "stop", json.object { { "delta", delta } })
  usage(decoder, from.usage)
  decoder:done()
end

--- See wire.body.
function M.rewrite(body, parse)
  local from = read.decode(body)
  if not from or json.kind(from.content) ~= "array" then
    return nil, "the body is not a message"
  end
  local content, changed, called, cut = json.array(), false, false, false
  for i, part in ipairs(from.content) do
    local result = object(part) and part.type == "text" and text(part.text) and parse(i, part.text)
    if result and result.content ~= part.text then
      changed = true
      if result.reasoning then
        content[#content + 1] = json.object { { "type", "thinking" }, { "thinking", result.reasoning }, { "signature", "" } }
      end
      if result.content then
        part.text = result.content
        content[#content + 1] = part
      end
      for _, call in ipairs(result.calls) do
        called, cut = true, cut or call.status == "incomplete"
        content[#content + 1] = json.object { { "type", "tool_use" }, { "id", call.id }, { "name", call.name },
          { "input", read.json(call.arguments) } }
      end
    else
      content[#content + 1] = part
    end
  end
  if from.stop_reason == "end_turn" then
    from.stop_reason = stop_reasons[read.reason("stop", { count = called and 1 or 0, cut = cut })]
  end
  from.content = content
  return changed and json.encode(from) or body
end

-- ---- Encoding ----------------------------------------------------------------------------------------------------------

local Encoder = {}
Encoder.__index = Encoder

local function frame(name, members)
  table.insert(members, 1, { "type", name })
  return ("event: %s\ndata: %s\n\n"):format(name, json.encode(json.object(members)))
end

-- Ends the open block of text or thinking.
function Encoder:close()
  local open = self.open
  self.open = nil
  return open and frame("content_block_stop", { { "index", open.index } }) or ""
end

-- Begins a block: returns the frames before it, and its index.
function Encoder:begin(kind, members)
  local before = self:close()
  if not self.started then
    before = before .. self:message {}
  end
  local index = self.blocks
  self.blocks = index + 1
  table.insert(members, 1, { "type", kind })
  return before .. frame("content_block_start", { { "index", index }, { "content_block", json.object(members) } }), index
end

local function delta(index, kind, key, value)
  return frame("content_block_delta", { { "index", index }, { "delta", json.object { { "type", kind }, { key, value } } } })
end

-- A piece of text or thinking, in the open block or a new one.
function Encoder:piece(kind, event)
  local before = ""
  if not self.open or self.open.kind ~= kind then
    local index
    local members = { { kind, "" } }
    if kind == "thinking" then
      members[2] = { "signature", "" }
    end
    before, index = self:begin(kind, members)
    self.open = { kind = kind, index = index }
  end
  return before .. delta(self.open.index, kind .. "_delta", kind, event.text)
end

local ways = {}

function ways.text(self, event)
  return self:piece("text", event)
end

function ways.reasoning(self, event)
  return self:piece("thinking", event)
end

function ways.call_begin(self, event)
  local members = { { "id", event.id or core.new_id() }, { "name", event.name }, { "input", json.object() } }
  for _, key in ipairs(event.from == "anthropic" and event.fields and json.keys(event.fields) or {}) do
    members[#members + 1] = { key, event.fields[key] }
  end
  local out, index = self:begin("tool_use", members)
  self.calls[event.index] = index
  return out
end

function ways.arguments(self, event)
  return delta(self.calls[event.index], "input_json_delta", "partial_json", event.text)
end

function ways.call_end(self, event)
  return frame("content_block_stop", { { "index", self.calls[event.index] } })
end

function ways.finish(self, event)
  self.reason = event.reason
  self.said = event.from == "anthropic" and event.fields or nil
  return self:close()
end

function ways.usage(self, event)
  self.usage.input = event.input or self.usage.input
  self.usage.output = event.output or self.usage.output
  if event.from == "anthropic" then
    self.usage.fields = event.fields
  end
  return ""
end

-- The last two events wait for the token counts, which other formats send last.
function ways.done(self)
  self.ended = true
  local before = self.started and "" or self:message {}
  local used = self.usage.fields
    or json.object { { "input_tokens", self.usage.input }, { "output_tokens", self.usage.output } }
  local last, members = self.said and object(self.said.delta) or json.object(), {}
  -- use the event's own reason, unless the given stop_reason means the same
  last.stop_reason = reasons[last.stop_reason] == self.reason and last.stop_reason or stop_reasons[self.reason] or self.reason
    or json.null
  last.stop_sequence = last.stop_sequence or json.null
  members[1], members[2] = { "delta", last }, { "usage", used }
  for _, key in ipairs(self.said and json.keys(self.said) or {}) do
    if key ~= "type" and key ~= "delta" and key ~= "usage" then
      members[#members + 1] = { key, self.said[key] }
    end
  end
  return before .. frame("message_delta", members) .. frame("message_stop", {})
end

--- Ends an answer for which the server gave a reason but no end.
function ways.last(self)
  return self.reason and not self.ended and ways.done(self) or ""
end

function ways.other(self, event)
  if event.from ~= "anthropic" then
    return event.message and frame("error", { { "error", json.object { { "type", "api_error" }, { "message", event.message } } } })
      or ""
  elseif event.raw then
    return event.raw
  end
  -- content of another kind: unchanged except for the block's number
  local from, before = event.fields, ""
  if from.type == "content_block_start" then
    before = self:close()
    self.foreign[tostring(from.index)] = self.blocks
    self.blocks = self.blocks + 1
  end
  local index = self.foreign[tostring(from.index)] or self.open and self.open.index
  from.index = index or from.index
  return before .. ("event: %s\ndata: %s\n\n"):format(from.type, json.encode(from))
end

function ways.message(self, event)
  return self:message(event)
end

function Encoder:message(event)
  if self.started then
    return ""
  end
  self.started = true
  local options = self.options
  local message = event.from == "anthropic" and event.fields
  if not message then
    message = json.object { { "id", event.id or options.id or "msg_" .. core.new_id():gsub("^call_", "") }, { "type", "message" },
      { "role", "assistant" }, { "model", event.model or options.model or "" }, { "content", json.array() },
      { "stop_reason", json.null }, { "stop_sequence", json.null },
      { "usage", json.object { { "input_tokens", self.usage.input }, { "output_tokens", 0 } } } }
  elseif json.kind(message.content) == "array" and #message.content > 0 then
    message.content, message.stop_reason = json.array(), json.null -- from a whole message
  end
  return frame("message_start", { { "message", message } })
end

local first_choice = read.first_choice(ways)

--- The encoder's function for each type of event, and its state: see wire.encoder.
function M.encoder(options)
  return first_choice, setmetatable({ options = options, blocks = 0, calls = {}, foreign = {},
    usage = { input = 0, output = 0 } }, Encoder)
end

return M
