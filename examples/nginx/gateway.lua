--- The Lua half of a gateway: turns the text that an OpenAI-compatible server sends into tool_calls and reasoning_content deltas.
-- See nginx.conf in this folder, and docs/gateway.md.
--
-- The nginx variable $sluice_syntax is the syntax of a location; if it is empty, the request's model selects the syntax. Other
-- responses (an error, another type, compressed, a model without a syntax) pass unchanged.

local sluice = require "sluice"
local wire = require "sluice.wire"

local M = {}

--- Answers above this size that are not streamed pass unchanged, in bytes.
M.body_max = 16 * 1024 * 1024

--- Most bytes of a log line that come from a client or a server.
M.log_max = 300

-- Writes a log line. Outside text may contain line ends and escapes: each control character becomes a question mark.
local function log(text)
  text = tostring(text):sub(1, M.log_max):gsub("%c", "?"):gsub("\194[\128-\159]", "?")
  ngx.log(ngx.WARN, "sluice: ", text)
end

local told, told_count = {}, 0

-- The same, once per text: clients choose their models' names. After a thousand texts, all others count as one.
local function log_once(text)
  if not told[text] and told_count < 1000 then
    told[text], told_count = true, told_count + 1
    log(text)
  end
end

local function request_body()
  ngx.req.read_body()
  local text = ngx.req.get_body_data()
  local path = not text and ngx.req.get_body_file()
  if path then -- too large for nginx's buffer
    local file = io.open(path, "rb")
    text = file and file:read "*a"
    if file then
      file:close()
    end
  end
  return text
end

--- access_by_lua: stores the syntax and the tools of the request, which passes unchanged.
function M.request()
  local text = request_body()
  local asked = text and sluice.json.decode(text)
  if sluice.json.kind(asked) ~= "object" or sluice.json.kind(asked.messages) ~= "array" then
    return -- not a chat: completions have no place for calls
  end
  local syntax, why, start = ngx.var.sluice_syntax, nil, nil
  if not syntax or syntax == "" then
    syntax, why, start = sluice.syntax_for(type(asked.model) == "string" and asked.model or "")
  end
  if not syntax then
    log_once(why)
    return
  end
  local calls = sluice.json.kind(asked.tools) == "array" and #asked.tools > 0 and asked.tool_choice ~= "none"
  local options = calls and { tools = asked.tools } or { tools = {}, unknown_tools = "text" } -- without tools text is text
  options.start = start
  local good, problem = pcall(sluice.stream, syntax, options)
  if not good and calls then
    log("without the request's tools: " .. problem)
    options = { start = start }
    good, problem = pcall(sluice.stream, syntax, options)
  end
  if not good then
    log(problem)
    return
  end
  ngx.ctx.sluice = { make = function()
    return sluice.stream(syntax, options)
  end }
end

--- header_filter_by_lua: decides if the response is rewritten. If so, its length changes.
function M.header()
  local state = ngx.ctx.sluice
  local kind = (ngx.header.content_type or ""):lower()
  if not state or ngx.status ~= 200 or ngx.header.content_encoding then
    if state and ngx.status == 200 then
      log_once "a compressed response passes unchanged"
    end
    ngx.ctx.sluice = nil
  elseif kind:find("text/event-stream", 1, true) then
    state.filter = wire.filter { from = "openai", to = "openai", stream = state.make }
  elseif kind:find("application/json", 1, true) then
    state.pieces, state.size = {}, 0
  else
    ngx.ctx.sluice = nil
  end
  if ngx.ctx.sluice then
    ngx.header.content_length = nil
  end
end

local function stream(state, bytes, last)
  state.over = last
  local out = state.filter:feed(bytes)
  return last and out .. state.filter:finish() or out
end

local function whole(state, bytes, last)
  state.over = last
  state.pieces[#state.pieces + 1] = bytes
  state.size = state.size + #bytes
  if state.size > M.body_max then
    ngx.ctx.sluice = nil
    return table.concat(state.pieces)
  elseif last then
    local filter = wire.filter { from = "openai", to = "openai", stream = state.make }
    return filter:feed(table.concat(state.pieces)) .. filter:finish()
  end
  return ""
end

-- The number of held bytes.
local function held(state)
  return not state.over and (state.filter and state.filter:held() or state.size) or 0
end

-- Called when the server breaks off or stalls for too long: sends the held bytes, but not the end of the answer.
local function broken(state)
  log(("the server broke off; %d bytes that were held back are sent"):format(held(state)))
  state.over = true
  if state.filter then
    return state.filter:finish()
  end
  ngx.ctx.sluice = nil
  return table.concat(state.pieces)
end

--- body_filter_by_lua: the answer's bytes, as they arrive. If a server breaks off, nginx sends no last bytes, but flushes
-- before it closes the connection: a call without bytes, which otherwise happens only before the first bytes.
function M.body()
  local state = ngx.ctx.sluice
  if state and not state.over then
    local gone = ngx.arg[1] == "" and not ngx.arg[2] and held(state) > 0
    local good, out = pcall(gone and broken or state.filter and stream or whole, state, ngx.arg[1], ngx.arg[2])
    if good then
      ngx.arg[1] = out
    else -- the rest passes unchanged
      ngx.ctx.sluice = nil
      log(out)
    end
  end
end

--- log_by_lua: reports held bytes that are lost, for example because the client left.
function M.log()
  local state = ngx.ctx.sluice
  local left = state and held(state) or 0
  if left > 0 then
    log(("the connection was closed; %d bytes that were held back are lost"):format(left))
  end
end

return M
