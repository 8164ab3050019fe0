--- Anthropic Messages: named server-sent events, or one `message`.
-- Source: https://docs.anthropic.com/en/api/messages-streaming

local core = require "sluice.core"
local lists = require "sluice.lists"
local read = require "sluice.wire.read"
local streams = require "sluice.stream"
local json = core.json

local M = { framing = "sse" }

local reasons = { end_turn = "stop", stop_sequence = "stop", max_tokens = "length", tool_use = "tool_calls",
  refusal = "content_filter", model_context_window_exceeded = "length" }
local stop_reasons = { stop = "end_turn", length = "max_tokens", tool_calls = "tool_use", content_filter = "refusal" }

-- The stop reason for the end of a choice; `own`: the server's word, which stays if it says the same.
local function stop_reason(reason, own)
  return (reasons[own or ""] or own) == reason and own or stop_reasons[reason] or read.stops[reason] and "end_turn" or reason
end

local object, text, count, others = read.object, read.text, read.count, read.others

local in_call = lists.set "type id name input"

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

local says = { text = "text", thinking = "reasoning" } -- by the kind of a block: what its text is

-- Decodes the text of a block, or a part of it. Returns true if its kind is known.
local function say(decoder, kind, from)
  if says[kind or ""] and text(from[kind]) then
    decoder[says[kind]](decoder, 1, from[kind])
  end
  return says[kind or ""] ~= nil
end

-- Decodes the beginning of a content block, or a whole one. Returns true if its kind is known.
local function block(decoder, key, from)
  if from.type ~= "tool_use" then
    return say(decoder, from.type, from)
  end
  local empty = object(from.input) and #json.keys(from.input) == 0 -- the arguments follow
  decoder:call(1, key, { id = text(from.id), name = text(from.name), fields = others(from, in_call),
    arguments = not empty and read.arguments(from.input) or nil })
  return true
end

local events = {}

function events.message_start(decoder, from)
  local message = object(from.message) or json.object()
  decoder:message { id = text(message.id), model = text(message.model), fields = message }
  decoder.input = object(message.usage) and input_of(message.usage)
  return true
end

-- Blocks of an unknown kind are passed on unchanged; decoder.foreign: their numbers.
function events.content_block_start(decoder, from)
  local content, number = object(from.content_block), count(from.index) or 0
  local ours = content and block(decoder, number, content) or false
  decoder.foreign[number] = not ours
  return ours or decoder:beside(1)
end

function events.content_block_delta(decoder, from)
  local delta = object(from.delta) or json.object()
  if decoder.foreign[count(from.index) or 0] then
    return false
  elseif delta.type == "input_json_delta" then
    decoder:call(1, count(from.index) or 0, { arguments = text(delta.partial_json) })
    return true
  end
  return say(decoder, tostring(delta.type):match "^(%l+)_delta$", delta) or decoder:beside(1)
end

function events.content_block_stop(decoder, from)
  decoder:end_call(1, count(from.index) or 0)
  return not decoder.foreign[count(from.index) or 0]
end

function events.message_delta(decoder, from)
  local delta = object(from.delta) or json.object()
  if text(delta.stop_reason) then
    decoder:ended(1, reasons[delta.stop_reason] or delta.stop_reason)
  end
  usage(decoder, from.usage)
  return true
end

function events.message_stop(decoder)
  decoder:done()
  return true
end

-- Puts what is parsed of the texts of a message in their place.
local function rewrite(from, make)
  local content, called, cut = json.array(), false, false
  for i, part in ipairs(from.content) do
    local said = object(part) and part.type == "text" and text(part.text)
    local result = said and streams.whole(make(i), said) or { content = said, calls = {} }
    if result.reasoning then
      content[#content + 1] = json.object { { "type", "thinking" }, { "thinking", result.reasoning }, { "signature", "" } }
    end
    if said and result.content then
      part.text = result.content
    end
    if not said or result.content then
      content[#content + 1] = part
    end
    for _, call in ipairs(result.calls) do
      called, cut = true, cut or call.status == "incomplete"
      content[#content + 1] = json.object { { "type", "tool_use" }, { "id", call.id }, { "name", call.name },
        { "input", read.json(call.arguments) } }
    end
  end
  from.stop_reason = stop_reason(read.reason(reasons[from.stop_reason] or from.stop_reason, { count = called and 1 or 0, cut = cut }),
    from.stop_reason)
  from.content = content
end

-- A body: one message, as the events of a stream.
local function message_of(decoder, from)
  events.message_start(decoder, json.object { { "message", from } })
  for i, content in ipairs(from.content) do
    local at = json.object { { "index", i - 1 }, { "content_block", content } }
    events.content_block_start(decoder, at)
    events.content_block_stop(decoder, at)
  end
  events.message_delta(decoder, json.object { { "delta", json.object { { "stop_reason", text(from.stop_reason) or "end_turn" } } },
    { "usage", from.usage } })
end

function M.decode(decoder, from, _, whole)
  decoder.foreign = decoder.foreign or {}
  if not from or from.type == "error" or whole and json.kind(from.content) ~= "array" or not whole and type(from.type) ~= "string" then
    return nil
  elseif not whole then
    return events[from.type] ~= nil and events[from.type](decoder, from)
  elseif decoder.same then
    decoder.known = true
    rewrite(from, decoder.make)
  else
    message_of(decoder, from)
  end
  return true
end

function M.framed(data, from)
  return ("event: %s\ndata: %s\n\n"):format(from.type, data)
end

local function frame(name, members)
  table.insert(members, 1, { "type", name })
  local from = json.object(members)
  return M.framed(json.encode(from), from)
end

local ways = {}

-- Ends the open block of text or thinking: state.open, its number in state.at.
local function close(state)
  local open = state.open
  state.open = nil
  return open and frame("content_block_stop", { { "index", state.at } }) or ""
end

-- Begins a block: returns the frames before it, and its index.
local function begin(state, kind, members)
  local before = close(state) .. (state.started and "" or ways.message(state, {}))
  state.at = state.blocks
  state.blocks = state.blocks + 1
  table.insert(members, 1, { "type", kind })
  return before .. frame("content_block_start", { { "index", state.at }, { "content_block", json.object(members) } })
end

local function delta(index, kind, key, value)
  return frame("content_block_delta", { { "index", index }, { "delta", json.object { { "type", kind }, { key, value } } } })
end

-- Begins a block of text or thinking.
local function begin_said(state, kind, signature)
  local out = begin(state, kind, { { kind, "" }, kind == "thinking" and { "signature", signature or "" } or nil })
  state.open = kind
  return out
end

-- A piece of text or thinking, in the open block or a new one. The API refuses a block of white space: it waits for more.
local function piece(state, kind, event)
  local before, said = "", (kind == "text" and state.white or "") .. event.text
  if kind == "text" then
    state.white = state.open ~= kind and not said:find "%S" and said or nil
  end
  if kind == "text" and state.white then
    return ""
  elseif state.open ~= kind then
    before = begin_said(state, kind)
  end
  return before .. delta(state.at, kind .. "_delta", kind, said)
end

for kind, way in pairs(says) do
  ways[way] = function(state, event)
    return piece(state, kind, event)
  end
end

function ways.call_begin(state, event)
  local out = begin(state, "tool_use", read.with_fields({ { "id", event.id or core.new_id() }, { "name", event.name },
    { "input", json.object() } }, event))
  state.calls[event.index] = state.at
  return out
end

-- `own`: the server sent them so.
function ways.arguments(state, event, own)
  local more = own and event.text or read.sendable(state, event)
  return more ~= "" and delta(state.calls[event.index], "input_json_delta", "partial_json", more) or ""
end

function ways.call_end(state, event)
  return ways.arguments(state, event) .. frame("content_block_stop", { { "index", state.calls[event.index] } })
end

-- The last two events wait for the token counts, which other formats send last.
function ways.done(state)
  return (state.started and "" or ways.message(state, {})) .. close(state)
    .. frame("message_delta", { { "delta", json.object { { "stop_reason", stop_reason(state.reason) or json.null },
      { "stop_sequence", json.null } } },
      { "usage", json.object { { "input_tokens", state.input or 0 }, { "output_tokens", state.output or 0 } } } })
    .. frame("message_stop", {})
end

function ways.message(state, event)
  local options = state.options
  state.started = true
  return frame("message_start", { { "message", json.object {
    { "id", event.id or options.id or "msg_" .. core.new_id():gsub("^call_", "") }, { "type", "message" },
    { "role", "assistant" }, { "model", event.model or options.model or "" }, { "content", json.array() },
    { "stop_reason", json.null }, { "stop_sequence", json.null },
    { "usage", json.object { { "input_tokens", state.input or 0 }, { "output_tokens", 0 } } } } } })
end

function ways.problem(_, message)
  return frame("error", { { "error", json.object { { "type", "api_error" }, { "message", message } } } })
end

read.waits(ways)

local parts = lists.set "text reasoning call_begin arguments call_end"

-- Blocks are numbered anew.
function M.pass(state, from, list, known)
  local out, own = {}, object(from.delta) and from.delta.type == "input_json_delta"
  state.started = state.started or from.type == "message_start"
  local thinks = from.type == "content_block_start" and object(from.content_block)
  if thinks and thinks.type == "thinking" then -- it may have no text, but a signature
    out[1] = begin_said(state, "thinking", text(thinks.signature))
  end
  for _, event in ipairs(list) do
    if parts[event.type] then
      out[#out + 1] = ways[event.type](state, event, own)
    elseif event.type == "finish" then
      out[#out + 1] = close(state)
      from.delta.stop_reason = stop_reason(event.reason, from.delta.stop_reason)
    end
  end
  local of_block = tostring(from.type):find "^content_block_"
  if of_block and not known then
    if from.type == "content_block_start" then
      out[#out + 1] = close(state)
      state.foreign[tostring(from.index)] = state.blocks
      state.blocks = state.blocks + 1
    end
    from.index = state.foreign[tostring(from.index)] or state.at or from.index
  end
  return table.concat(out), of_block and known
end

function M.encoder(options)
  return ways, { options = options, blocks = 0, calls = {}, foreign = {}, held = {} }
end

return M
