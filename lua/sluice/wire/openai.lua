--- OpenAI Chat Completions: `chat.completion.chunk` objects as server-sent events, or one `chat.completion`. Also sent by
-- vLLM, SGLang, llama.cpp, Ollama's /v1, OpenRouter and many more. `text_completion` is decoded too.
-- Source: https://platform.openai.com/docs/api-reference/chat

local core = require "sluice.core"
local read = require "sluice.wire.read"
local json = core.json

local M = { framing = "sse" }

local object, text, count, others = read.object, read.text, read.count, read.others

-- Members of every chunk, which are repeated; others are sent once.
local in_every = { id = true, object = true, created = true, model = true, system_fingerprint = true, service_tier = true }
local in_chunk = { choices = true, usage = true, object = true }
local in_envelope = { choices = true, usage = true }
for key in pairs(in_every) do
  in_envelope[key] = true
end
local in_choice = { index = true, delta = true, message = true, text = true, finish_reason = true }
local in_delta = { role = true, content = true, reasoning_content = true, reasoning = true, tool_calls = true }

-- Content is text, or a list of parts (Mistral).
local function content(decoder, choice, value, to)
  if text(value) then
    decoder[to](decoder, choice, value)
  elseif json.kind(value) == "array" then
    for _, part in ipairs(value) do
      if object(part) then
        content(decoder, choice, part.text, to)
        content(decoder, choice, part.thinking, "reasoning")
      end
    end
  end
end

local function delta(decoder, choice, from)
  content(decoder, choice, text(from.reasoning_content) or from.reasoning, "reasoning")
  content(decoder, choice, from.content, "text")
  for i, call in ipairs(read.list(from.tool_calls)) do
    local f = object(call) and object(call["function"])
    if f then
      decoder:call(choice, count(call.index) or i - 1, { id = text(call.id), name = text(f.name),
        arguments = read.arguments(f.arguments) })
    end
  end
  if not decoder.same then -- other formats have no member for these
    content(decoder, choice, from.refusal, "refusal")
    local f = object(from.function_call)
    if f then
      decoder:call(choice, "function_call", { name = text(f.name), arguments = read.arguments(f.arguments) })
    end
  end
  return others(from, in_delta)
end

-- Passes on the members around the choices of a chunk, if they differ from the previous ones.
local function envelope(decoder, from)
  local again = json.object()
  for _, key in ipairs { "system_fingerprint", "service_tier" } do
    again[key] = from[key]
  end
  local event = { id = text(from.id), model = text(from.model), created = count(from.created), again = again,
    fields = others(from, in_envelope) }
  local mark = ("%s\n%s\n%s\n%s"):format(tostring(event.id), tostring(event.model), tostring(event.created), json.encode(again))
  if mark ~= decoder.mark or event.fields then
    decoder.mark = mark
    decoder:envelope(event)
  end
end

-- raw: the frame, if it has nothing else. beside: it also has choices.
local function used(decoder, from, raw, beside)
  local usage = object(from.usage)
  if usage then
    decoder:usage { input = count(usage.prompt_tokens), output = count(usage.completion_tokens), fields = usage, raw = raw,
      beside = beside }
  end
end

local function chunk(decoder, from, raw)
  local completion = from.object == "text_completion"
  decoder:message { id = text(from.id), model = text(from.model), created = count(from.created), fields = others(from, in_chunk),
    completion = decoder.same and completion or nil }
  if decoder.same and completion then -- has no place for calls and reasoning, so it stays unchanged
    decoder:other(raw)
  elseif decoder.same and #from.choices == 0 then
    if not object(from.usage) then
      decoder:other(raw)
    end
    used(decoder, from, raw)
    return
  elseif decoder.same then
    envelope(decoder, from)
    used(decoder, from, nil, true)
  elseif from.error ~= nil and from.error ~= json.null then
    decoder:other("", read.problem(from) or "an error in the answer: " .. json.encode(from.error):sub(1, 200))
  end
  for _, c in ipairs(from.choices) do
    if object(c) then
      local choice = (count(c.index) or 0) + 1
      local message = object(c.delta) or object(c.message)
      local beside = others(c, in_choice)
      local rest = message and delta(decoder, choice, message)
      if rest then
        beside = beside or json.object()
        beside.delta = rest
      end
      content(decoder, choice, c.text, "text")
      if beside then
        decoder:beside(choice, beside)
      end
      if text(c.finish_reason) then
        decoder:ended(choice, c.finish_reason == "function_call" and not decoder.same and "tool_calls" or c.finish_reason)
      end
    end
  end
  if not decoder.same then
    used(decoder, from)
  end
end

--- Decodes one frame.
function M.decode(decoder, raw, data)
  if data:find "^%s*%[DONE%]%s*$" then
    decoder:done()
    return
  end
  local from = read.decode(data)
  if from and json.kind(from.choices) == "array" then
    chunk(decoder, from, raw)
  else
    decoder:other(raw, read.problem(from)
      or (from and "a frame that is not a completion chunk: " or "a frame that is not a JSON object: ") .. data:sub(1, 200))
  end
end

--- Decodes the body of an answer that was not streamed.
function M.decode_body(decoder, body)
  M.decode(decoder, body, body)
  if decoder.known then
    decoder:done()
  end
end

--- See wire.body.
function M.rewrite(body, parse)
  local from = read.decode(body)
  if not from or json.kind(from.choices) ~= "array" then
    return nil, "the body is not a chat.completion"
  end
  local changed = false
  for i, choice in ipairs(from.choices) do
    local message = object(choice) and object(choice.message)
    if message and text(message.content) then
      local result = parse(i, message.content)
      if result.content ~= message.content then
        changed = true
        choice.finish_reason = read.reason(choice.finish_reason,
          read.merge(message, result, json.null, "reasoning_content", function(call)
            return read.function_call(call, call.status == "incomplete" and call.arguments:sub(1, -2) or nil)
          end))
      end
    end
  end
  return changed and json.encode(from) or body
end

-- ---- Encoding ----------------------------------------------------------------------------------------------------------

local ways = {} -- by event

-- A frame around the JSON text of a list of choices, with pending members that are sent once.
local function frame(state, choices)
  if not state.head then
    ways.message(state, {})
  end
  local once = {}
  if state.once then
    for _, key in ipairs(json.keys(state.once)) do
      once[#once + 1] = ("," .. json.encode(key) .. ":" .. json.encode(state.once[key]))
    end
    state.once = nil
  end
  return ("data: %s,\"choices\":[%s]%s}\n\n"):format(state.head, choices, table.concat(once))
end

-- A frame with one delta. `members`: its JSON text without braces; the first of a choice carries the role.
local function delta_frame(state, event, members, reason, beside)
  if state.completion then -- its frames pass unchanged
    return ""
  end
  local choice = event.choice or 1
  if not state.begun[choice] then
    state.begun[choice] = true
    local role = '"role":"assistant"' .. (members:find '^"content"' and "" or ',"content":null')
    members = role .. (members ~= "" and "," .. members or "")
  end
  return frame(state, ('{"index":%d,"delta":{%s}%s,"finish_reason":%s}'):format(choice - 1, members, beside or "",
    reason and json.encode(reason) or "null"))
end

function ways.text(state, event)
  return delta_frame(state, event, '"content":' .. json.encode(event.text))
end

function ways.reasoning(state, event)
  return delta_frame(state, event, '"reasoning_content":' .. json.encode(event.text))
end

function ways.call_begin(state, event)
  return delta_frame(state, event, ('"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]')
    :format(event.index - 1, json.encode(event.id or core.new_id()), json.encode(event.name)))
end

local function arguments(state, event, piece)
  return piece == "" and "" or delta_frame(state, event, ('"tool_calls":[{"index":%d,"function":{"arguments":%s}}]')
    :format(event.index - 1, json.encode(piece)))
end

-- The last brace waits for the end of its call: what a client gets of an incomplete one does not parse.
function ways.arguments(state, event)
  local key = (event.choice or 1) .. ":" .. event.index
  local piece = (state.held[key] or "") .. event.text
  state.held[key] = piece:match "}?$"
  return arguments(state, event, piece:sub(1, -1 - #state.held[key]))
end

function ways.call_end(state, event)
  local held = state.held[(event.choice or 1) .. ":" .. event.index]
  return event.status ~= "incomplete" and held and arguments(state, event, held) or ""
end

function ways.finish(state, event)
  return delta_frame(state, event, "", event.reason)
end

-- Stores the members of every chunk: id, object, created, model, and others that the server sent.
function ways.message(state, event)
  local options = state.options
  state.completion = event.completion and event.from == "openai"
  state.id = event.id or state.id or options.id or "chatcmpl-" .. core.new_id():gsub("^call_", "")
  state.created = event.created or state.created or options.created or (core.now())
  local members = { { "id", state.id }, { "object", "chat.completion.chunk" }, { "created", state.created },
    { "model", event.model or options.model or "" } }
  local more = event.again or event.from == "openai" and event.fields
  for _, key in ipairs(more and json.keys(more) or {}) do
    if key ~= "id" and key ~= "created" and key ~= "model" and key ~= "object" then
      members[#members + 1] = { key, more[key] }
    end
  end
  state.head = json.encode(json.object(members)):sub(1, -2)
  return ""
end

local function say_once(state, key, value)
  state.once = state.once or json.object()
  state.once[key] = value
end

function ways.envelope(state, event)
  if event.from ~= "openai" then
    return ""
  end
  ways.message(state, event)
  for _, key in ipairs(event.fields and json.keys(event.fields) or {}) do
    say_once(state, key, event.fields[key])
  end
  return ""
end

function ways.usage(state, event)
  local usage = event.from == "openai" and event.fields
  if usage and event.raw then
    return ways.last(state) .. event.raw
  elseif usage and event.beside then -- sent with every chunk
    say_once(state, "usage", usage)
    return ""
  end
  if not usage then
    local input, output = event.input or 0, event.output or 0
    usage = json.object { { "prompt_tokens", input }, { "completion_tokens", output }, { "total_tokens", input + output } }
  end
  say_once(state, "usage", usage)
  return frame(state, "")
end

--- Sends pending members if no frame could carry them.
function ways.last(state)
  return state.once and not state.completion and frame(state, "") or ""
end

function ways.other(state, event)
  if event.from ~= "openai" then -- errors are passed on from every format
    return event.message and ("data: %s\n\n"):format(json.encode(json.object { { "error",
      json.object { { "message", event.message }, { "type", "bad_response" } } } })) or ""
  elseif event.raw then
    return event.raw
  end
  local members, beside = "", {}
  for _, key in ipairs(json.keys(event.fields)) do
    if key == "delta" then
      members = json.encode(event.fields.delta):sub(2, -2)
    else
      beside[#beside + 1] = ("," .. json.encode(key) .. ":" .. json.encode(event.fields[key]))
    end
  end
  return delta_frame(state, event, members, nil, table.concat(beside))
end

function ways.done(state)
  return ways.last(state) .. "data: [DONE]\n\n"
end

--- The encoder's function for each type of event, and its state: see wire.encoder.
function M.encoder(options)
  return ways, { options = options, begun = {}, held = {} }
end

return M
