--- LPeg for scripts: the same functions, on objects that wrap patterns.
--
-- LPeg stores a pattern's size in an `int` and walks patterns by recursion in C: one that is too large or deep writes out of bounds or
-- overflows the stack. Matching is not counted either, and each `Cb` may look at all captures before it. So there is no `Cb`, and a script
-- never holds a pattern itself, but an object that knows its pattern; every function here checks the size before it calls LPeg. If time is
-- limited, nested loops and the rules of grammars call `tick`, which can abort the match.

local M = {}

--- Limits of one pattern: bytes of LPeg's tree, each node of which may be a level deeper and take 256 bytes of the C stack; captures within
-- captures, since a grammar may repeat them at each of LPeg's 400 pending calls; and ways through a grammar from rule to rule, since LPeg
-- goes each of them when it compiles one. Nested calls of `match` take about 12 KB of the C stack each.
M.most_bytes, M.most_captures, M.most_nested, M.most_ways = 8 * 1024, 16, 16, 100000

local node = 8 -- bytes of one node of LPeg's tree

local function bound(value, most, what, level)
  if value > most then
    error(("a pattern may not be %s (the limit is %d)"):format(what, most), level + 1)
  end
end

--- patterns.new(lpeg, room): LPeg with limits. room.size(pattern): the bytes of its tree. room.tick: a C function called while patterns
-- match, or nil if time is not limited; room.charge(n): charges for n bytes to be read, or nil. Returns { raw(x) -> the pattern of an
-- object, or nil; methods: the table `lpeg`, of which each script gets a copy }. All scripts share the objects.
-- Stays in one piece: only these short functions reach the patterns behind the objects.
function M.new(lpeg, room)
  local known = setmetatable({}, { __mode = "k" }) -- object -> { raw =, captures =, loops = }
  local tick = room.tick and lpeg.Cmt(true, room.tick)
  local methods, operators = {}, { __metatable = "locked" }
  operators.__index = methods
  function operators.__newindex()
    error("a pattern cannot be changed: all scripts share it", 2)
  end
  local template = newproxy and newproxy(true) -- a table's `#` is its length in Lua 5.1, a userdata's is not

  -- ways: through the rules that it calls; 0 if it calls none
  local function object(raw, captures, loops, ways, level)
    bound(captures, M.most_captures, "captures so deep in captures", level + 1)
    local self = template and newproxy(template) or setmetatable({}, operators)
    known[self] = { raw = raw, captures = captures, loops = loops, ways = ways }
    return self
  end

  local function sized(bytes, level)
    bound(bytes, M.most_bytes, "so large", level + 1)
  end

  local function bytes_of(info)
    return room.size(info.raw)
  end

  local take

  -- A grammar: a table of rules; its first entry may be the name of the first.
  local function grammar(rules, level)
    local raw, captures, bytes, ways = {}, 0, node, 1
    for name, rule in next, rules do
      if name == 1 and (type(rule) == "string" or type(rule) == "number") then
        raw[1] = rule
      else
        local info = take(rule, level + 1)
        bytes, captures = bytes + bytes_of(info) + 4 * node, math.max(captures, info.captures)
        ways = ways * math.max(1, info.ways)
        sized(bytes, level + 1)
        bound(ways, M.most_ways, "a grammar with so many ways through its rules", level + 1)
        raw[name] = tick and tick * info.raw or info.raw
      end
    end
    return { raw = lpeg.P(raw), captures = captures, loops = true, ways = ways }
  end

  -- The pattern and captures of an object, or of any value that LPeg accepts as a pattern.
  function take(value, level)
    local kind = type(value)
    if known[value] then
      return known[value]
    elseif kind == "table" then
      return grammar(value, level + 1)
    elseif kind == "string" then
      sized(2 * node * #value, level + 1)
    elseif kind == "number" then
      local bytes = value == math.floor(value) and math.abs(value) or math.huge
      bound(bytes, M.most_bytes / node / 2, "so large, or of a part of a byte", level + 1)
    elseif kind ~= "boolean" and kind ~= "function" then
      error(("expected a pattern, not %s"):format(value == nil and "nil" or "a " .. kind), level + 1)
    end
    return { raw = lpeg.P(value), captures = kind == "function" and 1 or 0, loops = kind == "function", ways = 0 }
  end

  -- ---- Operators ----

  local function binary(combine)
    return function(a, b)
      a, b = take(a, 2), take(b, 2)
      sized(bytes_of(a) + bytes_of(b) + 2 * node, 2)
      return object(combine(a.raw, b.raw), math.max(a.captures, b.captures), a.loops or b.loops, a.ways + b.ways, 2)
    end
  end
  operators.__mul = binary(function(a, b) return a * b end)
  operators.__add = binary(function(a, b) return a + b end)
  operators.__sub = binary(function(a, b) return a - b end)

  function operators.__pow(p, n)
    p = take(p, 2)
    if type(n) ~= "number" or n ~= math.floor(n) then
      error("a pattern is repeated a whole number of times", 2)
    end
    sized((math.abs(n) + 1) * (bytes_of(p) + 4 * node), 2)
    local raw = n >= 0 and p.loops and tick and tick * p.raw or p.raw
    return object(raw ^ n, p.captures, n >= 0 or p.loops, (math.abs(n) + 1) * p.ways, 2)
  end

  local function unary(make, captures)
    return function(p, ...)
      p = take(p, 2)
      sized(bytes_of(p) + 2 * node, 2)
      return object(make(p.raw, ...), p.captures + captures, p.loops, p.ways, 2)
    end
  end
  operators.__unm = unary(function(p) return -p end, 0)
  operators.__len = unary(function(p) return #p end, 0)
  operators.__div = unary(function(p, what) return p / what end, 1)

  -- ---- Functions ----

  function methods.P(value)
    if known[value] then
      return value
    end
    local info = take(value, 2)
    return object(info.raw, info.captures, info.loops, info.ways, 2)
  end

  for _, name in ipairs { "S", "R", "V", "Cp", "Cc", "Carg", "utfR" } do
    local make = lpeg[name]
    methods[name] = make and function(...)
      return object(make(...), 1, false, name == "V" and 1 or 0, 2)
    end
  end
  for _, name in ipairs { "C", "Cg", "Cs", "Ct", "Cf" } do
    methods[name] = unary(lpeg[name], 1)
  end
  methods.B = unary(lpeg.B, 0)

  function methods.Cmt(p, f)
    p = take(p, 2)
    if type(f) ~= "function" then
      error("lpeg.Cmt takes a pattern and a function", 2)
    end
    return object(lpeg.Cmt(p.raw, f), p.captures + 1, true, p.ways, 2)
  end

  local nested = 0
  local function finish(good, ...)
    nested = nested - 1
    if not good then
      error((...), 0)
    end
    return ...
  end

  function methods.match(p, subject, ...)
    p = take(p, 2)
    if type(subject) ~= "string" then
      error(("a pattern matches a string, not %s"):format(subject == nil and "nil" or "a " .. type(subject)), 2)
    elseif nested >= M.most_nested then
      error("too many matches within a match", 2)
    end
    if room.charge then
      room.charge(#subject)
    end
    nested = nested + 1 -- nothing that may fail stands between this and pcall
    return finish(pcall(lpeg.match, p.raw, subject, ...))
  end

  function methods.type(value)
    return known[value] and "pattern" or nil
  end

  function methods.locale(into)
    into = into or {}
    for name, raw in pairs(lpeg.locale()) do
      into[name] = object(raw, 0, false, 0, 2)
    end
    return into
  end

  methods.version = lpeg.version

  if template then
    local meta = getmetatable(template)
    for name, value in pairs(operators) do
      meta[name] = value
    end
  end

  -- The pattern of an object; x itself if a host made it with its own LPeg; nil if x is not a pattern. Raises if it is too large.
  local function raw(x)
    if known[x] then
      return known[x].raw
    elseif type(x) == "userdata" and lpeg.type(x) == "pattern" then
      sized(room.size(x), 0)
      return x
    end
  end

  return { methods = methods, raw = raw }
end

return M
