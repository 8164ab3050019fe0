--- ^^^name, lines of `key: value`, ^^^: at the start of lines, one block per message.
-- Two forms are read: that of the specification (`---` and a body, `key: |` blocks, YAML lists, repeated keys), and that
-- which the project implements (`key ---` ... `--- key`, `key: [` ... `]`). Lists are written as repeated keys.

local P, C, S, R = lpeg.P, lpeg.C, lpeg.S, lpeg.R

local blank, space, word = S " \t"^0, S " \t\r\n", C((R("az", "AZ", "09") + "_")^1)
local text = space^0 * C((space^0 * (1 - space)^1)^0) * space^0
local dash, bracket = blank * "- " * text, blank * "]" * blank

-- Reads a value up to this line. Where it begins a block, or itself again, and does not end it, a call was begun anew.
local function body(l, key, last, between)
  return l.body(key, last, between, (l.literal "^^^" * word + key * P " ---" + "--- " * word) * blank, l.literal "^^^\n":sub(1, -2) * blank)
end

-- Takes the lines that match.
local function items(l, item)
  local out, one = {}, l.take(item)
  while one do
    out[#out + 1], one = one, l.take(item)
  end
  return out
end

-- An indented block without its indentation.
local function indented(l, key, ending)
  local margin, between = nil, ""
  l.value(key, "")
  while l.peek() and (l.peek():find "^[ \t]" or l.peek() == "") do
    local line = l.line()
    local blanks = #line:match "^[ \t]*"
    margin = margin or blanks
    if blanks < margin and line:find "%S" then
      l.cut() -- the start of earlier lines is in doubt
    end
    l.more(between .. line:sub(math.min(blanks, margin) + 1))
    between = "\n"
  end
  l.more(ending)
end

-- The forms of a parameter: a pattern for its first line, and a function that reads the rest of it, and returns true if its own end was
-- there, so that the text may end behind it.
local forms = {
  { word * " ---" * blank, function(l, key)
    return body(l, key, "--- " * P(key) * blank, true)
  end },
  { word * ": [" * blank, function(l, key)
    l.value(key, items(l, text - (bracket * -1 + l.literal "^^^")))
    return l.take(bracket) or l.cut()
  end },
  { word * ": |" * C(P "-"^-1) * blank, function(l, key, chomp)
    indented(l, key, chomp == "" and "\n" or "")
  end },
  { word * ":" * (S " \t" * blank * (text - P "^^^") + lpeg.Cc ""), function(l, key, value, ended)
    local list = value == "" and items(l, dash) or {}
    l.value(key, list[1] and list or value)
    return ended and value ~= ""
  end },
}

-- Reads a parameter in one of these forms. Returns false if there is none.
local function parameter(l, first, last)
  for i = first, last do
    local ended = l.ended()
    local key, value = l.take(forms[i][1])
    if key then
      if not (forms[i][2](l, key, value, ended) or l.peek()) then
        l.cut()
      end
      return true
    end
  end
  return false
end

local function read(l)
  local fence, name = l.literal("^^^\n"):sub(1, -2) * blank, l.ended() and l.take(l.literal "^^^" * word * blank)
  if not name then
    return false
  end
  l.call(name)
  while not l.take(fence) do
    if l.take(P "---" * blank) then
      if not parameter(l, 3, 3) then
        body(l, "content", fence)
        break
      end
    elseif not parameter(l, 1, #forms) and not l.take(blank) then
      (l.peek() and l.cut or l.mended)()
      break
    end
  end
  return "line"
end

return s.syntax {
  api = 3, name = "caret",
  origin = "stippi/code-assistant", source = "https://github.com/stippi/code-assistant",
  call = { at = "line", s.lines("^^^", read, nil, {
    "^^^", s.name(), "\n",
    s.params { s.any { { s.key(), ": ", s.value { line = "[^ \\t\\r\\n|\\[^]([^\\r\\n]*[^ \\t\\r\\n])?" }, "\n" },
      { s.key(), " ---\n", s.value(), "\n--- ", s.same "key", "\n" } } },
    "^^^\n",
  }) },
  values = { default = "string", repeated = "plural" }, options = { max_calls = 1 },
  marked = { "^^^{mark}\n", "^^^{mark }" },
  examples = { {
    text = "^^^write_file\npath: a\ncontent ---\nline 1\nline 2\n--- content\n^^^\n",
    calls = { { name = "write_file", arguments = s.ordered { { "path", "a" }, { "content", "line 1\nline 2" } } } },
  } },
}
