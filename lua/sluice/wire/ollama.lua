--- Ollama's /api/chat (and /api/generate, decoding only): one JSON object per line; each call is whole.
-- Source: https://github.com/ollama/ollama/blob/main/docs/api.md

local core = require "sluice.core"
local read = require "sluice.wire.read"
local json = core.json

local M = { framing = "lines" }

local object, text, count = read.object, read.text, read.count

function M.decode(decoder, from)
  local chat = from and object(from.message)
  local message = chat or from and type(from.response) == "string" and from
  if not message and not (from and from.done == true) then
    return nil
  end
  decoder:message { model = text(from.model), fields = from }
  if message and (chat or not decoder.same) then -- /api/generate has no place for calls, so it stays unchanged
    if text(message.thinking) then
      decoder:reasoning(1, message.thinking)
    end
    local content = text(message.content) or text(message.response)
    if content then
      decoder:text(1, content)
    end
    for _, call in ipairs(read.list(message.tool_calls)) do
      local f = object(call) and object(call["function"])
      if f then
        decoder.calls = (decoder.calls or 0) + 1
        decoder:call(1, decoder.calls, { id = text(call.id), name = text(f.name), arguments = read.arguments(f.arguments),
          fields = read.others(f, { name = true, arguments = true }) })
        decoder:end_call(1, decoder.calls)
      else
        decoder:strange(call)
      end
    end
  end
  if from.done == true then
    decoder:ended(1, text(from.done_reason) or "stop")
    local input, output = count(from.prompt_eval_count), count(from.eval_count)
    if input or output then
      decoder:usage { input = input, output = output, fields = from }
    end
    decoder:done()
  end
  return true
end

function M.framed(data) -- clients split lines at U+2028 and U+2029, too
  return (data:gsub("\226\128[\168\169]", { ["\226\128\168"] = "\\u2028", ["\226\128\169"] = "\\u2029" })) .. "\n"
end

local ways = {}

-- Collects a call. Returns it as an object for a message when it is whole; clients run every call, so not an incomplete one.
local function call_of(state, event)
  local call = state.calls[event.index]
  if event.type == "call_begin" then
    state.calls[event.index] = { name = event.name, id = event.id, fields = event.fields, pieces = {} }
  elseif event.type == "arguments" then
    call.pieces[#call.pieces + 1] = event.text
  elseif event.type == "call_end" and event.status ~= "incomplete" then
    local f = read.with_fields({ { "name", call.name }, { "arguments", read.json(table.concat(call.pieces)) } }, call)
    return json.object { { "id", call.id or event.id }, { "function", json.object(f) } }
  end
end

-- A line with this member of its message, followed by the members `done`.
local function line(state, key, value, done)
  local message = { { "role", "assistant" }, { "content", "" } }
  message[key == "content" and 2 or 3] = key and { key, value }
  local all = { { "model", state.model or state.options.model or "" }, { "created_at", (select(2, core.now())) },
    { "message", json.object(message) }, { "done", done ~= nil } }
  for _, member in ipairs(done or {}) do
    all[#all + 1] = member
  end
  return M.framed(json.encode(json.object(all)))
end

function ways.message(state, event)
  state.model = event.model
  return ""
end

for kind, key in pairs { text = "content", reasoning = "thinking" } do
  ways[kind] = function(state, event)
    return line(state, key, event.text)
  end
end

for _, kind in ipairs { "call_begin", "arguments", "call_end" } do
  ways[kind] = function(state, event)
    local call = call_of(state, event)
    return call and line(state, "tool_calls", json.array { call }) or ""
  end
end

-- The last line waits for the token counts, which other formats send last. Ollama's reason is "stop" after calls too.
function ways.done(state)
  return line(state, nil, nil, { { "done_reason", state.reason == "tool_calls" and "stop" or state.reason or json.null },
    { "prompt_eval_count", state.input }, { "eval_count", state.output } })
end

function ways.problem(_, message)
  return M.framed(json.encode(json.object { { "error", message } }))
end

read.waits(ways)

function M.pass(state, from, events)
  local calls, message = {}, object(from.message)
  for _, event in ipairs(events) do
    if event.type == "message" then
      state.model = event.model
    elseif event.type == "finish" and event.reason == "length" then -- a call was cut off
      from.done_reason = "length"
    elseif event.index then
      calls[#calls + 1] = call_of(state, event)
    end
  end
  if message then
    read.replace(message, "content", read.said(events, "text"), "")
    read.replace(message, "thinking", read.said(events, "reasoning"))
    read.replace(message, "tool_calls", read.beside_calls(calls[1] and json.array(calls), message.tool_calls))
  end
  return ""
end

function M.encoder(options)
  return ways, { options = options, calls = {} }
end

return M
