--- The parser of avante.nvim's ReAct mode with Sluice's stream: the same results as lua/avante/libs/ReAct_parser2.lua.
--
-- parse(text) -> a list of messages, { type = "text", text, partial } and { type = "tool_use", tool_name, tool_input, partial }, in
-- order, and { tool_count, partial_tool_count, all_tools_complete, has_tools }. A call is partial until its closing tag; its
-- input so far is included, with `_incomplete = true` while its JSON is unfinished.
--
-- The original parses the whole text again for each chunk. A reader gets only the new text, and has the same results at any time:
--   local reader = require("avante").reader()
--   reader:feed(chunk)
--   local messages, metadata = reader:messages()

local sluice = require "sluice"

local M = {}

local Reader = {}
Reader.__index = Reader

--- reader(options): a reader of one response. options: as of sluice.stream, for `tools`.
function M.reader(options)
  return setmetatable({ stream = sluice.stream("avante", options), list = {}, fed = "" }, Reader)
end

local function take(self, event)
  local list, last = self.list, self.list[#self.list]
  if event.type == "text" and last and last.type == "text" then
    last.text = last.text .. event.text
  elseif event.type == "text" then
    list[#list + 1] = { type = "text", text = event.text }
  elseif event.type == "call_begin" then
    list[#list + 1] = { type = "tool_use", name = event.name, arguments = "", partial = true }
  elseif event.type == "arguments" then
    last.arguments = last.arguments .. event.text
  elseif event.type == "call_end" then
    last.partial = event.status == "incomplete"
  end
end

--- reader:feed(chunk): feeds a part of the response.
function Reader:feed(chunk)
  self.fed = self.fed:sub(-4096) .. chunk -- enough for the beginning of a call that the stream holds
  for event in self.stream:feed(chunk) do
    take(self, event)
  end
  return self
end

--- reader:finish(): ends the response. A call whose closing tag was the stop word is then complete.
function Reader:finish()
  for event in self.stream:finish() do
    take(self, event)
  end
  return self
end

--- reader:messages() -> the messages so far, and the original's summary of them.
function Reader:messages()
  local out, tools, partial = {}, 0, 0
  local function add_tool(name, input, is_partial)
    out[#out + 1] = { type = "tool_use", tool_name = name, tool_input = input, partial = is_partial }
    tools, partial = tools + 1, partial + (is_partial and 1 or 0)
  end
  for _, message in ipairs(self.list) do
    if message.type == "text" then
      out[#out + 1] = { type = "text", text = message.text, partial = false }
    else
      local input = sluice.json.decode(message.arguments)
      if not input then -- the call is open: complete its arguments to an object
        input = sluice.json.decode(message.arguments .. self.stream:closing()) or {}
        input._incomplete = true
      end
      add_tool(message.name, input, message.partial)
    end
  end
  local state, _, held = self.stream:state()
  local block = state == "possible_block" and self.fed:sub(-held)
  local name = block and block:match '^%s*<tool_use>%s*{%s*"name"%s*:%s*"([^"\\]+)"'
  if name then -- its input has not begun yet
    add_tool(name, {}, true)
  end
  return out, { tool_count = tools, partial_tool_count = partial, all_tools_complete = tools > 0 and partial == 0, has_tools = tools > 0 }
end

--- parse(text) -> the same for a whole text.
function M.parse(text)
  return M.reader():feed(text):messages()
end

return M
