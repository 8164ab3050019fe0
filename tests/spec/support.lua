--- What the specs share: events as lines, all ways to cut a text, Markdown cases.

local sluice = require "sluice"

local M = { root = os.getenv "SLUICE_ROOT" or ".", build = os.getenv "SLUICE_BUILD" or "build" }

--- The command; a sanitizer that is loaded into this interpreter is not its, nor the shell's.
M.command = (os.getenv "SLUICE_PRELOAD" and "env -u LD_PRELOAD ASAN_OPTIONS=detect_leaks=1 " or "") .. M.build .. "/sluice"

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

-- The value of a generated id is no part of what is compared; one of the text's own is.
local function own_id(id)
  return id and not id:match "^call_%w%w%w%w%w%w%w%w%w%w%w%w%w%w%w%w%w%w%w%w%w%w%w%w$" and id or nil
end

-- Adjacent fragments of a kind are one.
local function add(list, event)
  if event.type == "parameter" then -- these run beside the arguments; how they interleave depends on the cut
    list.parameters = list.parameters or {}
    list = list.parameters
  end
  local last = list[#list]
  local fragment = event.type == "text" or event.type == "reasoning" or event.type == "markup" or event.type == "arguments"
    or event.type == "parameter"
  if last and fragment and last.type == event.type and last.index == event.index and last.key == event.key
    and (event.type ~= "markup" or event.first == last.last + 1) then
    last.text = last.text .. event.text
    if event.last >= event.first then
      if last.last < last.first then
        last.first = event.first
      end
      last.last = event.last
    end
    return
  end
  list[#list + 1] = event
end

--- The events of a text fed by `chunk` bytes (0: whole), or at the given offsets, fragments joined.
function M.events(stream, text, chunk, raw)
  local list = {}
  local put = raw and function(l, e)
    l[#l + 1] = e
  end or add
  if type(chunk) == "table" then
    local from = 1
    for _, to in ipairs(chunk) do
      for event in stream:feed(text:sub(from, to)) do
        put(list, event)
      end
      from = to + 1
    end
    for event in stream:feed(text:sub(from)) do
      put(list, event)
    end
  else
    local step = chunk > 0 and chunk or math.max(#text, 1)
    for i = 1, #text, step do
      for event in stream:feed(text:sub(i, i + step - 1)) do
        put(list, event)
      end
    end
  end
  for event in stream:finish() do
    put(list, event)
  end
  stream:reset()
  return list
end

-- Is it all UTF-8?
local function is_utf8(text)
  local at = 1
  while at <= #text do
    local _, last = text:find("^[%z\1-\127]+", at)
    if not last then
      local c = text:match("^[\194-\244][\128-\191]+", at)
      local lead = text:byte(at)
      local size = lead < 194 and 0 or lead < 224 and 2 or lead < 240 and 3 or lead < 245 and 4 or 0
      local second = text:byte(at + 1) or 0
      if not c or size == 0 or #c < size or (lead == 224 and second < 160) or (lead == 237 and second > 159)
        or (lead == 240 and second < 144) or (lead == 244 and second > 143) then
        return false
      end
      last = at + size - 1
    end
    at = last + 1
  end
  return true
end

local escapes = { ["\n"] = "\\n", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }

-- As %q of Lua 5.4 writes it, in every Lua, but for \n, \r, and bytes that are no UTF-8 as \xHH.
local function quote(text)
  local whole = is_utf8(text)
  local out = {}
  for i = 1, #text do
    local c = text:sub(i, i)
    if escapes[c] then
      out[i] = escapes[c]
    elseif c:find "[%z\1-\31\127]" then
      out[i] = (text:find("^%d", i + 1) and "\\%03d" or "\\%d"):format(c:byte())
    elseif c:byte() > 127 and not whole then
      out[i] = ("\\x%02X"):format(c:byte())
    else
      out[i] = c
    end
  end
  return '"' .. table.concat(out) .. '"'
end

--- Events as lines: readable, and equal where the events are.
function M.lines(events)
  local lines, all = {}, {}
  for _, e in ipairs(events) do
    all[#all + 1] = e
  end
  for _, e in ipairs(events.parameters or {}) do
    all[#all + 1] = e
  end
  for _, e in ipairs(all) do
    local range = ("%d-%d"):format(e.first - 1, e.last)
    local line
    if e.type == "error" then
      line = ("error %d %s: %s"):format(e.first - 1, e.code, e.message)
    elseif e.type == "call_begin" then
      line = ("call_begin %s #%d %s%s"):format(range, e.index, e.name, e.id and " id=" .. e.id or "")
    elseif e.type == "call_end" then
      local id = own_id(e.id)
      line = ("call_end %s #%d %s%s%s"):format(range, e.index, e.status, id and " id=" .. id or "",
        e.extra and " extra=" .. e.extra or "")
    elseif e.type == "parameter" then
      line = ("parameter #%d %s %s"):format(e.index, e.key, quote(e.text))
    else
      line = ("%s %s %s"):format(e.type, range, quote(e.text))
    end
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n")
end

--- Law 2: the ranges cover the input without gap or overlap. Answers nil, or what is wrong.
function M.uncovered(events, text)
  local ranges = {}
  for _, e in ipairs(events) do
    if e.type ~= "error" and e.type ~= "parameter" and e.last >= e.first then
      ranges[#ranges + 1] = e
    end
  end
  table.sort(ranges, function(a, b)
    return a.first < b.first
  end)
  local at = 1
  for _, e in ipairs(ranges) do
    if e.first ~= at then
      return ("%s at %d where %d is due"):format(e.type, e.first, at)
    end
    at = e.last + 1
    if (e.type == "text" or e.type == "reasoning" or e.type == "markup") and text:sub(e.first, e.last) ~= e.text then
      return ("the %s at %d is not what stood there"):format(e.type, e.first)
    end
  end
  if at ~= #text + 1 then
    return ("the bytes from %d on are not accounted for"):format(at)
  end
end

--- Law 5: the joined arguments of each call are one JSON object, and each call has its end. Answers nil, or what is
-- wrong.
function M.bad_arguments(events)
  local open = {}
  for _, e in ipairs(events) do
    if e.type == "call_begin" then
      open[e.index] = ""
    elseif e.type == "arguments" then
      if not open[e.index] then
        return "arguments outside a call"
      end
      open[e.index] = open[e.index] .. e.text
    elseif e.type == "call_end" then
      local value, message = sluice.json.decode(open[e.index] or "", { exact = true })
      if value == nil then
        return ("call %d: %s: %s"):format(e.index, message, open[e.index])
      elseif sluice.json.kind(value) ~= "object" then
        return ("call %d: the arguments are no object: %s"):format(e.index, open[e.index])
      end
      open[e.index] = nil
    end
  end
  local left = next(open)
  if left then
    return ("call %d has no end"):format(left)
  end
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

--- Runs the command with this standard input: output, exit status, standard error.
function M.run(arguments, input)
  local base = os.tmpname()
  M.write(base, input or "")
  local ok, _, status = os.execute(("%s %s <%s >%s.out 2>%s.err"):format(M.command, arguments, base, base, base))
  if type(ok) == "number" then -- Lua 5.1
    ok, status = ok == 0, math.floor(ok / 256)
  end
  local out, err = M.read(base .. ".out"), M.read(base .. ".err")
  os.remove(base)
  os.remove(base .. ".out")
  os.remove(base .. ".err")
  return out, ok and 0 or status, err
end

--- A generator of random numbers that is the same everywhere.
function M.random(seed)
  local state = seed
  return function(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % n + 1
  end
end

return M
