--- A gateway in HAProxy: turns the text that an OpenAI-compatible server streams into tool_calls and reasoning_content deltas.
-- See haproxy.cfg in this folder. Needs HAProxy 2.5 or later with Lua, and LPeg for that Lua.
--
-- The filter `lua.sluice` collects the request while it passes: its model selects the syntax (or SLUICE_SYNTAX does), and its tools
-- go to the stream. It rewrites the response while it passes. Other responses pass unchanged.

local sluice = require "sluice"
local wire = require "sluice.wire"

sluice.syntaxes() -- load the scripts now, not with the first request

local MOST = 32 * 1024 * 1024 -- bytes of a request
local PIECE = 512 -- bytes that are inserted at once; fewer than tune.maxrewrite
local DAY = 24 * 60 * 60 * 1000 -- in milliseconds

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
  local headers = message:get_headers()
  local kind = (headers["content-type"] or {})[0] or ""
  if not self.request or tonumber(message:get_stline().code) ~= 200 or not kind:lower():find("text/event-stream", 1, true) then
    return
  elseif headers["content-encoding"] then
    note "a compressed response passes unchanged"
  else
    local make = streams_for(table.concat(self.request))
    self.request = {}
    if make then
      self.filter = wire.filter { from = "openai", to = "openai", stream = make }
      self.out, self.at, self.kept = "", 1, 0 -- the output, the first byte of it that is not sent, the bytes that were read and not removed
      message:del_header "content-length" -- it changes
      filter.register_data_filter(self, message.channel)
    end
  end
end

-- Collects the bytes of a request; rewrites those of a response in place. Returns the number of bytes to pass on. An error cuts the
-- response: HAProxy logs it.
function Filter:http_payload(_, message)
  local bytes = message:body() or ""
  if not message.channel:is_resp() then
    self.size = self.size + #bytes
    self.request[#self.request + 1] = self.size <= MOST and bytes or nil
    return message:input()
  end
  local sent = 0
  while true do
    while self.at <= #self.out do
      local piece = self.out:sub(self.at, self.at + PIECE - 1)
      if message:insert(piece, sent) ~= #piece then
        filter.wake_time(1) -- the buffer is full. A byte that was read stays in it, so that the response does not end.
        return sent
      end
      sent, self.at = sent + #piece, self.at + #piece
    end
    message:remove(sent, self.kept)
    bytes, self.kept = bytes:sub(self.kept + 1), 0
    local last = message:eom() and not self.over
    if bytes == "" and not last then
      filter.wake_time(DAY) -- or the call is repeated each millisecond
      return message:input() -- not sent: the end of a chunked response counts, too
    end
    self.out, self.at, self.over = self.filter:feed(bytes) .. (last and self.filter:finish() or ""), 1, last
    self.kept = math.min(#bytes, 1)
    message:remove(sent, #bytes - self.kept)
    bytes = bytes:sub(-1)
  end
end

core.register_filter("sluice", Filter, function(self)
  return self
end)
