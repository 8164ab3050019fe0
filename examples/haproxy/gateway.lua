--- A gateway in HAProxy: turns the text that an OpenAI-compatible server streams into tool_calls and reasoning_content deltas.
-- See haproxy.cfg in this folder. Needs HAProxy 2.5 or later with Lua, and LPeg for that Lua.
--
-- The action `lua.sluice` reads the request: its model selects the syntax (or SLUICE_SYNTAX does), and its tools go to the stream. The
-- filter `lua.sluice` rewrites the response as it passes. Other responses pass unchanged.

local sluice = require "sluice"
local wire = require "sluice.wire"

sluice.syntaxes() -- load the scripts now, not with the first request

local function note(text)
  core.log(core.warning, "sluice: " .. tostring(text):sub(1, 300):gsub("%c", "?"))
end

core.register_action("sluice", { "http-req" }, function(txn)
  local asked = sluice.json.decode(txn.sf:req_body() or "")
  if sluice.json.kind(asked) ~= "object" then
    return
  end
  local syntax, why = os.getenv "SLUICE_SYNTAX", nil
  if not syntax or syntax == "" then
    syntax, why = sluice.syntax_for(tostring(asked.model))
  end
  local tools = sluice.json.kind(asked.tools) == "array" and asked.tool_choice ~= "none" and asked.tools or {}
  local good, problem = syntax ~= nil, why
  if good then
    good, problem = pcall(sluice.stream, syntax, { tools = tools })
  end
  if good then -- an action and a filter share only variables
    txn:set_var("txn.sluice_syntax", syntax)
    txn:set_var("txn.sluice_tools", #tools > 0 and sluice.json.encode(tools) or "")
  else
    note(problem)
  end
end)

local Filter = { id = "sluice", flags = filter.FLT_CFG_FL_HTX }
Filter.__index = Filter

function Filter.new()
  return setmetatable({}, Filter)
end

function Filter:start_analyze(_, channel)
  if channel:is_resp() then
    filter.register_data_filter(self, channel)
  end
end

function Filter:http_headers(txn, message)
  local syntax, tools = txn:get_var "txn.sluice_syntax", txn:get_var "txn.sluice_tools"
  if not syntax or not message.channel:is_resp() then
    return
  end
  local kind = (message:get_headers()["content-type"] or {})[0] or ""
  if tonumber(message:get_stline().code) == 200 and kind:find("text/event-stream", 1, true) then
    self.decoder = wire.decoder("openai", function()
      return sluice.stream(syntax, tools ~= "" and { tools = tools } or { tools = {}, unknown_tools = "text" }) -- text is text
    end)
    self.encoder = wire.encoder "openai"
    message:del_header "content-length" -- it changes
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

-- Rewrites the available bytes in place. Returns the number of bytes to send to the client.
function Filter:http_payload(_, message)
  if not self.decoder then
    return message:input() -- all of them, unchanged
  end
  local bytes = message:body() or ""
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
