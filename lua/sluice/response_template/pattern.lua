--- Parses a Python regular expression to a tree for sluice.response_template.regex.

local characters = require "sluice.response_template.characters"
local character, inside, classes = characters.character, characters.inside, characters.classes
local byte = string.byte

local M = {}

local function refuse(r, what)
  error(("the regular expression %s: %s"):format(r.pattern, what), 0)
end

local escapes = { n = 10, t = 9, r = 13, f = 12, v = 11, a = 7, ["0"] = 0 }

-- Reads the pattern's character at r.p; returns its code point.
local function take(r)
  local text = r.pattern
  local code, n = character(function(p) return byte(text, p + 1) end, r.p - 1)
  r.p = r.p + n
  return code
end

local function hexadecimal(r, count)
  local digits_ = r.pattern:sub(r.p, r.p + count - 1)
  if #digits_ < count or digits_:find "%X" then
    refuse(r, "an escape lacks its hexadecimal digits")
  end
  r.p = r.p + count
  return tonumber(digits_, 16)
end

-- Reads an escape after its backslash: returns a code point, or nil and a class.
local function escape(r)
  local c = r.pattern:sub(r.p, r.p)
  if c == "" then
    refuse(r, "it ends in a backslash")
  elseif classes[c] then
    r.p = r.p + 1
    return nil, classes[c]
  elseif c == "x" or c == "u" or c == "U" then
    r.p = r.p + 1
    return hexadecimal(r, c == "x" and 2 or c == "u" and 4 or 8)
  elseif escapes[c] then
    r.p = r.p + 1
    return escapes[c]
  elseif c:find "[%a%d]" then
    refuse(r, ("the escape \\%s is not supported"):format(c))
  end
  return take(r)
end

-- Reads a class in brackets; returns a test of code points.
local function bracket(r)
  local negated = r.pattern:sub(r.p, r.p) == "^"
  r.p = r.p + (negated and 1 or 0)
  local ranges, tests, first = {}, {}, true
  while true do
    local c = r.pattern:sub(r.p, r.p)
    if c == "" then
      refuse(r, "a [ has no ]")
    elseif c == "]" and not first then
      r.p = r.p + 1
      break
    end
    first = false
    local code, test
    if c == "\\" then
      r.p = r.p + 1
      if r.pattern:sub(r.p, r.p) == "b" then
        r.p = r.p + 1
        code = 8
      else
        code, test = escape(r)
      end
    else
      if r.pattern:find("^%[[:.=]", r.p) or r.pattern:find("^%-%-", r.p) or r.pattern:find("^&&", r.p) then
        refuse(r, "set operations and [:names:] are not supported")
      end
      code = take(r)
    end
    if test then
      tests[#tests + 1] = test
    elseif r.pattern:find("^%-[^%]]", r.p) then
      r.p = r.p + 1
      local last
      if r.pattern:sub(r.p, r.p) == "\\" then
        r.p = r.p + 1
        last = escape(r)
      else
        last = take(r)
      end
      if not last or last < code then
        refuse(r, "a range in [] is in reverse order")
      end
      ranges[#ranges + 1], ranges[#ranges + 2] = code, last
    else
      ranges[#ranges + 1], ranges[#ranges + 2] = code, code
    end
  end
  local function member(code)
    if inside(ranges, code) then
      return true
    end
    for i = 1, #tests do
      if tests[i](code) then
        return true
      end
    end
    return false
  end
  local known = {} -- results for ASCII
  for code = 0, 127 do
    known[code] = member(code) ~= negated
  end
  return function(code)
    local answer = known[code]
    if answer == nil then
      answer = member(code) ~= negated
    end
    return answer
  end
end

local alternation

local function any() return true end

-- Reads a group after its opening parenthesis.
local function group(r)
  local kind = "group"
  local name
  if r.pattern:sub(r.p, r.p) == "?" then
    local rest = r.pattern:sub(r.p + 1)
    local named = rest:match "^P?<([%a_][%w_]*)>"
    local referred = rest:match "^P=([%a_][%w_]*)%)"
    if rest:sub(1, 1) == ":" then
      r.p, kind = r.p + 2, "sequence"
    elseif rest:sub(1, 1) == "=" then
      r.p, kind = r.p + 2, "ahead"
    elseif rest:sub(1, 1) == "!" then
      r.p, kind = r.p + 2, "not_ahead"
    elseif named then
      r.p, name = r.p + 1 + rest:find ">", named
    elseif referred then
      r.p = r.p + 4 + #referred
      return { kind = "same", name = referred }
    elseif rest:find "^[as]+%)" then -- flags that are always on
      r.p = r.p + 1 + rest:find "%)"
      return { kind = "sequence" }
    elseif rest:find "^<=" then
      r.p, kind = r.p + 3, "behind"
    elseif rest:find "^<!" then
      refuse(r, "a negative lookbehind is not supported")
    else
      refuse(r, ("the group (?%s is not supported"):format(rest:sub(1, 2)))
    end
  end
  local number
  if kind == "group" then
    r.groups = r.groups + 1
    number = r.groups
    if name then
      r.names[#r.names + 1] = name
      r.names[name] = number
    end
  end
  local inner = alternation(r)
  if r.pattern:sub(r.p, r.p) ~= ")" then
    refuse(r, "a ( has no )")
  end
  r.p = r.p + 1
  if kind == "behind" then -- a single character
    local one = inner.kind == "sequence" and #inner == 1 and inner[1]
    if not one or (one.kind ~= "test" and one.kind ~= "literal") or (one.text and #one.text > 1) then
      refuse(r, "a lookbehind of more than one character is not supported")
    end
    inner = one
  end
  return { kind = kind, number = number, name = name, inner }
end

local function atom(r)
  local c = r.pattern:sub(r.p, r.p)
  if c == "(" then
    r.p = r.p + 1
    return group(r)
  elseif c == "[" then
    r.p = r.p + 1
    return { kind = "test", test = bracket(r) }
  elseif c == "." then
    r.p = r.p + 1
    return { kind = "test", test = any }
  elseif c == "^" then
    r.p = r.p + 1
    return { kind = "start" }
  elseif c == "$" then
    r.p = r.p + 1
    return { kind = "finish", newline = true }
  elseif c == "\\" then
    r.p = r.p + 1
    local e = r.pattern:sub(r.p, r.p)
    if e == "A" then
      r.p = r.p + 1
      return { kind = "start" }
    elseif e == "Z" or e == "z" then
      r.p = r.p + 1
      return { kind = "finish" }
    elseif e == "b" or e == "B" then
      r.p = r.p + 1
      return { kind = "edge", want = e == "b" }
    elseif e:find "[1-9]" then
      r.p = r.p + 1
      return { kind = "same", number = tonumber(e) }
    end
    local code, test = escape(r)
    return test and { kind = "test", test = test, space = test == classes.s } or { kind = "literal", code = code }
  elseif c == "*" or c == "+" or c == "?" then
    refuse(r, ("the quantifier %s has nothing before it"):format(c))
  end
  return { kind = "literal", code = take(r) }
end

local function utf8_of(code)
  if code < 0x80 then
    return string.char(code)
  elseif code < 0x800 then
    return string.char(0xC0 + (code - code % 64) / 64, 0x80 + code % 64)
  elseif code < 0x10000 then
    return string.char(0xE0 + (code - code % 4096) / 4096, 0x80 + (code - code % 64) / 64 % 64, 0x80 + code % 64)
  end
  return string.char(0xF0 + (code - code % 262144) / 262144, 0x80 + (code - code % 4096) / 4096 % 64, 0x80 + (code - code % 64) / 64 % 64,
    0x80 + code % 64)
end

-- One atom with its quantifier.
local function quantified(r)
  local node = atom(r)
  if node.kind == "literal" then
    node.text = utf8_of(node.code)
  end
  while true do
    local c = r.pattern:sub(r.p, r.p)
    local low, high
    if c == "*" then
      low, high = 0, math.huge
    elseif c == "+" then
      low, high = 1, math.huge
    elseif c == "?" then
      low, high = 0, 1
    else
      local braces = c == "{" and r.pattern:sub(r.p, r.p + 24) -- short, since matching is charged by length
      local a, b, length = (braces or ""):match "^{(%d*),?(%d*)}()"
      if not a or (a == "" and b == "") then
        return node
      end
      local stop = r.p + length - 1
      local exact = not r.pattern:sub(r.p, stop - 1):find ","
      low = tonumber(a) or 0
      high = exact and low or tonumber(b) or math.huge
      r.p = stop - 1
    end
    r.p = r.p + 1
    local lazy = r.pattern:sub(r.p, r.p) == "?"
    if lazy then
      r.p = r.p + 1
    elseif r.pattern:sub(r.p, r.p) == "+" then
      refuse(r, "a possessive quantifier is not supported")
    end
    if node.kind == "repeat" then
      refuse(r, "a quantifier follows a quantifier")
    end
    node = { kind = "repeat", low = low, high = high, lazy = lazy, node }
  end
end

local function any_of(ways)
  ways.kind = "any"
  return ways
end

function alternation(r)
  local ways = {}
  while true do
    local seq = { kind = "sequence" }
    while r.p <= #r.pattern and not r.pattern:find("^[|)]", r.p) do
      seq[#seq + 1] = quantified(r)
    end
    ways[#ways + 1] = seq
    if r.pattern:sub(r.p, r.p) ~= "|" then
      break
    end
    r.p = r.p + 1
  end
  return #ways == 1 and ways[1] or any_of(ways)
end

--- pattern.read(text) -> the tree, and the names of its groups. Raises a message that names an unsupported construct.
function M.read(text)
  local r = { pattern = text, p = 1, groups = 0, names = {} }
  local tree = alternation(r)
  if r.p <= #text then
    refuse(r, "a ) has no (")
  end
  return tree, r.names
end

-- The test of a dot, which matches every character.
M.any = any

return M
