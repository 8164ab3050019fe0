--- Words of formats that agents invented, as they are read. Each is made of the operations of core/stream.h, like those of
-- sluice.parse.compile, whose tools they are handed.

local core = require "sluice.core"
local schema = require "sluice.schema.types"

local NAME = {} -- bytes that a name goes on with
for i = 0, 255 do
  NAME[i] = string.char(i):match "[%w_-]" ~= nil or i >= 128
end

local brace, bracket, bracket_end = core.set { "{" }, core.set { "[" }, core.set { "]" }

local function set_from(list)
  local out = {}
  for _, key in ipairs(list or {}) do
    out[key] = true
  end
  return out
end

-- What else a raw value is read as: bits for the core.
local function bits_of(node)
  local bits = (node.fenced and core.FENCED or 0) + (node.unquoted and core.QUOTED or 0)
  if node.entities == true then
    bits = bits + core.ENTITIES
  elseif node.entities then
    bits = bits + core.ANGLES
  end
  return bits
end

-- Does an object with a quoted key begin here? In the middle of a text nothing less is looked at.
local function with_key(st)
  local start = st:pos()
  st:byte(true)
  st:accept(brace)
  local byte = st:byte(true)
  st:seek(start)
  return byte == 34 or byte == 39
end

-- Skips a value. The state of a member.
local function skip(st, flags)
  local _, first, _, _, read = st:skip(flags)
  return read, first
end

-- The value at pos as that of a parameter of the announced call. The state of a member.
local function take_json(st, key, flags)
  st:param(key)
  local item, _, _, kind, good, why = st:json(flags)
  if good then
    return true
  elseif kind == core.READ_MORE then
    st:lower "incomplete"
    return "cut"
  end
  return "broken", item % 2 == 0, why
end

-- What an object's options add to how its members are read; nil where there are none. The function gets a key and the byte that its
-- value begins with, or no key: the arguments stand at pos, and the name is known. It answers the state of the member, or nil where it
-- is an ordinary one.
local function object_options(node, o, used, duplicate)
  if not (node.scalar or node.answers or node.reasoning or node.ignored or node.arguments == "*") then
    return nil
  end
  local answers, reasoning, ignored = set_from(node.answers), set_from(node.reasoning), set_from(node.ignored)
  local flat = node.arguments == "*"

  local function arguments(st, c, byte)
    if answers[c.name] then
      c.given, c.b.spoke = true, true
      o.tell_reasoning(st, c.b)
      local _, _, _, _, ok = st:speech(o.flags, "text")
      return ok or "cut"
    elseif node.scalar and not o.look(st, byte) then
      if not o.commit(st, c) then
        return false
      end
      c.given = true
      return take_json(st, schema.single(c.tool, node.scalar), o.flags)
    end
  end

  return function(st, c, key, byte)
    if key == nil then
      return arguments(st, c, byte)
    elseif ignored[key] then
      return (skip(st, o.flags))
    elseif reasoning[key] then
      local said = c.b.said or {}
      if not c.began and (said[#said] or -1) < st:pos() then
        said[#said + 1] = st:pos()
        c.b.said = said
      end
      return (skip(st, o.flags))
    elseif o.name_keys[key] then
      return c.name and (skip(st, o.flags)) or nil
    elseif o.id_keys[key] or o.extra_keys[key] then
      return nil
    elseif flat and not c.name then
      c.passed = true
      return (skip(st, o.flags))
    elseif flat then
      if not c.began and not o.commit(st, c) then
        return false
      elseif used(c)[key] then
        duplicate(st, key)
        return (skip(st, o.flags))
      end
      used(c)[key] = true
      return take_json(st, key, o.flags)
    elseif o.argument_keys[key] and not c.given then
      if c.name then
        return arguments(st, c, byte)
      end
      local read, first = skip(st, o.flags)
      c.given, c.arguments_at = true, first
      return read
    end
  end
end

local tick, newline = core.set { "`" }, core.set { "\n" }

-- A run of backticks at pos: how many.
local function ticks(st)
  local start = st:pos()
  while st:accept(tick, true) do end
  return st:pos() - start
end

-- Is the fence at pos the one that closes the block? Others in between are counted.
local function fence_ends(st, c)
  local start, open = st:pos(), c.fences
  if not st:at_line() then
    return false
  end
  local count = ticks(st)
  local _, first, last = st:upto(newline, c.b.set.limit_header)
  local word = st:text(first, last):match "^%s*(.-)%s*$"
  st:seek(start)
  if word ~= "" and not word:find "`" then
    open[#open + 1] = count
    return false
  elseif word ~= "" or count < open[#open] then
    return false
  end
  if #open > 1 then
    open[#open] = nil
    return false
  end
  return true
end

return function(words, with)
  local set_of, cons = with.set_of, with.cons

  -- What stands before a name together with the name of a given tool: see sluice.parse.declared.
  function words.declared(_, node)
    local set = set_of(node.texts)
    return function(st, c)
      local item, first, last = st:accept(set, true)
      if not item or NAME[st:byte(false) or 0] then
        return false
      end
      c.name, c.name_start, c.name_end, c.pattern = node.names[item], first + node.prefix, last, nil
      return c.name ~= nil
    end
  end

  function words.fence(_, node)
    local opens = node.what == "open"
    return function(st, c)
      local start = st:pos()
      local count = (opens or st:byte(true)) and ticks(st) or 0
      if opens then
        c.fences = { count }
      elseif count < (c.fences and c.fences[1] or 3) then
        st:seek(start)
        st:lower "recovered"
        return true
      end
      return count >= 3
    end
  end

  -- Whole lines behind a prefix.
  function words.prefixed(_, node)
    local prefix = set_of { node.prefix }
    return function(st, c)
      if not c.began and not with.commit(st, c) then
        return false
      end
      local key = node.key or c.key
      with.used(c)[key] = true
      st:param(key)
      local _, _, _, _, ok = st:lines(prefix)
      if not ok then
        st:lower "incomplete"
      end
      return true
    end
  end

  function words.carried(_, node)
    return function(st, c)
      local text = st:carried()
      if not text then
        return false
      end
      c.held = c.held or {}
      c.held[#c.held + 1] = { key = node.key, text = text }
      return true
    end
  end

  function words.extra(plan, node, rest)
    local read = with.upto_follow(plan, node, rest, "value")
    return function(st, c)
      local text = read(st, c.b.set.limit_header, c)
      if not text then
        return false
      end
      c.extra = c.extra or {}
      c.extra[node.key] = core.json.encode(text)
      return true
    end
  end

  -- An object around a call, or a list of them.
  function words.member(plan, node, rest)
    local keys, reasoning, fixed = set_from(node.keys), set_from(node.reasoning), {}
    for _, pair in ipairs(node.fixed or {}) do
      fixed[pair[1]] = pair[2]
    end
    local content = with.compile(plan, node[1], cons({ word = "member_end" }, rest))

    -- An empty list says that nothing is to be called.
    local function is_empty(st, byte)
      local start = st:pos()
      if byte ~= 91 then
        return false
      end
      st:accept(bracket)
      if st:accept(bracket_end) then
        return true
      end
      st:seek(start)
      return false
    end

    return function(st, c)
      local b, done, opens = c.b, false, true
      if node.anywhere and not with_key(st) then
        return false
      end
      while true do
        local byte, _, _, instead, ok, key = st:member(core.LENIENT, nil, opens)
        opens = false
        if not ok then
          if instead ~= 125 and done and c.began then
            st:lower "recovered"
          end
          return done
        elseif keys[key] and not done then
          if is_empty(st, byte) then
            b.spoke = true
            st:flush()
          elseif not content(st, c) then
            return false
          end
          done = true
        elseif fixed[key] and not done then
          local read, first = skip(st, core.LENIENT)
          local text = read and core.json.decode(st:text(first, st:pos()))
          if text ~= fixed[key] then
            return false
          end
        else
          if reasoning[key] and not done then
            b.said = b.said or {}
            b.said[#b.said + 1] = st:pos()
          end
          if not skip(st, core.LENIENT) then
            return done
          end
        end
      end
    end
  end

  return function(_, node, o)
    return object_options(node, o, with.used, with.duplicate)
  end, bits_of, fence_ends, with_key
end
