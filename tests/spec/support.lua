--- Shared helpers of the specs: the functions of sluice.author.laws, the cases, files, the command.

local sluice = require "sluice"

local laws = require "sluice.author.laws"

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

return M
