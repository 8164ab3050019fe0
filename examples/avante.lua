--- What avante.nvim's ReAct mode asks of its parser, from Sluice's stream: lua/avante/libs/ReAct_parser2.lua without its own reader.
--
-- parse(text) -> a list of messages in order, { type = "text", text, partial } and { type = "tool_use", tool_name, tool_input, partial },
-- and { BUFFER_REACHED_END = ... } where the text ends inside a block. A tool's input is there while it is written: its JSON is closed
-- where it ends so far, with `_incomplete = true` among its members.
--
-- The original parses the whole text again at each chunk. Here a reader is fed what came, and gives the same list at any time:
--   local reader = require("avante").reader()
--   reader:feed(chunk)
--   local messages, more = reader:messages()

local sluice = require "sluice"

local M = {}

local Reader = {}
Reader.__index = Reader

--- reader(options): a reader of one response. options: as of sluice.stream, for `tools`.
function M.reader(options)
  return setmetatable({ stream = sluice.stream("avante", options), list = {} }, Reader)
end

-- What text fragments become: one message, as long as no call stands between them.
local function add_text(list, text)
  local last = list[#list]
  if last and last.type == "text" then
    last.text = last.text .. text
  else
    list[#list + 1] = { type = "text", text = text, partial = true }
  end
end

local function take(self, event)
  local list = self.list
  if event.type == "text" then
    add_text(list, event.text)
  elseif event.type == "call_begin" then
    if list[#list] then
      list[#list].partial = false
    end
    self.open = { type = "tool_use", tool_name = event.name, partial = true, pieces = {} }
    list[#list + 1] = self.open
  elseif event.type == "arguments" then
    table.insert(self.open.pieces, event.text)
  elseif event.type == "call_end" then
    self.open.partial = false
    self.open = nil
  end
end

--- reader:feed(chunk): what came of the response.
function Reader:feed(chunk)
  for event in self.stream:feed(chunk) do
    take(self, event)
  end
  return self
end

--- reader:finish(): the response is over. A call that was cut stays partial.
function Reader:finish()
  for event in self.stream:finish() do
    local cut = event.type == "call_end" and event.status == "incomplete"
    local open = self.open
    take(self, event)
    if cut then
      open.partial = true
    end
  end
  return self
end

-- JSON that is not over yet, closed: strings and containers are, and what cannot be closed is left out.
local function closed(text)
  local stack, quoted, last = {}, false, 0 -- last: where it could be closed
  local at, depth_at = 1, {}
  while at <= #text do
    local c = text:sub(at, at)
    if quoted then
      if c == "\\" then
        at = at + 1
      elseif c == '"' then
        quoted = false
      end
    elseif c == '"' then
      quoted = true
    elseif c == "{" or c == "[" then
      stack[#stack + 1] = c == "{" and "}" or "]"
      last = at
      depth_at[at] = #stack
    elseif c == "}" or c == "]" then
      stack[#stack] = nil
      last = at
      depth_at[at] = #stack
    elseif c == "," then
      last = at - 1
      depth_at[last] = #stack
    end
    at = at + 1
  end
  local function close(upto, depth)
    local out = { text:sub(1, upto) }
    for i = depth, 1, -1 do
      out[#out + 1] = stack[i]
    end
    return table.concat(out)
  end
  local tail = quoted and text:gsub("\\[^\\]*$", function(escape)
    return #escape < 2 and "" or escape:match "^\\u" and #escape < 6 and "" or escape
  end) .. '"' or text
  local whole = tail
  for i = #stack, 1, -1 do
    whole = whole .. stack[i]
  end
  local value = sluice.json.decode(whole)
  if value == nil and last > 0 then
    value = sluice.json.decode(close(last, depth_at[last] or #stack))
  end
  return value
end

--- reader:messages() -> the messages so far, and whether the text ends inside a block, as the original answers both.
function Reader:messages()
  local out = {}
  for i, message in ipairs(self.list) do
    if message.type == "text" then
      out[i] = { type = "text", text = message.text, partial = message.partial }
    else
      local text = table.concat(message.pieces)
      local input = message.partial and (closed(text) or {}) or sluice.json.decode(text)
      if message.partial then
        input._incomplete = true
      end
      out[i] = { type = "tool_use", tool_name = message.tool_name, tool_input = input, partial = message.partial }
    end
  end
  return out, { BUFFER_REACHED_END = self.open ~= nil or self.stream:state() == "possible_block" }
end

--- parse(text) -> as reader:messages of the text as it stands.
function M.parse(text)
  return M.reader():feed(text):messages()
end

return M
