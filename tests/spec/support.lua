--- Shared helpers of the specs: the functions of sluice.author.laws, the cases, files, the command.

local sluice = require "sluice"

local laws = require "sluice.author.laws"
local lists = require "sluice.lists"

local M = { events = laws.events, lines = laws.lines, uncovered = laws.uncovered, bad_arguments = laws.bad_arguments,
  random = laws.random, root = os.getenv "SLUICE_ROOT" or ".", build = os.getenv "SLUICE_BUILD" or "build" }

--- The command, without a sanitizer that is loaded into this interpreter.
M.command = (os.getenv "SLUICE_PRELOAD" and "env -u LD_PRELOAD ASAN_OPTIONS=detect_leaks=1 " or "") .. M.build .. "/sluice"

--- Syntaxes without a marker that begins calls.
M.markerless = { functionary_v32 = true, granite_pythonic = true, json = true, llama3_json = true, pythonic = true, xlam = true }

--- Names of all syntaxes, sorted: adding a script adds its tests.
function M.syntaxes()
  local names = {}
  for _, item in ipairs(sluice.syntaxes()) do
    names[#names + 1] = M.wanted(item.name) and item.name or nil
  end
  return names
end

--- False if SLUICE_ONLY names other syntaxes: see tests/quick.
function M.wanted(name)
  local only = os.getenv "SLUICE_ONLY"
  return not only or not only:find "%S" or (" " .. only .. " "):find(" " .. name .. " ", 1, true) ~= nil
end

function M.read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "*a"
  f:close()
  return text
end

function M.write(path, text)
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
end

--- The cases of a syntax: the lines of tests/cases/NAME.jsonl, see tests/README.md. In an `escaped` text \xHH is a byte.
function M.cases(name)
  local cases = {}
  for line in io.lines(("%s/tests/cases/%s.jsonl"):format(M.root, name)) do
    local case = assert(sluice.json.decode(line, { exact = true }))
    if case.escaped then
      case.text = case.text:gsub("\\x(%x%x)", function(h)
        return string.char(tonumber(h, 16))
      end)
    end
    case.options = case.options and sluice.json.decode(sluice.json.encode(case.options)) -- numbers as the options take them
    case.line = line
    cases[#cases + 1] = case
  end
  return cases
end

--- Names of the syntaxes that have cases.
function M.with_cases()
  local names = M.files(M.root .. "/tests/cases", ".jsonl")
  for i, file in ipairs(names) do
    names[i] = file:match "^(.*)%.jsonl$"
  end
  return names
end

--- The options of a stream for a case, with its tools; `more` wins.
function M.options(case, more)
  local options = { tools = case.tools and sluice.json.encode(case.tools) or nil }
  for _, list in ipairs { case.options or {}, more or {} } do
    for k, v in pairs(list) do
      options[k] = v
    end
  end
  return options
end

--- Events as the lines of a case: a text is left out where it is that of the range, and so are the sentences of errors.
function M.brief(events, text)
  local out = {}
  for _, list in ipairs { events, events.parameters or {} } do
    for _, e in ipairs(list) do
      local line = laws.lines { e }
      if e.type == "error" then
        line = line:match "^error %d+ [%w_]+"
      elseif e.type ~= "parameter" and e.text and e.text == text:sub(e.first, e.last) then
        line = line:match "^%S+ %S+"
      end
      out[#out + 1] = line
    end
  end
  return out
end

--- The codes of a result's errors, in a line.
function M.codes(result)
  return lists.join(result.errors, function(e)
    return e.code
  end, " ")
end

--- The sizes of chunks to feed a text of this length in: all, or a few where SLUICE_ROUNDS is set, as for sanitizers and other Luas.
function M.chunks(length)
  local sizes, most = {}, math.min(length, 600)
  for size = 1, most do
    sizes[#sizes + 1] = (size <= 3 or size == 7 or size == most or not os.getenv "SLUICE_ROUNDS") and size or nil
  end
  return sizes
end

--- Files of a folder with this ending, sorted.
function M.files(folder, ending)
  local names = assert(require("sluice.core").list_folder(folder))
  local out = {}
  for _, name in ipairs(names) do
    if name:sub(-#ending) == ending then
      out[#out + 1] = name
    end
  end
  table.sort(out)
  return out
end

--- Writes a script with this name and these fields; returns its path.
function M.script(name, fields)
  local path = ("%s/%s.lua"):format(M.folder(), name)
  M.write(path, ('local s = require "sluice.syntax"\nreturn s.syntax { api = 3, name = "%s", %s }'):format(name, fields))
  return path
end

--- A new, empty folder.
function M.folder()
  local path = os.tmpname()
  os.remove(path)
  os.execute("mkdir " .. path)
  return path
end

--- Runs the command with this standard input and environment: returns output, exit status, standard error.
function M.run(arguments, input, environment)
  local base = os.tmpname()
  M.write(base, input or "")
  local command = (environment and environment .. " " or "") .. M.command
  local ok, _, status = os.execute(("%s %s <%s >%s.out 2>%s.err"):format(command, arguments, base, base, base))
  if type(ok) == "number" then -- Lua 5.1
    ok, status = ok == 0, math.floor(ok / 256)
  end
  local out, err = M.read(base .. ".out"), M.read(base .. ".err")
  os.remove(base)
  os.remove(base .. ".out")
  os.remove(base .. ".err")
  return out, ok and 0 or status, err
end

--- Tools of these names that accept any arguments, as JSON.
function M.tools(...)
  local list = {}
  for i, name in ipairs { ... } do
    list[i] = ('{"name": "%s", "parameters": {"type": "object"}}'):format(name)
  end
  return "[" .. table.concat(list, ", ") .. "]"
end

--- Pieces of text for searches: a syntax's own literals and the beginnings of its examples. Also used by tests/bench/superlinear.lua.
M.pieces = {}

--- Tools with parameters of every type, under the names that examples use.
M.pieces.tools = {}
for _, name in ipairs { "f", "get_weather", "search", "add" } do
  M.pieces.tools[#M.pieces.tools + 1] = { name = name, parameters = { type = "object", properties = {
    a = { type = "string" }, b = { type = "integer" }, c = { type = "object" }, d = { type = "array", items = { type = "string" } },
    e = { type = { "boolean", "null" } } } } }
end

--- The text of a syntax's script.
function M.pieces.script(name)
  return M.read(("%s/syntaxes/%s.lua"):format(M.root, name))
end

--- quoted(text): the texts between quotes in a script: literals, including those in examples and functions.
function M.pieces.quoted(text)
  local list, seen = {}, {}
  local function add(s)
    s = s:gsub("\\n", "\n"):gsub("\\(.)", "%1")
    if #s > 0 and #s < 200 and not seen[s] then
      seen[s] = true
      list[#list + 1] = s
    end
  end
  text:gsub('"([^"\n]*)"', add)
  text:gsub("'([^'\n]*)'", add)
  return list
end

--- The literals of a syntax: the quoted texts with a mark of punctuation.
function M.pieces.literals(name)
  local list = {}
  for _, s in ipairs(M.pieces.quoted(M.pieces.script(name))) do
    if s:find "[%p%s\128-\255]" then
      list[#list + 1] = s
    end
  end
  return list
end

--- Two calls, as the syntax writes them, cut before each byte that ends a word: every place of an object or a tag, also those before the
-- call is announced.
function M.pieces.beginnings(name)
  local list = { "" }
  local calls = { { name = "f", arguments = { a = "xy", b = 1 } }, { name = "f", arguments = { c = { k = "v" }, d = { "x" } } } }
  local text = sluice.render(name, calls) or sluice.render(name, { calls[1] })
  for at = 2, text and #text or 0 do
    if text:find("^[%p%s]", at) and not text:find("^[%p%s]", at - 1) or text:find("^[%w]", at) and text:find("^[%p%s]", at - 1) then
      list[#list + 1] = text:sub(1, at - 1)
    end
  end
  return list
end

return M
