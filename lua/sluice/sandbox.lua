--- The sandbox: the environment of scripts.
--
-- Each script gets its own environment, built from nothing: changes to its libraries do not reach others. What it describes is copied
-- (see sluice.vocabulary), and it holds only a handle of it: neither its own functions nor other scripts can change a description in
-- use. Its functions receive copies (names of tools, tools).

local check = require "sluice.check"
local core = require "sluice.core"
local lists = require "sluice.lists"
local luajit = require "sluice.luajit"
local patterns = require "sluice.patterns"
local vocabulary = require "sluice.vocabulary"

local M = {}

local MOST_NAME = 4096 -- bytes of a name that a script returns
local NO_TEXT = "the script raised an error that is not a string"

local function copy(t, without)
  local out = lists.copy(t)
  out[without or ""] = nil
  return out
end

-- Lua's libraries for scripts. In a state that charges for their use these are copies that do, and so are the methods of strings from
-- then on: a table of their own, which scripts cannot get.
local function libraries_of(limited)
  if not limited then
    return { string = string, table = table, utf8 = utf8, next = next }
  end
  local function charged(library, without)
    local out = copy(library, without)
    for name, value in pairs(out) do
      out[name] = type(value) == "function" and core.charged(value, name) or value
    end
    return out
  end
  local methods = getmetatable ""
  methods.__index, methods.__metatable = charged(string, "dump"), "locked"
  return { string = charged(string, "dump"), table = charged(table, "move"), utf8 = charged(utf8, ""), next = core.charged(next, "next") }
end

local basic = { "ipairs", "pairs", "next", "select", "tonumber", "tostring", "type", "rawequal" }

-- Words of API level 2, and what is written now.
local renamed = { parameters = "params", arguments = "args", reasoning = "think", backref = "same", object = "json", array = "json",
  member = "json", section = "json", attributes = "attrs", optional = "opt", recoverable = "lost", header = "match", pattern = "match",
  name_in_id = "match", number = "match", extra = "capture", any_case = "lines", run = "lines",
  block_text = "lines", items = "lines", fence = "lines", carried = "lines", set = "lines" }

-- The vocabulary for one script.
local function words_of(known)
  return setmetatable(copy(known), { __metatable = "locked", __index = function(_, key)
    error(("there is no word 's.%s'%s"):format(tostring(key), renamed[key] and "; write s." .. renamed[key] .. " (docs/upgrading.md)"
      or check.nearest(tostring(key), known, " (did you mean 's.%s'?)") or "; docs/vocabulary.md lists them all"), 2)
  end })
end

local function environment(self, load_named)
  local libraries = self.libraries
  local env = { string = copy(libraries.string, "dump"), table = copy(libraries.table, "move"), math = copy(math, "randomseed"),
    utf8 = libraries.utf8 and copy(libraries.utf8), lpeg = copy(self.patterns.methods), s = words_of(self.words) }
  for _, name in ipairs(basic) do
    env[name] = libraries[name] or _G[name]
  end
  env.unpack = libraries.table.unpack or unpack
  function env.error(message, level)
    level = type(level) == "number" and level or 1
    error(type(message) == "string" and message or NO_TEXT, level > 0 and level + 1 or 0)
  end
  function env.assert(value, ...)
    if not value and select("#", ...) > 0 and type((...)) ~= "string" then
      error(NO_TEXT, 0)
    end
    return assert(value, ...)
  end
  --- Scripts need no `require`: `s` and `lpeg` are there. Editors may want it.
  function env.require(name)
    if name == "sluice.syntax" or name == "lpeg" then
      return name == "lpeg" and env.lpeg or env.s
    end
    error(("a syntax may require \"sluice.syntax\" and \"lpeg\", not %q"):format(tostring(name)), 2)
  end
  --- inherit(name, changes): a dialect of another syntax.
  function env.inherit(name, changes)
    return self.sealed(self.inherit(load_named(name), changes))
  end
  return setmetatable(env, { __metatable = "locked", __index = function(_, key)
    error(self.words[key] and ("there is no '%s'; words are called as s.%s()"):format(key, key)
      or ("a syntax has no '%s'"):format(tostring(key)), 2)
  end })
end

-- Compiles a text to a chunk in this environment; or returns nil and a message. Skips a byte order mark, as Lua does in files.
local function chunk_of(text, name, env)
  text = text:gsub("^\239\187\191", "")
  if text:byte(1) == 27 then
    return nil, "a script is text, not bytecode"
  elseif setfenv then -- Lua 5.1 and LuaJIT
    local f, message = loadstring(text, name)
    return f and luajit.keep(setfenv(f, env)), message
  end
  return load(text, name, "t", env)
end

-- Wraps a script's function that repairs names: it receives its own copy of the names, and returns a name.
local function name_repair(f)
  return function(name, tools)
    local names = {}
    for each in pairs(tools) do
      names[each] = true
    end
    local repaired = f(name, names)
    if repaired ~= nil and (type(repaired) ~= "string" or #repaired > MOST_NAME) then
      error(type(repaired) == "string" and "repair_name returned a name that is too long"
        or ("repair_name returned a %s, not a name"):format(type(repaired)), 0)
    end
    return repaired
  end
end

-- Wraps a script's function of tools: it receives copies.
local function with_tools(f)
  return function(tools, ...)
    local text = f(vocabulary.copied({ raw = function() end }, tools, {}), ...)
    return type(text) == "string" and text or error(("the script's prompt is a %s, not a text"):format(type(text)), 0)
  end
end

--- sandbox.new(lpeg, system): system.limited: the state charges for what scripts use of Lua's libraries. Returns a table with run(text,
-- path, trusted, load_named) -> the description of the script with this text; or nil and a message. trusted: it is one of the library's.
-- load_named(name) returns a description to inherit from, or raises.
function M.new(lpeg, system)
  local limited = system.limited
  local self = { libraries = libraries_of(limited) }
  self.patterns = patterns.new(lpeg, { size = core.size_of, tick = limited and core.tick or nil,
    charge = limited and core.charge or nil })
  local context = { raw = self.patterns.raw }
  self.words = vocabulary.new(context)
  self.inherit, self.words.inherit = self.words.inherit, nil

  -- What a script holds in place of a description.
  local handles = setmetatable({}, { __mode = "k" })
  function self.sealed(description)
    local handle = setmetatable({}, { __metatable = "locked" })
    handles[handle] = description
    return handle
  end
  local describe = self.words.syntax
  function self.words.syntax(given)
    return self.sealed(describe(given))
  end

  function self.run(text, path, trusted, load_named)
    local f, message = chunk_of(text, "@" .. path, environment(self, load_named))
    if not f then
      return nil, message
    end
    local outer = { context.path, context.trusted }
    context.path, context.trusted = not trusted and path or nil, trusted -- the library's own do without the places of words
    core.fresh_budget() -- each script has its own budget
    local ok, result = pcall(f)
    core.fresh_budget()
    context.path, context.trusted = outer[1], outer[2]
    if not ok then
      return nil, tostring(result)
    end
    local out = handles[result]
    if not out then
      return nil, result == nil and "the script returns nothing; it must return a syntax: put `return` before s.syntax{...}"
        or ("the script must return s.syntax{...}, not a %s of its own"):format(type(result))
    end
    out.repair_name = out.repair_name and name_repair(out.repair_name)
    out.prompt = type(out.prompt) == "function" and with_tools(out.prompt) or out.prompt
    return out
  end

  return self
end

return M
