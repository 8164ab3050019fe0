--- Parses assistant messages of Cline and its forks to blocks, with Sluice's stream: the same results as their parseAssistantMessage,
-- without parsing the message again for each chunk.
--
-- parse(text, tools) -> a list of { type = "text", content, partial } and { type = "tool_use", name, params, partial }, in order. The
-- last block is partial until the message is over or the next block begins. Parameters grow as they arrive.
-- Reasoning in <thinking> is { type = "reasoning", content, partial }.
--
--   local reader = require("cline").reader { tools = tools }
--   reader:feed(chunk)
--   for _, block in ipairs(reader:blocks()) do ... end

local sluice = require "sluice"

local M = {}

local Reader = {}
Reader.__index = Reader

--- reader(options): a reader of one message. options: as of sluice.stream, for `tools`; the default tools are the project's own.
function M.reader(options)
  local o = { parameters = true }
  for key, value in pairs(options or {}) do
    o[key] = value
  end
  return setmetatable({ stream = sluice.stream("cline", o), list = {} }, Reader)
end

local function begin(self, block)
  local last = self.list[#self.list]
  if last then
    last.partial = false
  end
  self.list[#self.list + 1] = block
end

local function take(self, event)
  local last = self.list[#self.list]
  if event.type == "text" or event.type == "reasoning" then
    if not last or last.type ~= event.type then
      begin(self, { type = event.type, content = "", partial = true })
      last = self.list[#self.list]
    end
    last.content = last.content .. event.text
  elseif event.type == "call_begin" then
    begin(self, { type = "tool_use", name = event.name, params = {}, partial = true })
  elseif event.type == "parameter" then
    last.params[event.key] = (last.params[event.key] or "") .. event.text
  elseif event.type == "call_end" then
    last.partial = event.status == "incomplete"
  end
end

--- reader:feed(chunk): feeds a part of the message.
function Reader:feed(chunk)
  for event in self.stream:feed(chunk) do
    take(self, event)
  end
  return self
end

--- reader:finish(): ends the message; its last text is then complete.
function Reader:finish()
  for event in self.stream:finish() do
    take(self, event)
  end
  local last = self.list[#self.list]
  if last and last.type ~= "tool_use" then
    last.partial = false
  end
  return self
end

--- reader:blocks() -> the blocks so far, with trimmed texts; empty texts are left out.
function Reader:blocks()
  local out = {}
  for _, block in ipairs(self.list) do
    local content = block.content and block.content:match "^%s*(.-)%s*$"
    if content ~= "" then
      out[#out + 1] = { type = block.type, content = content, name = block.name, params = block.params, partial = block.partial }
    end
  end
  return out
end

--- parse(text, tools) -> the blocks of a message.
function M.parse(text, tools)
  return M.reader({ tools = tools }):feed(text):blocks()
end

return M
