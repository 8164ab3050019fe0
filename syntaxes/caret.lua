--- ^^^name, lines of `key: value`, ^^^: at the start of lines, one block per message.
-- Two forms are read: that of the specification (`---` and a body, `key: |` blocks, YAML lists, repeated keys), and that
-- which the project implements (`key ---` ... `--- key`, `key: [` ... `]`). The second is written.
-- Origin: stippi/code-assistant, docs/customizable-tool-syntax.md.

local P, C, S, R = lpeg.P, lpeg.C, lpeg.S, lpeg.R

local blank, word, rest = S " \t"^0, C((R("az", "AZ", "09") + "_")^1), C(P(1)^0)
local fence, dash = P "^^^" * blank, blank * "- " * rest

local function trim(text)
  return text:match "^%s*(.-)%s*$"
end

-- The lines before one that matches, as a list; nil if there is none.
local function until_line(l, pattern)
  local out = {}
  while not l.take(pattern) do
    out[#out + 1] = l.line() or l.cut()
    if not l.peek() then
      break
    end
  end
  return out
end

-- An indented block, without its indentation.
local function indented(l)
  local out, margin = {}, nil
  while l.peek() and (l.peek():find "^[ \t]" or l.peek() == "") do
    margin = margin or #l.peek():match "^[ \t]*"
    out[#out + 1] = l.line():sub(margin + 1)
  end
  return table.concat(out, "\n")
end

-- The forms of a parameter: a pattern for its first line, and a function that reads the rest of it.
local forms = {
  { word * " ---" * blank, function(l, key)
    return table.concat(until_line(l, "--- " * P(key) * blank), "\n")
  end },
  { word * ": [" * blank, function(l)
    local list = until_line(l, blank * "]" * blank)
    for i, item in ipairs(list) do
      list[i] = trim(item)
    end
    return list
  end },
  { word * ": |-" * blank, indented },
  { word * ": |" * blank, function(l)
    return indented(l) .. "\n"
  end },
  { word * ":" * blank, function(l)
    local list, item = {}, l.take(dash)
    while item do
      list[#list + 1], item = trim(item), l.take(dash)
    end
    return list[1] and list or ""
  end },
  { word * ":" * S " \t" * rest, function(_, _, text)
    return trim(text)
  end },
}

-- A parameter in one of these forms: key and value.
local function parameter(l, first, last)
  for i = first, last or #forms do
    local key, text = l.take(forms[i][1])
    if key then
      return { key, forms[i][2](l, key, text) }
    end
  end
end

-- The lines up to the end of the block.
local function body(l)
  local out = {}
  while l.peek() and not (fence * -1):match(l.peek()) do
    local ended = l.ended()
    out[#out + 1] = l.line() .. (ended and "\n" or "")
  end
  return table.concat(out)
end

local function read(l)
  local name = l.ended() and l.take("^^^" * word * blank)
  if not name then
    return false
  end
  l.call(name)
  local list = {}
  while not l.take(fence) do
    local one = parameter(l, 1)
    if not one and l.take(P "---" * blank) then
      one = parameter(l, 4, 4) or { "content", body(l) }
    end
    list[#list + 1] = one
    if not one and not l.take(blank) then
      l.cut()
      break
    end
  end
  l.arguments(list)
  return "line"
end

-- True if each item can stand on a line of its own.
local function one_line_each(call, items)
  for _, item in ipairs(items) do
    local text = call:text(item)
    if text:find "[\r\n]" or text ~= trim(text) or text == "" or text:find "^%]" then
      return false
    end
  end
  return items[1] ~= nil
end

local function write(call)
  local out = { "^^^" .. call.name .. "\n" }
  for _, pair in ipairs(call:pairs()) do
    local key, value, text = pair[1], pair[2], call:text(pair[2])
    if type(value) == "table" and text:find "^%[" and one_line_each(call, value) then
      out[#out + 1] = key .. ": [\n"
      for _, item in ipairs(value) do
        out[#out + 1] = call:text(item) .. "\n"
      end
      out[#out + 1] = "]\n"
    elseif text:find "\n" then
      out[#out + 1] = ("%s ---\n%s\n--- %s\n"):format(key, text, key)
    else
      out[#out + 1] = ("%s: %s\n"):format(key, text)
    end
  end
  return table.concat(out) .. "^^^\n"
end

return s.syntax {
  api = 3, name = "caret",
  origin = "stippi/code-assistant", source = "https://github.com/stippi/code-assistant",
  call = { at = "line", s.lines("^^^", read, write, {
    "^^^", s.name(), "\n",
    s.params { s.any { { s.key(), ": ", s.value { line = true }, "\n" }, { s.key(), " ---\n", s.value(), "\n--- ", s.same "key", "\n" } } },
    "^^^\n",
  }) },
  values = { default = "string", repeated = "array", singular = true }, max_calls = 1,
  examples = { {
    text = "^^^write_file\nproject: test\ntags: [\na\nb\n]\ncontent ---\nline 1\nline 2\n--- content\n^^^\n",
    calls = { { name = "write_file", arguments = s.ordered { { "project", "test" }, { "tags", { "a", "b" } },
      { "content", "line 1\nline 2" } } } },
  }, {
    deviates = true,
    text = "^^^write_file\npath: a\n---\nHello\n^^^\n",
    calls = { { name = "write_file", arguments = { path = "a", content = "Hello\n" } } },
  } },
}
