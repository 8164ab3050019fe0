--- The sandbox: the environment of scripts, and copies of what they return.
--
-- Each script gets its own environment, built from nothing: changes to its libraries do not reach others. Its description is copied:
-- neither its own functions nor other scripts can change one in use. Its functions receive copies (names of tools, tools).

local core = require "sluice.core"
local luajit = require "sluice.luajit"
local patterns = require "sluice.patterns"
local check = require "sluice.check"
local vocabulary3 = require "sluice.vocabulary"
local vocabulary = require "sluice.syntax"

local M = {}

local function copy(t, without)
  local out = {}
  for k, v in pairs(t) do
    if not (without and without[k]) then
      out[k] = v
    end
  end
  return out
end

-- A deep copy of a table, which may contain shared tables and cycles. `other`, if any, returns the replacement for a userdata or a table
-- with a metatable, or nil. Tables with a metatable (ordered objects) are immutable to scripts, and not copied.
local function deep_copy(value, other, done)
  if type(value) ~= "table" or getmetatable(value) ~= nil then
    local out
    if other and (type(value) == "table" or type(value) == "userdata") then
      out = other(value)
    end
    return out == nil and value or out
  end
  local out = {}
  done[value] = out
  for k, v in next, value do
    local kind = type(v)
    if kind == "table" or kind == "userdata" then
      v = done[v] or deep_copy(v, other, done)
    end
    out[k] = v
  end
  return out
end

-- Applies `other` to a table in place, as deep_copy does in a copy. `done`: tables to leave as they are.
local function convert(value, other, done)
  done[value] = true
  for k, v in next, value do
    local kind = type(v)
    if kind == "table" and getmetatable(v) == nil then
      if not done[v] then
        convert(v, other, done)
      end
    elseif kind == "table" or kind == "userdata" then
      local out = other(v)
      if out ~= nil then
        value[k] = out
      end
    end
  end
  return value
end

-- ---- The environment ----

local basic = { "assert", "error", "ipairs", "pairs", "next", "select", "tonumber", "tostring", "type", "rawequal" }

-- Parts of the vocabulary that scripts do not get.
local hidden = { patterns = true, core = true, find = true, ready = true }

-- The vocabulary for one script: each word is copied on first use.
local function words_of()
  return setmetatable({}, {
    __index = function(words, key)
      if not hidden[key] and vocabulary[key] ~= nil then
        rawset(words, key, vocabulary[key])
        return vocabulary[key]
      end
      local near = vocabulary.nearest(tostring(key), copy(vocabulary, hidden))
      error(("there is no word 's.%s'%s"):format(tostring(key), near and (" (did you mean 's.%s'?)"):format(near)
        or "; docs/vocabulary.md lists them all"), 2)
    end,
    __metatable = "locked",
  })
end

-- Words of API level 2.
local renamed = { parameters = "s.params", arguments = "s.args", reasoning = "s.think", backref = "s.same", object = "s.json",
  array = 's.json { each = "*" }', attributes = "s.attrs", optional = "s.opt, or s.also if it is only read",
  recoverable = "s.lost for openers; closers need no word", header = "s.match", pattern = "s.match", name_in_id = "s.match",
  exact = "{ exact = true, ... }", member = 's.json { each = "KEY.*" }', block_text = "s.lines", items = "s.lines", fence = "s.lines",
  carried = "s.lines", any_case = "s.match", run = "s.match", extra = "s.json { extra = ... }" }

-- The vocabulary for one script.
local function words3_of(self)
  return setmetatable({}, {
    __index = function(words, key)
      local known = self.words[key]
      if renamed[key] then
        error(("s.%s was a word of api 2; it is now %s"):format(key, renamed[key]), 2)
      elseif known == nil then
        error(("there is no word 's.%s'%s"):format(tostring(key), check.instead(key, self.words, "docs/vocabulary.md lists them all")), 2)
      end
      rawset(words, key, known)
      return known
    end,
    __metatable = "locked",
  })
end

-- The libraries of a script, each its own copy, made on first use.
local own_copy = {
  string = function(self) return copy(self.libraries.string, { dump = true }) end,
  table = function(self) return copy(self.libraries.table, { move = true }) end,
  math = function() return copy(math, { randomseed = true }) end,
  utf8 = function(self) return self.libraries.utf8 and copy(self.libraries.utf8) end,
  lpeg = function(self) return self.patterns.copy() end,
}

local function environment(self, load_named, level3)
  local env, libraries = {}, self.libraries
  env.s = level3 and words3_of(self) or nil
  for _, name in ipairs(basic) do
    env[name] = libraries[name] or _G[name]
  end
  env.unpack = libraries.table.unpack or unpack
  function env.require(name)
    if name == "sluice.syntax" then
      return level3 and env.s or words_of()
    elseif name == "lpeg" then
      return env.lpeg
    end
    error(("a syntax may require \"sluice.syntax\" and \"lpeg\", not %q"):format(tostring(name)), 2)
  end
  --- inherit(name, changes): a dialect of another syntax.
  function env.inherit(name, changes)
    if level3 then
      return self.words.inherit(load_named(name), changes)
    end
    env.lpeg = env.lpeg -- the parent may have patterns
    return vocabulary.inherit(self.handed_out(load_named(name)), changes)
  end
  return setmetatable(env, {
    __index = function(_, key)
      local library = own_copy[key] and own_copy[key](self)
      if library then
        rawset(env, key, library)
        return library
      end
      error(("a syntax has no '%s'"):format(tostring(key)), 2)
    end,
    __metatable = "locked",
  })
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

-- ---- What goes in and comes out ----

-- Wraps a script's function that repairs names: it receives its own copy of the names, one for each set of tools, and returns a name.
local function name_repair(f)
  local copies = setmetatable({}, { __mode = "k" })
  return function(name, tools)
    local names = copies[tools]
    if not names then
      names = {}
      for each in pairs(tools) do
        names[each] = true
      end
      copies[tools] = names
    end
    local repaired = f(name, names)
    if repaired ~= nil and repaired ~= false and (type(repaired) ~= "string" or #repaired > M.most_name) then
      error(type(repaired) == "string" and "repair_name returned a name that is too long"
        or ("repair_name returned a %s, not a name"):format(type(repaired)), 0)
    end
    return repaired
  end
end

-- Wraps a function whose argument number `at` is tools: it receives copies.
local function with_tools(f, at)
  local copies = setmetatable({}, { __mode = "k" })
  return function(...)
    local given, n = { ... }, select("#", ...)
    local tools = given[at]
    if type(tools) == "table" then
      copies[tools] = copies[tools] or deep_copy(tools, nil, {})
      given[at] = copies[tools]
    end
    return f((unpack or table.unpack)(given, 1, n))
  end
end

--- Most bytes of a name that a script may return.
M.most_name = 4096

--- sandbox.new(lpeg, system): system.libraries: replacements for Lua's `string`, `table`, `utf8` and `next` if a state charges for their
-- use. Returns a table of functions:
--   run(text, path, load_named) -> the result of the script with this text, nil, and true if it may have patterns; or nil and a message;
--     load_named(name) returns a description to inherit from, or raises;
--   taken_over(description, ours, patterns) -> the description for the registry; `ours`: from a script of the library, needs no copy;
--     `patterns`: it may contain some;
--   handed_out(description) -> the description for a script.
function M.new(lpeg, system)
  local libraries = system.libraries or { string = string, table = table, utf8 = utf8, next = next }
  local limited = system.libraries ~= nil
  local self = { libraries = libraries }
  self.patterns = patterns.new(lpeg, { size = core.size_of, tick = limited and core.tick or nil,
    charge = limited and core.charge or nil })

  local function wrapped(value)
    return type(value) == "userdata" and lpeg.type(value) == "pattern" and self.patterns.wrap(value) or nil
  end

  -- Descriptions of level 3 and what scripts have in their place: scripts see nothing of a description.
  local descriptions = setmetatable({}, { __mode = "k" })
  local context = { raw = self.patterns.raw, is_pattern = function(value)
    return type(value) ~= "string" and self.patterns.raw(value) ~= nil
  end }
  local function sealed(make)
    return function(...)
      local handle = setmetatable({}, { __metatable = "locked" })
      descriptions[handle] = make(...)
      return handle
    end
  end
  self.words = vocabulary3.new(context)
  self.words.syntax, self.words.inherit = sealed(self.words.syntax), sealed(self.words.inherit)

  function self.taken_over(description, ours, has_patterns)
    local out
    if description.given then
      out = description
    elseif ours and not has_patterns then
      out = description
    elseif ours then -- examples contain no patterns
      out = convert(description, self.patterns.raw, { [description.examples or description] = true })
    else
      out = deep_copy(description, self.patterns.raw, {})
    end
    out.repair_name = out.repair_name and name_repair(out.repair_name)
    out.parse = out.parse and with_tools(out.parse, 2)
    out.template = type(out.template) == "function" and with_tools(out.template, 1) or out.template
    return out
  end

  function self.handed_out(description)
    return deep_copy(description, wrapped, {})
  end

  function self.run(text, path, load_named)
    local outer = context.path
    local env = environment(self, load_named, text:find "%f[%w_]api%s*=%s*3")
    local f, message = chunk_of(text, "@" .. path, env)
    if not f then
      return nil, message
    end
    core.fresh_budget() -- each script has its own budget
    context.path = path
    local ok, result = pcall(f)
    context.path = outer
    core.fresh_budget()
    if not ok then
      return nil, tostring(result)
    end
    return descriptions[result] or result, nil, rawget(env, "lpeg") ~= nil
  end

  return self
end

return M
