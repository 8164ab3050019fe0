--- The hint of `sluice parse` on standard error when a response has no call in the given syntax but seems to be in another.

local engines = require "sluice.command.engine"
local streams = require "sluice.stream"
local terminal = require "sluice.command.terminal"

local M = {}

local Hint = {}
Hint.__index = Hint

local MOST = 256 * 1024 -- bytes of a response that are examined

--- hint.new(engine, request): a hint for the responses of one syntax; nil with `auto`.
-- request: the syntax's name, the tools and the stream options.
function M.new(engine, request)
  if request.syntax:find "^auto" then
    return nil
  end
  return setmetatable({ engine = engine, request = request, parts = {}, kept = 0 }, Hint)
end

--- hint:take(bytes): adds bytes of the response.
function Hint:take(bytes)
  if self.kept < MOST then
    self.parts[#self.parts + 1] = bytes:sub(1, MOST - self.kept)
    self.kept = self.kept + #self.parts[#self.parts]
  end
end

-- The syntax in which auto finds a call in the text; or nil.
local function read_by(self, text)
  local stream = engines.stream(self.engine, "auto", self.request.tools, {})
  local first = stream and streams.whole(stream, text).calls[1]
  return first and (first.syntax or "another syntax")
end

--- hint:finish(calls[, path]): prints the hint after a response with so many calls; `path`: its file, if there are several.
function Hint:finish(calls, path)
  local text = table.concat(self.parts)
  self.parts, self.kept = {}, 0
  local other = calls == 0 and text:find "[^%w%s%.,]" and read_by(self, text)
  if other then
    terminal.say(("%sno call in %s; %s reads one: try -s auto"):format(path and path .. ": " or "", self.request.syntax, other))
  end
end

return M
