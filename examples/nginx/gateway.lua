--- A gateway's half in Lua: the text that an OpenAI-compatible server sends becomes tool_calls and reasoning_content deltas.
-- See nginx.conf beside it, and docs/nginx.md.
--
-- Of nginx's variables: $sluice_syntax is the syntax of a location; empty, the request's model tells it. A response that is
-- none of ours (an error, another type, compressed, a model that no syntax names) passes through as it is.

local sluice = require "sluice"
local wire = require "sluice.wire"

local M = {}

--- Answers of more bytes than this that are not streamed pass through as they are.
M.body_max = 16 * 1024 * 1024

--- The most that one line of the log may take from a client or a server, in bytes.
M.log_max = 300

-- A line in the log. What comes from outside may hold line ends and escapes: each control character is a question mark.
local function log(text)
  text = tostring(text):sub(1, M.log_max):gsub("%c", "?"):gsub("\194[\128-\159]", "?")
  ngx.log(ngx.WARN, "sluice: ", text)
end

local told, told_count = {}, 0

-- The same, once for each text: clients choose their models' names. After a thousand all others are one.
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
  if path then -- it was too large for nginx's buffer
    local file = io.open(path, "rb")
    text = file and file:read "*a"
    if file then
      file:close()
    end
  end
  return text
end

--- access_by_lua: notes the syntax and the tools of the request, which goes on to the server as it came.
function M.request()
  local text = request_body()
  local asked = text and sluice.json.decode(text)
  if sluice.json.kind(asked) ~= "object" or sluice.json.kind(asked.messages) ~= "array" then
    return -- no chat: completions have no place for calls
  end
  local syntax, why = ngx.var.sluice_syntax, nil
  if not syntax or syntax == "" then
    syntax, why = sluice.syntax_for(type(asked.model) == "string" and asked.model or "")
  end
  if not syntax then
    log_once(why)
    return
  end
  local tools = sluice.json.kind(asked.tools) == "array" and asked.tools or nil
  local good, problem = pcall(sluice.stream, syntax, { tools = tools })
  if not good and tools then
    log("without the request's tools: ", problem)
    tools = nil
    good, problem = pcall(sluice.stream, syntax)
  end
  if not good then
    log(problem)
    return
  end
  ngx.ctx.sluice = { make = function()
    return sluice.stream(syntax, { tools = tools })
  end }
end

--- header_filter_by_lua: is the answer one of ours? Its length will be another.
function M.header()
  local state = ngx.ctx.sluice
  local kind = ngx.header.content_type or ""
  if not state or ngx.status ~= 200 or ngx.header.content_encoding then
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
  state.pieces[#state.pieces + 1] = bytes
  state.size = state.size + #bytes
  if state.size > M.body_max then
    ngx.ctx.sluice = nil
    return table.concat(state.pieces)
  elseif last then
    local text = table.concat(state.pieces)
    return wire.body("openai", text, state.make) or text
  end
  return ""
end

-- How many bytes are held back now.
local function held(state)
  return not state.over and (state.filter and state.filter:held() or state.size) or 0
end

-- The server broke off, or stalls for too long: what is held comes out, and the end of the answer does not.
local function broken(state)
  log(("the server broke off; %d bytes that were held back are sent"):format(held(state)))
  state.over = true
  if state.filter then
    return state.filter:finish()
  end
  ngx.ctx.sluice = nil
  return table.concat(state.pieces)
end

--- body_filter_by_lua: the answer's bytes, as they come. Where a server breaks off nginx brings no last bytes, but flushes
-- before it closes the connection: a call without bytes, which comes at no other time behind the first bytes.
function M.body()
  local state = ngx.ctx.sluice
  if state and not state.over then
    local gone = ngx.arg[1] == "" and not ngx.arg[2] and held(state) > 0
    local good, out = pcall(gone and broken or state.filter and stream or whole, state, ngx.arg[1], ngx.arg[2])
    if good then
      ngx.arg[1] = out
    else -- what is left of it passes through
      ngx.ctx.sluice = nil
      log(out)
    end
  end
end

--- log_by_lua: what was held all the same is lost, where the client went first for example. It is told.
function M.log()
  local state = ngx.ctx.sluice
  local left = state and held(state) or 0
  if left > 0 then
    log(("the connection was closed; %d bytes that were held back are lost"):format(left))
  end
end

return M
