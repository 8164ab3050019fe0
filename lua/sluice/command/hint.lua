--- The hint of `sluice parse` on standard error when a response has no call in the given syntax but seems to be in another.

local json = require("sluice.core").json
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

local function set_of(item)
  local set = {}
  for _, literal in ipairs(item.special) do
    set[literal] = true
  end
  for _, pair in ipairs(item.reasoning) do -- many formats share these
    set[pair.open], set[pair.close] = nil, nil
    set[pair.open:gsub("%s", "")], set[pair.close:gsub("%s", "")] = nil, nil
  end
  return set
end

-- The list's item for a syntax's name or alias; nil for a path to a script.
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

-- The syntaxes with the most special tokens in the text that `own` does not have.
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

-- The syntax in which auto finds a call in the text; or nil.
local function read_by(self, text)
  local stream = self.engine:stream("auto", self.request.tools, {})
  if not stream then
    return nil
  end
  stream:begin "result"
  stream:take(text)
  stream:finish()
  local first = json.decode("{" .. stream:result() .. "}").calls[1]
  return first and (first.syntax or "another syntax")
end

--- hint:finish(stream[, path]): prints the hint after a response; `path`: its file, if there are several.
function Hint:finish(stream, path)
  local text, calls, errors = table.concat(self.parts), stream:seen()
  self.parts, self.kept = {}, 0
  if calls > 0 or not text:find "[^%w%s%.,]" then
    return
  end
  local items = json.decode(self.engine:list())
  local names, seen = markers(items, named(items, self.request.syntax), text), nil
  if #names > 0 then
    seen = ("markers of %s seen"):format(table.concat(names, ", ", 1, math.min(#names, 3)) .. (#names > 3 and ", ..." or ""))
  elseif errors > 0 then -- its own opener led to no call
    local other = read_by(self, text)
    seen = other and other .. " reads one"
  end
  if seen then
    terminal.say(("%sno call in %s; %s: try -s auto"):format(path and path .. ": " or "", self.request.syntax, seen))
  end
end

return M
