--- Writes all of libsluice's own C as one file, to compile beside a program: docs/build.md.
-- usage: amalgamate.lua OUT INCLUDED... -- SOURCE...: INCLUDED are the folders of headers. Needs any Lua, and no modules.
--
-- Every header comes once. The own names of a file and of a header get its number; a file's macros end with it. A header's short names
-- for the library's (`#define name sluice__...`) are resolved.

local out, folders, sources = arg[1], {}, {}
local list = folders
for i = 2, #arg do
  if arg[i] == "--" then
    list = sources
  else
    list[#list + 1] = arg[i]
  end
end

local function read(path)
  local f = io.open(path, "rb")
  local text = f and f:read "*a"
  if f then
    f:close()
  end
  return text
end

-- Calls each(kind, text) for every token: "word", "space" (comments, too), "string", "mark".
local function tokens(text, each)
  local at = 1
  local function take(kind, last)
    each(kind, text:sub(at, last))
    at = last + 1
  end
  while at <= #text do
    local two = text:sub(at, at + 1)
    if two == "/*" then
      take("space", select(2, text:find("*/", at + 2, true)))
    elseif two == "//" then
      take("space", (text:find("\n", at, true)) - 1)
    elseif text:find("^%s", at) then
      take("space", select(2, text:find("^%s+", at)))
    elseif text:find("^[%a_]", at) then
      take("word", select(2, text:find("^[%w_]+", at)))
    elseif text:find("^[\"']", at) then
      local last, quote = at + 1, text:sub(at, at)
      while text:sub(last, last) ~= quote do
        last = last + (text:sub(last, last) == "\\" and 2 or 1)
      end
      take("string", last)
    elseif two == "->" then
      take("mark", at + 1)
    else
      take("mark", at + (text:match("^%d[%w.]*", at) or "x"):len() - 1)
    end
  end
end

-- The names that a file defines at its top level and does not export: functions, variables, types and their constants.
local function own_names(text)
  local plain = {}
  tokens(text, function(kind, token)
    plain[#plain + 1] = kind == "space" and token:find "\n" and "\n" or kind == "space" and " " or kind == "string" and "S" or token
  end)
  plain = "\n" .. table.concat(plain):gsub("\n+", "\n")
  local names = {}
  local function find(pattern)
    for name in plain:gmatch(pattern) do
      names[name] = true
    end
  end
  find "\nstatic [^;={(\n]-([%w_]+) ?[(=%[;]"
  find "\nINLINE [^;={(\n]-([%w_]+)%("
  find "\n[static cony]*typedef [^{;]-([%w_]+);"
  find "\n} ([%w_]+);"
  for _, kind in ipairs { "struct", "union", "enum" } do
    find("\n[%w ]-" .. kind .. " ([%w_]+) {")
  end
  for body in plain:gmatch "\n[%w ]-enum ?[%w_]* ?(%b{})" do
    for name in body:gmatch "[{,]%s*([%w_]+)" do
      names[name] = true
    end
  end
  return names
end

-- The first of these folders that has the file: its text and its path.
local function find_header(name, folder)
  for _, where in ipairs { name:find "^/" and "" or folder, (table.unpack or unpack)(folders) } do
    local path = (where == "" and "" or where:gsub("/?$", "/")) .. name
    local text = read(path)
    if text then
      while path:find "/[^/.]+/%.%./" do
        path = path:gsub("/[^/.]+/%.%./", "/")
      end
      return text, path
    end
  end
  error("there is no " .. name)
end

local numbers, own = { count = 0 }, {}

-- Adds a file's own names. Constants are in `names["#"]`: macros of headers may name them.
local function add_own(names, text, path)
  if not own[path] then
    numbers.count = numbers.count + 1
    numbers[path], own[path] = numbers.count, own_names(text)
  end
  for name in pairs(own[path]) do
    local constant = not name:find "%l"
    if not name:find "^sluice_" and not name:find "^__" then
      (constant and names["#"] or names)[name] = name .. "_" .. numbers[path]
    end
  end
end

local SHORT = "\n#define ([%l_]+) (sluice__[%w_]+)%f[\n]"

-- Adds the short names that a file defines or includes.
local function add_short(names, text, path, done)
  for name, long in ("\n" .. text):gmatch(SHORT) do
    names[name] = long
  end
  for name in ("\n" .. text):gmatch '\n#include "([^"]+)"' do
    local inner, found = find_header(name, path:match "^(.*/)")
    if not done[found] then
      done[found] = true
      if name ~= "sluice.h" then
        add_own(names, inner, found)
      end
      add_short(names, inner, found, done)
    end
  end
  return names
end

-- Macros that make their argument a part of a name; and those with members: from the first argument on, or behind a type.
local pasting = { X = true, SLUICE__HANDLER = true }
local of_members = { ENTRY = "(", FIELD = "(", LIST = "(", COUNTED = "(", offsetof = "," }

-- The text with its names changed; those of members stay.
local function renamed(text, path)
  local names, pieces = add_short({ ["#"] = {} }, text, path, {}), {}
  names["#"] = {}
  add_own(names, text, path)
  tokens(text, function(kind, token)
    pieces[#pieces + 1] = { kind, token }
  end)
  local before, inside, depth, members = "", {}, 0, nil
  for i, piece in ipairs(pieces) do
    local kind, token = piece[1], piece[2]
    if kind == "mark" and token == "{" then
      depth = depth + 1
      inside[depth] = before == "struct" or before == "union"
    elseif kind == "mark" and token == "}" then
      depth = depth - 1
    end
    members = token == "(" and of_members[before] or token ~= ")" and members or nil
    members = members == token and "all" or members
    local next_ = pieces[i + 1] and (pieces[i + 1][1] == "space" and pieces[i + 2] or pieces[i + 1])
    local member = members == "all" or before == "." or before == "->"
      or inside[depth] and depth > 0 and next_ and next_[2]:find "^[;,:%[)]"
    local pasted = before == "pasting("
    if kind == "word" and names[token] and not member and not pasted then
      piece[2] = names[token]
    end
    if kind ~= "space" then -- a struct's own name is not before its brace
      before = (before == "struct" or before == "union") and kind == "word" and before
        or pasting[before] and token == "(" and "pasting(" or token
    end
  end
  for i, piece in ipairs(pieces) do
    pieces[i] = piece[2]
  end
  return table.concat(pieces), names["#"]
end

local seen = {}

-- The text of a header or a source, with the headers that it is the first to need.
local function whole(text, path)
  local folder = path:match "^(.*/)"
  return (("\n" .. text):gsub('\n#include "([^"]+)"[^\n]*', function(name)
    local inner, found = find_header(name, folder)
    if seen[found] or name == "sluice.h" then
      return ""
    end
    seen[found] = true
    return "\n" .. whole(renamed(inner, found):gsub(SHORT, ""), found)
  end):sub(2))
end

local parts = { "/* Sluice: all of the library but Lua 5.4, LPeg and cJSON. Made by cmake/amalgamate.lua. */\n#ifndef _GNU_SOURCE\n"
  .. "#define _GNU_SOURCE\n#endif\n#define SLUICE_PRIVATE_STATE\n#include \"sluice.h\"\n" }
for _, path in ipairs(sources) do
  local text = ("\n" .. assert(read(path), path)):gsub("\n#define _GNU_SOURCE[^\n]*", "")
  local body, constants = renamed(text, path)
  local before, after = {}, {}
  for name, new in pairs(constants) do
    before[#before + 1] = ("#define %s %s\n"):format(name, new)
    after[#after + 1] = ("#undef %s\n"):format(name)
  end
  for name in text:gmatch "\n#define ([%w_]+)" do
    after[#after + 1] = ("#undef %s\n"):format(name)
  end
  table.sort(before)
  table.sort(after)
  local head, rest = body:match '^(.*\n#include "[^\n]*\n)(.*)$'
  parts[#parts + 1] = whole(head, path) .. table.concat(before) .. rest .. table.concat(after)
end
local f = assert(io.open(out, "wb"))
f:write(table.concat(parts))
f:close()
