--- Shared helpers of the specs: the functions of sluice.author.laws, Markdown cases, files, the command.

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
    names[#names + 1] = item.name
  end
  return names
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

--- Cases of a Markdown page: { title, meta, input, expected, from, to (of the expectation in the page) }.
function M.cases(page)
  local cases = {}
  local title, meta
  local at = 1
  while true do
    local line_end = page:find("\n", at, true)
    if not line_end then
      break
    end
    local line = page:sub(at, line_end - 1)
    if line:match "^## " then
      title, meta = line:sub(4), nil
    elseif line:match "^<!%-%- {.*} %-%->$" then
      meta = assert(sluice.json.decode(line:match "^<!%-%- (.*) %-%->$"))
    elseif line:match "^~~~ in" then
      local stop = assert(page:find("\n~~~\n", line_end, true), "an input that does not end")
      local input = page:sub(line_end + 1, stop - 1)
      if stop == line_end then
        input = ""
      end
      if line:match "escaped" then
        input = input:gsub("\\x(%x%x)", function(h)
          return string.char(tonumber(h, 16))
        end):gsub("\\n", "\n"):gsub("\\r", "\r"):gsub("\\\\", "\\")
      end
      cases[#cases + 1] = { title = title, meta = meta or {}, input = input }
      line_end = stop + 4
    elseif line:match "^~~~ out" then
      local case = cases[#cases]
      local stop = page:find("\n~~~\n", line_end, true)
      case.from, case.to = line_end + 1, stop == line_end and line_end or stop - 1
      case.expected = page:sub(case.from, case.to)
      line_end = stop + 4
    end
    at = line_end + 1
  end
  return cases
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

return M
