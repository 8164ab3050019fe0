--- OpenAI Chat Completions: `chat.completion.chunk` objects as server-sent events, or one `chat.completion`. Also sent by
-- vLLM, SGLang, llama.cpp, Ollama's /v1, OpenRouter and many more. `text_completion` is decoded too.
-- Source: https://platform.openai.com/docs/api-reference/chat

local core = require "sluice.core"
local lists = require "sluice.lists"
local read = require "sluice.wire.read"
local json = core.json

local M = { framing = "sse" }

local object, text, count = read.object, read.text, read.count

local in_call = lists.set "index id type function"

-- Content is text, or a list of parts (Mistral).
local function content(decoder, choice, value, to)
  if text(value) then
    decoder[to](decoder, choice, value)
  end
  for _, part in ipairs(read.list(value)) do
    content(decoder, choice, object(part) and part.text or part, to)
    content(decoder, choice, object(part) and part.thinking, "reasoning")
  end
end

local function is_strange_part(part)
  return object(part) and not (part.text or part.thinking) and part or nil
end

local function delta(decoder, choice, from)
  from.tool_calls = object(from.tool_calls) and json.array { from.tool_calls } or from.tool_calls -- TGI streams one without a list
  content(decoder, choice, text(from.reasoning_content) or from.reasoning, "reasoning")
  content(decoder, choice, from.content, "text")
  for i, call in ipairs(read.list(from.tool_calls)) do
    local f = object(call) and object(call["function"])
    if f then
      decoder:call(choice, count(call.index) or i - 1, { id = text(call.id), name = text(f.name),
        arguments = read.arguments(f.arguments), fields = read.others(call, in_call) })
    else
      decoder:strange(call)
    end
  end
  if not decoder.same then -- other formats have no member for these
    content(decoder, choice, from.refusal, "refusal")
    local f = object(from.function_call)
    if f then
      decoder:call(choice, "function_call", { name = text(f.name), arguments = read.arguments(f.arguments) })
    end
  end
end

-- Reports the server's error in a frame or a choice, if there is one. What is open in `lost` when its choice ends is in doubt.
local function trouble(decoder, from, lost)
  local problem = from.finish_reason == "error" and not (decoder.lost or lost.lost) and "the server ended the answer with an error"
  if from.error ~= nil and from.error ~= json.null then
    problem = read.problem(from) or "an error in the answer: " .. json.encode(from.error):sub(1, 200)
  end
  if problem then
    lost.lost = true
    decoder:other("", problem)
  end
end

function M.decode(decoder, from, data)
  if data:find "^%s*%[DONE%]%s*$" then
    decoder:done()
    return true
  elseif not from or json.kind(from.choices) ~= "array" and from.choices ~= json.null then
    return nil
  end
  local choices = read.list(from.choices) -- null: an empty list of Go
  if choices[1] or from.id ~= "" then -- the first chunk of Azure is of no message
    decoder:message { id = text(from.id), model = text(from.model), created = count(from.created), fields = from }
  end
  trouble(decoder, from, decoder)
  for _, c in ipairs(choices) do
    if object(c) then
      local choice = (count(c.index) or 0) + 1
      delta(decoder, choice, object(c.delta) or object(c.message) or json.object())
      if not decoder.same then -- a completion that is no chat has no place for calls
        content(decoder, choice, c.text, "text")
      end
      trouble(decoder, c, decoder:choice(choice))
      if text(c.finish_reason) then
        decoder:ended(choice, c.finish_reason == "function_call" and not decoder.same and "tool_calls" or c.finish_reason)
      end
    end
  end
  local usage = object(from.usage)
  if usage then
    decoder:usage { input = count(usage.prompt_tokens), output = count(usage.completion_tokens), fields = usage }
  end
  return true
end

function M.framed(data)
  return "data: " .. data .. "\n\n"
end

-- The members of a delta for these events of a choice; `whole`: of a message.
local function members_of(state, events, whole)
  local calls, by_index = {}, {}
  local function call(event, members, name)
    members[#members + 1] = { "function", json.object { { "name", name }, { "arguments", {} } } }
    if not whole then
      table.insert(members, 1, { "index", event.index - 1 })
    end
    calls[#calls + 1] = json.object(members)
    by_index[event.index] = calls[#calls]["function"].arguments
  end
  for _, event in ipairs(events) do
    local kind = event.type
    if kind == "call_begin" then
      call(event, read.with_fields({ { "id", event.id or core.new_id() }, { "type", "function" } }, event), event.name)
    elseif kind == "arguments" or kind == "call_end" then
      local piece = read.sendable(state, event)
      if piece ~= "" then
        if not by_index[event.index] then
          call(event, {})
        end
        table.insert(by_index[event.index], piece)
      end
    end
  end
  for _, one in ipairs(calls) do
    one["function"].arguments = table.concat(one["function"].arguments)
  end
  return { content = read.said(events, "text"), reasoning_content = read.said(events, "reasoning"),
    tool_calls = calls[1] and json.array(calls) }
end

local ways = {} -- by event

-- A frame around the JSON text of a list of choices, with more members, if any.
local function frame(state, choices, more)
  if not state.head then
    ways.message(state, {})
  end
  return M.framed(('%s,"choices":[%s]%s}'):format(state.head, choices, more or ""))
end

-- A frame with one delta; the first of a choice has the role.
local function delta_frame(state, event, reason)
  local choice, list = event.choice or 1, {}
  if not state.begun[choice] then
    state.begun[choice] = true
    list = { { "role", "assistant" }, { "content", json.null } }
  end
  for key, value in pairs(members_of(state, { event })) do -- one
    list[key == "content" and list[2] and 2 or #list + 1] = { key, value }
  end
  return (reason or list[1]) and frame(state, ('{"index":%d,"delta":%s,"finish_reason":%s}'):format(choice - 1,
    json.encode(json.object(list)), reason and json.encode(reason) or "null")) or ""
end

for _, kind in ipairs { "text", "reasoning", "call_begin", "arguments", "call_end" } do
  ways[kind] = delta_frame
end

function ways.finish(state, event)
  return delta_frame(state, event, event.reason)
end

-- Stores the members of every chunk.
function ways.message(state, event)
  local options = state.options
  state.head = json.encode(json.object { { "id", event.id or options.id or "chatcmpl-" .. core.new_id():gsub("^call_", "") },
    { "object", "chat.completion.chunk" }, { "created", event.created or options.created or (core.now()) },
    { "model", event.model or options.model or "" } }):sub(1, -2)
  return ""
end

function ways.usage(state, event)
  local input, output = event.input or 0, event.output or 0
  return frame(state, "", (',"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}'):format(input, output, input + output))
end

function ways.problem(_, message)
  return M.framed(json.encode(json.object { { "error", json.object { { "message", message }, { "type", "bad_response" } } } }))
end

function ways.done()
  return M.framed "[DONE]"
end

function M.pass(state, from, events)
  local by_choice = {}
  for _, event in ipairs(events) do
    local choice = event.choice or 0
    by_choice[choice] = by_choice[choice] or {}
    table.insert(by_choice[choice], event)
    if event.type == "message" then
      ways.message(state, event)
    end
  end
  for _, c in ipairs(read.list(from.choices)) do
    local number = object(c) and (count(c.index) or 0) + 1
    local message = number and (object(c.delta) or object(c.message))
    local list = by_choice[number] or {}
    local members = members_of(state, list, number and object(c.message) ~= nil)
    if not message and next(members) then
      message = json.object()
      c.delta = message
    end
    if message then
      read.replace(message, "reasoning")
      read.replace(message, "reasoning_content", members.reasoning_content)
      local said = members.content and { json.object { { "type", "text" }, { "text", members.content } } }
      read.replace(message, "content", read.beside(said, message.content, is_strange_part) or members.content, json.null)
      read.replace(message, "tool_calls", read.beside_calls(members.tool_calls, message.tool_calls))
      message.role = message.role or message == c.delta and not state.begun[number] and "assistant" or nil
    end
    for _, event in ipairs(list) do
      c.finish_reason = event.type == "finish" and event.reason or c.finish_reason
    end
    if number then
      state.begun[number], by_choice[number] = true, nil
    end
  end
  return ""
end

function M.encoder(options)
  return ways, { options = options, begun = {}, held = {} }
end

return M
