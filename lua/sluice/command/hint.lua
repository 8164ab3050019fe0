--- What `sluice parse` says on standard error where a response has no call in the syntax that was named, and looks as if another
-- syntax were its own.

local json = require("sluice.core").json
local terminal = require "sluice.command.terminal"

local M = {}

local Hint = {}
Hint.__index = Hint

local MOST = 256 * 1024 -- bytes of a response that are kept to be looked at

--- hint.new(engine, asked): for the responses of a syntax; nil where none is to be given: several syntaxes were asked for.
-- asked: its name, the tools and the options of its streams.
function M.new(engine, asked)
  if asked.syntax:find "^auto" then
    return nil
  end
  return setmetatable({ engine = engine, asked = asked, parts = {}, kept = 0 }, Hint)
end

--- hint:take(bytes): more of the response.
function Hint:take(bytes)
  if self.kept < MOST then
    self.parts[#self.parts + 1] = bytes:sub(1, MOST - self.kept)
    self.kept = self.kept + #self.parts[#self.parts]
  end
end

local function set_of(item)
  local set = {}
  for _, literal in ipairs(item.special) do
    set[literal] = true
  end
  for _, pair in ipairs(item.reasoning) do -- reasoning looks alike in many formats
    set[pair.open], set[pair.close] = nil, nil
    set[pair.open:gsub("%s", "")], set[pair.close:gsub("%s", "")] = nil, nil
  end
  return set
end

-- The named syntax's item of the list: by its name or an alias. nil for a path to a script.
local function named(items, name)
  for _, item in ipairs(items) do
    if item.name == name then
      return item
    end
    for _, alias in ipairs(item.aliases) do
      if alias == name then
        return item
      end
    end
  end
end

-- The syntaxes whose special tokens the text has, other than those of `own`: those that have most of them, and how many.
local function markers(items, own, text)
  local mine, names, most = own and set_of(own) or {}, {}, 0
  for _, item in ipairs(items) do
    local seen = 0
    for literal in pairs(item ~= own and set_of(item) or {}) do
      seen = seen + (not mine[literal] and text:find(literal, 1, true) and 1 or 0)
    end
    if seen > most then
      names, most = {}, seen
    end
    if seen > 0 and seen == most then
      names[#names + 1] = item.name
    end
  end
  return names
end

-- The syntax that reads a call in the text, as auto finds it; or nil.
local function read_by(self, text)
  local stream = self.engine:stream("auto", self.asked.tools, {})
  if not stream then
    return nil
  end
  stream:begin "result"
  stream:take(text)
  stream:finish()
  local first = json.decode("{" .. stream:result() .. "}").calls[1]
  return first and (first.syntax or "another syntax")
end

--- hint:finish(stream[, path]): the response is over; `path`: its file, where there are several.
function Hint:finish(stream, path)
  local text, calls, errors = table.concat(self.parts), stream:seen()
  self.parts, self.kept = {}, 0
  if calls > 0 or not text:find "[^%w%s%.,]" then
    return
  end
  local items = json.decode(self.engine:list())
  local names, seen = markers(items, named(items, self.asked.syntax), text), nil
  if #names > 0 then
    seen = ("markers of %s seen"):format(table.concat(names, ", ", 1, math.min(#names, 3)) .. (#names > 3 and ", ..." or ""))
  elseif errors > 0 then -- its own opener led to nothing
    local other = read_by(self, text)
    seen = other and other .. " reads one"
  end
  if seen then
    terminal.say(("%sno call in %s; %s: try -s auto"):format(path and path .. ": " or "", self.asked.syntax, seen))
  end
end

return M
