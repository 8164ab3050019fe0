--- Ollama's /api/chat (and /api/generate, decoding only): one JSON object per line; each call is whole.
-- Source: https://github.com/ollama/ollama/blob/main/docs/api.md

local core = require "sluice.core"
local read = require "sluice.wire.read"
local json = core.json

local M = { framing = "lines" }

local object, text, count = read.object, read.text, read.count

local in_line = { message = true, response = true, thinking = true, done = true, done_reason = true, model = true,
  created_at = true }

local in_message = { role = true, content = true, thinking = true, tool_calls = true }

--- Decodes one line.
function M.decode(decoder, raw, data)
  local from = read.decode(data)
  local message = from and (object(from.message) or type(from.response) == "string" and from)
  if not message and not (from and from.done == true) then
    decoder:other(raw, read.problem(from)
      or (from and "a line that is not part of an answer: " or "a line that is not a JSON object: ") .. data:sub(1, 200))
    return
  elseif from.done == true and not decoder.known and decoder:whole(raw) then
    return
  end
  local completion = message == from
  decoder.completion = decoder.completion or completion
  decoder:message { model = text(from.model), fields = from, completion = decoder.same and completion or nil }
  if decoder.same and decoder.completion then -- /api/generate has no place for calls, so it stays unchanged
    decoder:other(raw)
  elseif decoder.same then
    decoder:envelope { created = text(from.created_at), fields = from.done ~= true and read.others(from, in_line)
      or nil, message = message and read.others(message, in_message) }
  end
  if message then
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
        decoder.ollama_calls = (decoder.ollama_calls or 0) + 1
        decoder:call(1, decoder.ollama_calls, { id = text(call.id), name = text(f.name),
          arguments = read.arguments(f.arguments) })
        decoder:end_call(1, decoder.ollama_calls)
      end
    end
  end
  if from.done == true then
    decoder:ended(1, text(from.done_reason) or "stop")
    local fields = read.others(from, in_line)
    if fields then
      decoder:usage { input = count(from.prompt_eval_count), output = count(from.eval_count), fields = fields }
    end
    decoder:done()
  end
end

--- See wire.body.
function M.rewrite(body, parse)
  local from = read.decode(body)
  local message = from and object(from.message)
  if not message then
    return nil, "the body is not an answer of /api/chat"
  end
  local result = text(message.content) and parse(1, message.content)
  if not result or result.content == message.content then
    return body
  end
  local merged = read.merge(message, result, "", "thinking", function(call) -- clients run every call, whatever the reason is
    return call.status ~= "incomplete" and M.tool_call(call) or nil
  end)
  from.done_reason = merged.cut and "length" or from.done_reason
  return json.encode(from)
end

-- ---- Encoding ----------------------------------------------------------------------------------------------------------

--- A call as an object for a message.
function M.tool_call(call)
  return json.object { { "id", call.id },
    { "function", json.object { { "name", call.name }, { "arguments", read.json(call.arguments) } } } }
end

local Encoder = {}
Encoder.__index = Encoder

-- Adds the members of an object.
local function add(list, members)
  for _, key in ipairs(members and json.keys(members) or {}) do
    list[#list + 1] = { key, members[key] }
  end
end

-- A line with this message, followed by the members `done`.
function Encoder:line(members, done)
  if self.completion then -- its lines pass unchanged
    return ""
  end
  local content = { { "role", "assistant" }, { "content", "" } }
  for _, member in ipairs(members) do
    content[member[1] == "content" and 2 or #content + 1] = member
  end
  add(content, self.once and self.once.message)
  local _, stamp = core.now()
  local all = { { "model", self.model or self.options.model or "" }, { "created_at", self.created_at or stamp },
    { "message", json.object(content) }, { "done", done ~= nil } }
  add(all, self.once and self.once.fields)
  self.once = nil
  for _, member in ipairs(done or {}) do
    all[#all + 1] = member
  end
  return json.encode(json.object(all)) .. "\n"
end

local ways = {}

function ways.message(self, event)
  self.model = event.model
  self.created_at = event.from == "ollama" and event.fields and text(event.fields.created_at)
  self.completion = event.from == "ollama" and event.completion
  return ""
end

-- Members that are sent once go into the next line; if others are pending, they get their own line first.
function ways.envelope(self, event)
  if event.from ~= "ollama" then
    return ""
  end
  local before = self.once and (event.fields or event.message) and self:line {} or ""
  self.created_at = event.created or self.created_at
  if event.fields or event.message then
    self.once = { fields = event.fields, message = event.message }
  end
  return before
end

function ways.text(self, event)
  return self:line { { "content", event.text } }
end

function ways.reasoning(self, event)
  return self:line { { "thinking", event.text } }
end

function ways.call_begin(self, event)
  self.calls[event.index] = { name = event.name, id = event.id, pieces = {} }
  return ""
end

function ways.arguments(self, event)
  local pieces = self.calls[event.index].pieces
  pieces[#pieces + 1] = event.text
  return ""
end

function ways.call_end(self, event)
  local call = self.calls[event.index]
  return event.status == "incomplete" and "" or self:line { { "tool_calls",
    json.array { M.tool_call { id = call.id or event.id, name = call.name, arguments = table.concat(call.pieces) } } } }
end

function ways.finish(self, event)
  self.reason = event.reason
  return ""
end

function ways.usage(self, event)
  self.usage = event
  return ""
end

-- The last line waits for the token counts, which other formats send last. Ollama's reason is "stop" after calls too.
function ways.done(self)
  self.ended = true
  local members = { { "done_reason", self.reason == "tool_calls" and "stop" or self.reason or json.null } }
  local used = self.usage
  if used and used.from == "ollama" then
    for _, key in ipairs(json.keys(used.fields)) do
      members[#members + 1] = { key, used.fields[key] }
    end
  elseif used then
    members[#members + 1] = used.input and { "prompt_eval_count", used.input } or nil
    members[#members + 1] = used.output and { "eval_count", used.output } or nil
  end
  return self:line({}, members)
end

--- Ends an answer for which the server gave a reason but no end.
function ways.last(self)
  return self.reason and not self.ended and ways.done(self) or ""
end

function ways.other(_, event)
  if event.from ~= "ollama" then
    return event.message and json.encode(json.object { { "error", event.message } }) .. "\n" or ""
  end
  return event.raw or ""
end

local first_choice = read.first_choice(ways)

--- The encoder's function for each type of event, and its state: see wire.encoder.
function M.encoder(options)
  return first_choice, setmetatable({ options = options, calls = {} }, Encoder)
end

return M
