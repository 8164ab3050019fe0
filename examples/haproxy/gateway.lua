--- A gateway in HAProxy: turns the text that an OpenAI-compatible server streams into tool_calls and reasoning_content deltas.
-- See haproxy.cfg in this folder. Needs HAProxy 2.5 or later with Lua, and LPeg for that Lua.
--
-- The filter `lua.sluice` collects the request while it passes: its model selects the syntax (or SLUICE_SYNTAX does), and its tools
-- go to the stream. It rewrites the response while it passes. Other responses pass unchanged.

local sluice = require "sluice"
local wire = require "sluice.wire"

sluice.syntaxes() -- load the scripts now, not with the first request

local MOST = 32 * 1024 * 1024 -- bytes of a request

local function note(text)
  core.log(core.warning, "sluice: " .. tostring(text):sub(1, 300):gsub("%c", "?"))
end

-- Returns a function that makes the streams for the response to this request; nil if it passes unchanged.
local function streams_for(body)
  local asked = sluice.json.decode(body)
  if sluice.json.kind(asked) ~= "object" then
    return note "the request is not a JSON object, or too long"
  end
  local syntax, why, start = os.getenv "SLUICE_SYNTAX", nil, nil
  if not syntax or syntax == "" then
    syntax, why, start = sluice.syntax_for(tostring(asked.model))
  end
  local calls = sluice.json.kind(asked.tools) == "array" and #asked.tools > 0 and asked.tool_choice ~= "none"
  local options = calls and { tools = asked.tools } or { tools = {}, unknown_tools = "text" } -- without tools text is text
  local good, problem = syntax ~= nil, why
  if good then
    options.start = start
    good, problem = pcall(sluice.stream, syntax, options)
  end
  if not good and syntax and calls then
    note("without the request's tools: " .. problem)
    options = { start = start }
    good, problem = pcall(sluice.stream, syntax, options)
  end
  if not good then
    return note(problem)
  end
  return function()
    return sluice.stream(syntax, options)
  end
end

local Filter = { id = "sluice", flags = filter.FLT_CFG_FL_HTX }
Filter.__index = Filter

function Filter.new()
  return setmetatable({}, Filter)
end

function Filter:http_headers(txn, message)
  if not message.channel:is_resp() then
    if txn.sf:path():find "/chat/completions$" then
      self.request, self.size = {}, 0
      filter.register_data_filter(self, message.channel)
    end
    return
  end
  local kind = (message:get_headers()["content-type"] or {})[0] or ""
  if self.request and tonumber(message:get_stline().code) == 200 and kind:find("text/event-stream", 1, true) then
    local make = streams_for(table.concat(self.request))
    self.request = {}
    if make then
      self.decoder, self.encoder = wire.decoder("openai", make), wire.encoder "openai"
      message:del_header "content-length" -- it changes
      filter.register_data_filter(self, message.channel)
    end
  end
end

-- Fragments that arrive together are sent together: so the output is not longer than the input, and fits into HAProxy's buffer. (A
-- filter of sluice.wire keeps each frame, with members that are not the format's own, but may make it longer.)
local joins = { text = true, reasoning = true, arguments = true }

local function encoded(encoder, events)
  local list = {}
  for event in events do
    local last = list[#list]
    if last and joins[event.type] and last.type == event.type and last.choice == event.choice and last.index == event.index then
      last.text = last.text .. event.text
    else
      list[#list + 1] = event
    end
  end
  for i, event in ipairs(list) do
    list[i] = encoder:add(event)
  end
  return table.concat(list)
end

-- Collects the bytes of a request; rewrites those of a response in place. Returns the number of bytes to pass on.
function Filter:http_payload(_, message)
  local bytes = message:body() or ""
  if not message.channel:is_resp() then
    self.size = self.size + #bytes
    self.request[#self.request + 1] = self.size <= MOST and bytes or nil
    return message:input()
  elseif not self.decoder then
    return message:input() -- all of them, unchanged
  end
  local good, out = pcall(function()
    local text = encoded(self.encoder, self.decoder:feed(bytes))
    return message:eom() and text .. encoded(self.encoder, self.decoder:finish()) .. self.encoder:finish() or text
  end)
  if not good then -- the rest passes unchanged
    note(out)
    self.decoder = nil
    return message:input()
  end
  message:remove(0, #bytes)
  if out ~= "" and message:insert(out, 0) < 0 then
    note "the response does not fit into the buffer: raise tune.bufsize"
    return -1
  end
  return message:input() -- not #out: the end of a chunked response counts, too
end

core.register_filter("sluice", Filter, function(self)
  return self
end)
