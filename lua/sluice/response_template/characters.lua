--- Character classes of Python's regular expressions.

local M = {}

-- The code point at p and its length in bytes; nil at the end. An invalid byte counts as one character.
local function character(at, p)
  local b = at(p)
  if not b or b < 0x80 then
    return b, 1
  end
  local n = b >= 0xF0 and b < 0xF8 and 4 or b >= 0xE0 and b < 0xF0 and 3 or b >= 0xC2 and b < 0xE0 and 2 or 1
  local code = n == 4 and b - 0xF0 or n == 3 and b - 0xE0 or n == 2 and b - 0xC0 or b
  for i = 1, n - 1 do
    local c = at(p + i)
    if not c or c < 0x80 or c > 0xBF then
      return b, 1
    end
    code = code * 64 + c - 0x80
  end
  return code, n
end

local function inside(ranges, code)
  for i = 1, #ranges, 2 do
    if code >= ranges[i] and code <= ranges[i + 1] then
      return true
    end
  end
  return false
end

local digits = { 48, 57 }
local spaces = { 9, 13, 28, 32, 0x85, 0x85, 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x202F, 0x205F, 0x205F,
  0x3000, 0x3000 }
-- Outside ASCII everything counts as a letter except punctuation, symbols and emoji.
local others = { 0x80, 0xA9, 0xAB, 0xB1, 0xB4, 0xB4, 0xB6, 0xB8, 0xBB, 0xBB, 0xBF, 0xBF, 0xD7, 0xD7, 0xF7, 0xF7, 0x2000, 0x206F, 0x20A0,
  0x20CF, 0x2190, 0x245F, 0x249C, 0x24E9, 0x2500, 0x2775, 0x2794, 0x2BFF, 0x3000, 0x3004, 0x3008, 0x3020, 0xD800, 0xF8FF, 0xFE10, 0xFE6F,
  0xFF00, 0xFF0F, 0xFF1A, 0xFF20, 0xFF3B, 0xFF40, 0xFF5B, 0xFF65, 0xFFE0, 0xFFFD, 0x1F000, 0x1FAFF }

local function is_word(code)
  if code < 0x80 then
    return code >= 48 and code <= 57 or code >= 65 and code <= 90 or code == 95 or code >= 97 and code <= 122
  end
  return not inside(others, code)
end

local classes = {
  d = function(code) return inside(digits, code) end,
  s = function(code) return inside(spaces, code) end,
  w = is_word,
}
for lower, test in pairs { d = classes.d, s = classes.s, w = classes.w } do
  classes[lower:upper()] = function(code) return not test(code) end
end

M.character, M.inside, M.classes = character, inside, classes

return M
