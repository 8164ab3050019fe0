--- Matches Python regular expressions, as in response templates, over a stream of bytes.
--
-- regex.compile(pattern) -> a regex, or raises a message that names an unsupported construct.
-- regex:match(at, p, origin) -> the position after the match that begins at `p`, and the captures { name = { start, end } }; or nil.
--
-- `at(p)` returns the byte at position p (from 0), or nil at the end of the text; it may wait for input. So a match does not depend on
-- the chunking. `^` and `\A` match at `origin`. Matching backtracks as in Python: alternatives in order,
-- quantifiers greedy or lazy. A character is a code point; DOTALL is on, MULTILINE off.

local M = {}

local byte = string.byte

local characters = require "sluice.response_template.characters"
local patterns = require "sluice.response_template.pattern"
local character, is_word = characters.character, characters.classes.w

-- ---- Matching ---------------------------------------------------------------------------------

-- Each node becomes a function of (s, p) that returns the end of the whole match or nil; `k` is the continuation.
local build

-- Matches one character or literal: its end, or nil.
local function single(node)
  if node.kind == "test" then
    local test = node.test
    return function(s, p)
      local code, n = character(s.at, p)
      return code and test(code) and p + n or nil
    end
  elseif node.kind == "literal" then
    local text = node.text
    local n = #text
    local first = byte(text)
    return function(s, p)
      if s.at(p) ~= first then
        return nil
      end
      for i = 2, n do
        if s.at(p + i - 1) ~= byte(text, i) then
          return nil
        end
      end
      return p + n
    end
  end
end

-- The next place in s.text, from p, where a lazy run of any characters may end: where the rest can begin.
local function next_end(s, p, rest)
  local found = s.text:find(rest, p + 1)
  return found and found - 1 or #s.text
end

local function repeated(node, k)
  local inner, low, high = node[1], node.low, node.high
  local one = single(inner)
  if one and node.lazy then
    local rest = low == 0 and high == math.huge and inner.test == patterns.any and node.rest
    return function(s, p)
      if rest and s.text then
        while true do
          p = next_end(s, p, rest)
          local stop = k(s, p)
          if stop or p >= #s.text then
            return stop
          end
          p = p + 1
        end
      end
      local count = 0
      while count < low do
        p = one(s, p)
        if not p then
          return nil
        end
        count = count + 1
      end
      while true do
        local stop = k(s, p)
        if stop or count >= high then
          return stop
        end
        p = one(s, p)
        if not p then
          return nil
        end
        count = count + 1
      end
    end
  elseif one then
    return function(s, p)
      local ends, count = { [0] = p }, 0
      while count < high do
        local q = one(s, p)
        if not q then
          break
        end
        count = count + 1
        p = q
        ends[count] = q
      end
      for i = count, low, -1 do
        local stop = k(s, ends[i])
        if stop then
          return stop
        end
      end
      return nil
    end
  end
  local function turn(count)
    local again
    return function(s, p)
      local more = count < high and function()
        again = again or build(inner, function(s2, q)
          if q == p and count >= low then -- an empty repetition
            return nil
          end
          return turn(count + 1)(s2, q)
        end)
        return again(s, p)
      end
      if count < low then
        return more and more()
      elseif node.lazy then
        return k(s, p) or more and more()
      end
      return more and more() or k(s, p)
    end
  end
  return function(s, p)
    return turn(0)(s, p)
  end
end

local makers = {}

function makers.literal(node, k)
  local one = single(node)
  return function(s, p)
    local q = one(s, p)
    return q and k(s, q)
  end
end
makers.test = makers.literal

-- Adds the bytes that a match of the nodes from the i-th can begin with. Returns true if it must begin with one, nil if unknown.
local function first_bytes(list, i, set)
  for n = i, #list do
    local node = list[n]
    local kind = node.kind
    if kind == "literal" then
      set[byte(node.text)] = true
      return true
    elseif kind == "test" then
      for b = 0, 255 do
        set[b] = set[b] or b > 127 or node.test(b)
      end
      return true
    elseif kind == "repeat" then
      local all = first_bytes(node, 1, set)
      if all == nil or (all and node.low > 0) then
        return all
      end
    elseif kind == "sequence" or kind == "group" then
      local all = first_bytes(node, 1, set)
      if all ~= false then
        return all
      end
    else
      return nil
    end
  end
  return false
end

-- A Lua pattern for these bytes, or nil.
local function first_class(list, i)
  local set, all = {}, false
  while list and all == false do -- the rest may be outside this group
    all = first_bytes(list, i, set)
    local after = list.after
    list, i = after and after[1], after and after[2]
  end
  if not all then
    return nil
  end
  local out = {}
  for b = 0, 255 do
    out[#out + 1] = set[b] and (b == 0 and "%z" or ("%" .. string.char(b)):gsub("^%%([%w\128-\255%c])", "%1")) or nil
  end
  return "[" .. table.concat(out) .. "]"
end

function makers.sequence(node, k)
  for i = #node, 1, -1 do
    local inner = node[i].kind == "group" and node[i][1] or node[i]
    if inner.kind == "sequence" then
      inner.after = { node, i + 1 }
    end
    if node[i].kind == "repeat" then
      node[i].rest = first_class(node, i + 1)
    end
    k = build(node[i], k)
  end
  return k
end

function makers.any(node, k)
  local ways = {}
  for i = 1, #node do
    ways[i] = build(node[i], k)
  end
  return function(s, p)
    for i = 1, #ways do
      local stop = ways[i](s, p)
      if stop then
        return stop
      end
    end
    return nil
  end
end

-- A group records its start and end for backreferences.
function makers.group(node, k)
  local number = node.number
  local body = build(node[1], function(s, q)
    local old = s.caps[number]
    s.caps[number] = { s.opened[number], q }
    local stop = k(s, q)
    if not stop then
      s.caps[number] = old
    end
    return stop
  end)
  return function(s, p)
    local old = s.opened[number]
    s.opened[number] = p
    local stop = body(s, p)
    if not stop then
      s.opened[number] = old
    end
    return stop
  end
end

function makers.ahead(node, k)
  local body = build(node[1], function(_, q) return q end)
  return function(s, p)
    return body(s, p) and k(s, p)
  end
end

function makers.behind(node, k)
  local one = single(node[1])
  return function(s, p)
    return p > s.origin and one(s, p - 1) == p and k(s, p) or nil
  end
end

function makers.not_ahead(node, k)
  local body = build(node[1], function(_, q) return q end)
  return function(s, p)
    return not body(s, p) and k(s, p) or nil
  end
end

function makers.start(_, k)
  return function(s, p)
    return p == s.origin and k(s, p) or nil
  end
end

function makers.finish(node, k)
  return function(s, p)
    local b = s.at(p)
    if b == nil or (node.newline and b == 10 and s.at(p + 1) == nil) then
      return k(s, p)
    end
    return nil
  end
end

function makers.edge(node, k)
  return function(s, p)
    local before = false
    if p > s.origin then
      local q = p - 1
      while q > s.origin and s.at(q) and s.at(q) >= 0x80 and s.at(q) < 0xC0 do
        q = q - 1
      end
      before = is_word(character(s.at, q) or 0)
    end
    local code = character(s.at, p)
    local after = code ~= nil and is_word(code)
    return (before ~= after) == node.want and k(s, p) or nil
  end
end

function makers.same(node, k)
  return function(s, p)
    local cap = s.caps[node.number or s.names[node.name]]
    if not cap then
      return nil
    end
    for i = cap[1], cap[2] - 1 do
      if s.at(p + i - cap[1]) ~= s.at(i) then
        return nil
      end
    end
    return k(s, p + cap[2] - cap[1])
  end
end

makers["repeat"] = repeated

function build(node, k)
  return makers[node.kind](node, k)
end

-- ---- What a match begins with, and contains ---------------------------------------------------

local MOST_NEEDLES = 24

-- Extends each prefix in `list` ({ text, open }) by the node; an open prefix is not extended.
local function extend(list, node)
  if node.kind == "literal" then
    for _, entry in ipairs(list) do
      if not entry.open then
        entry.text = entry.text .. node.text
      end
    end
  elseif node.kind == "sequence" or node.kind == "group" then
    for i = 1, #node do
      list = extend(list, node[i])
    end
  elseif node.kind == "any" or (node.kind == "repeat" and node.low == 0 and node.high == 1) then
    local ways = node.kind == "any" and node or { node[1], { kind = "sequence" } }
    local out = {}
    for _, entry in ipairs(list) do
      if entry.open then
        out[#out + 1] = entry
      else
        for i = 1, #ways do
          for _, more in ipairs(extend({ { text = entry.text, origin = entry.origin, finish = entry.finish } }, ways[i])) do
            out[#out + 1] = more
          end
        end
      end
    end
    if #out > MOST_NEEDLES then
      for _, entry in ipairs(list) do
        entry.open = true
      end
      return list
    end
    return out
  elseif node.kind == "start" then
    for _, entry in ipairs(list) do
      entry.origin = entry.origin or (not entry.open and entry.text == "")
    end
  elseif node.kind == "finish" then
    for _, entry in ipairs(list) do
      entry.finish = entry.finish or (not entry.open and entry.text == "")
    end
  elseif node.kind == "repeat" and node.low > 0 then
    list = extend(list, node[1])
    for _, entry in ipairs(list) do
      entry.open = true
    end
  elseif node.kind ~= "edge" and node.kind ~= "behind" then
    for _, entry in ipairs(list) do
      entry.open = true
    end
  end
  return list
end

-- The longest literal that every match contains; nil if there is none.
local function required(node)
  local best, run = nil, ""
  local function close()
    if run ~= "" and (not best or #run > #best) then
      best = run
    end
    run = ""
  end
  local function walk(n)
    if n.kind == "literal" then
      run = run .. n.text
    elseif n.kind == "sequence" or n.kind == "group" then
      for i = 1, #n do
        walk(n[i])
      end
    elseif n.kind == "ahead" then
      close()
      walk(n[1])
      close()
    else
      close()
    end
  end
  walk(node)
  close()
  return best
end

--- compile(pattern) -> a regex { pattern, needles, open, at_origin, names }. `needles`: literals; every match begins with one of them,
-- except matches of the alternatives in `open`, each { required = a literal that it contains, or nil }; `at_origin`: an empty match at
-- the origin is possible.
function M.compile(pattern)
  local tree, names = patterns.read(pattern)
  local self = { pattern = pattern, names = names, needles = {}, open = {}, tree = tree }
  for _, way in ipairs(tree.kind == "any" and tree or { tree }) do
    for _, entry in ipairs(extend({ { text = "" } }, way)) do
      if entry.text ~= "" then
        self.needles[#self.needles + 1] = entry.text
      elseif entry.origin then
        self.at_origin = true
      elseif entry.finish and not entry.open then
        self.at_end = true
      else
        self.open[#self.open + 1] = { required = required(way) }
      end
    end
  end
  local run = build(tree, function(_, p) return p end)
  function self.match(at, p, origin, text)
    local s = { at = at, text = text, origin = origin or 0, caps = {}, opened = {}, names = names }
    local stop = run(s, p)
    if not stop then
      return nil
    end
    local captures = {}
    for _, name in ipairs(names) do
      captures[name] = s.caps[names[name]]
    end
    return stop, captures
  end
  --- find(text, from) -> the start (from 0), the end and the captures of the first match at or after `from`.
  function self.find(text, from)
    local function at(p) return byte(text, p + 1) end
    local hint = #self.open == 0 and not self.at_origin and not self.at_end and #self.needles == 1 and self.needles[1] or nil
    local p = from
    while p <= #text do
      if hint then
        local found = text:find(hint, p + 1, true)
        if not found then
          return nil
        end
        p = found - 1
      end
      local stop, captures = self.match(at, p, 0, text)
      if stop then
        return p, stop, captures
      end
      local _, n = character(at, p)
      p = p + n
    end
    return nil
  end
  return self
end

return M
