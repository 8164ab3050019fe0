--- Searches for input whose cost grows faster than its length: for every syntax and `auto`, shapes made from its own literals and
-- examples, in pieces of several sizes. Run by superlinear.sh.
--
--   superlinear.lua search SECONDS SEED [SYNTAX...]    SECONDS 0: all shapes
--   superlinear.lua one SHAPE BYTES                    one stream, for callgrind; SHAPE is the number in `search`'s list
--
-- The processor time selects suspicious shapes: four times the bytes, the minimum of several runs. These are measured in
-- instructions with callgrind, independent of the machine's load: at most 4.4 times as many for four times the bytes.

local sluice = require "sluice"
local pieces = require("support").pieces -- tests/spec/support.lua

local SMALL, LARGE = 65536, 262144
local SUSPECT, MOST = 5.2, 4.4

-- ---- Shapes ----

local plain = { '"a', '"a": ',
  " ", "\n", "a", "a\n", "{", "[", '"', "\\", "<", "x <y ", '{"a": ', '", "a": "', ",", "\195", "\240\159\152\138" }

-- Every shape of a syntax: { syntax, head, unit, chunk, calls }.
local function shapes_of(name, scripts, out)
  local lits, texts = {}, {}
  for _, text in ipairs(scripts) do
    for _, s in ipairs(pieces.quoted(text)) do
      if s:find "[%p%s\128-\255]" then
        lits[#lits + 1] = s
        if #s > 40 or s:find "\n" then
          texts[#texts + 1] = s
        end
      end
    end
  end
  local heads = { "" }
  for _, s in ipairs(texts) do -- an example, cut in the middle
    heads[#heads + 1] = s:sub(1, math.floor(#s / 2))
  end
  for _, s in ipairs(lits) do
    if s:find "think" or s:find "```" or s:find "analysis" then
      heads[#heads + 1] = s
    end
  end
  local function shape(head, unit, chunk, calls)
    local limit = #out % 2 == 1 and 4096 or nil -- half of them come to it
    out[#out + 1] = unit ~= "" and { syntax = name, head = head, unit = unit, chunk = chunk, calls = calls, limit = limit } or nil
  end
  local chunks = { LARGE, 4096, 61, 4 }
  for i, s in ipairs(lits) do
    local chunk = chunks[i % #chunks + 1]
    shape("", s, chunk)
    shape("", s .. "\n", LARGE)
    shape("", s:sub(1, -2), 4096)
    shape(heads[i % #heads + 1], s, chunks[(i + 1) % #chunks + 1])
    shape(heads[(i * 7) % #heads + 1], lits[(i * 5) % #lits + 1] .. s, 4096)
    shape("", s .. "{", LARGE)
  end
  for i, s in ipairs(texts) do
    shape("", s .. "\n", 4096)
    shape("", s:sub(1, math.floor(#s * 2 / 3)), LARGE)
    shape(heads[i % #heads + 1], s .. "\n", 61)
  end
  for i, head in ipairs(heads) do
    for k, unit in ipairs(plain) do
      shape(head, unit, chunks[(i + k) % #chunks + 1])
    end
  end
  -- every piece at every place of a call, most of them before it is announced
  for i, head in ipairs(name == "auto" and {} or pieces.beginnings(name)) do
    for k, unit in ipairs(plain) do
      shape(head, unit, chunks[(i + k) % #chunks + 1], (i + k) % 2 == 0 and "whole" or nil)
    end
    for k, unit in ipairs(lits) do
      shape(head, unit, chunks[(i + k) % #chunks + 1], (i + k) % 2 == 0 and "whole" or nil)
      shape(head, unit:sub(1, -2), chunks[(i + k) % #chunks + 1], (i + k) % 2 == 1 and "whole" or nil)
    end
  end
end

local function all_shapes(wanted)
  local out, scripts = {}, {}
  for _, entry in ipairs(sluice.syntaxes()) do
    local text = pieces.script(entry.name)
    scripts[#scripts + 1] = text
    if not wanted or wanted[entry.name] then
      shapes_of(entry.name, { text }, out)
    end
  end
  if not wanted or wanted.auto then
    shapes_of("auto", scripts, out)
  end
  return out
end

-- ---- Measuring ----

-- Units for at least this many bytes. Four times the bytes are four times the units: together these must not mean something else, such
-- as a whole number of delimiters.
local function text_of(shape, bytes)
  return shape.head .. shape.unit:rep(math.ceil(SMALL / #shape.unit) * math.floor(bytes / SMALL))
end

local function run(shape, text)
  local stream = sluice.stream(shape.syntax, { calls = shape.calls, limit_held = shape.limit, limit_value = shape.limit })
  for at = 1, #text, shape.chunk do
    for _ in stream:feed(text:sub(at, at + shape.chunk - 1)) do end
  end
  for _ in stream:finish() do end
end

local function seconds(shape, text)
  collectgarbage()
  local began = os.clock()
  run(shape, text)
  return os.clock() - began
end

-- The factor of time for four times the bytes; and the seconds.
local function growth(shape)
  local small, large = text_of(shape, SMALL), text_of(shape, LARGE)
  local a, b = seconds(shape, small), seconds(shape, large)
  for _ = 1, 4 do
    if b / a < SUSPECT then
      break
    end
    a, b = math.max(a, seconds(shape, small)), math.min(b, seconds(shape, large))
  end
  return b / a, b
end

-- Only parsing counts: loading the scripts costs more than some texts, and varies.
local reading = " --toggle-collect=sluice_stream_feed --toggle-collect=sluice_stream_finish --toggle-collect=sluice_stream_next"

-- The same in instructions; nil if callgrind is missing, or has not finished in the given seconds: quadratic input would take
-- hours.
local PATIENCE = 120

local function instructions(number)
  local function count(bytes)
    local base = os.tmpname()
    local command = "timeout %d valgrind --tool=callgrind%s --callgrind-out-file=%s %s %s one %d %d >/dev/null 2>&1"
    os.execute(command:format(PATIENCE, reading, base, arg[-1], arg[0], number, bytes))
    local f = io.open(base)
    local text = f and f:read "*a" or ""
    if f then
      f:close()
    end
    os.remove(base)
    return tonumber(text:match "\nsummary: (%d+)" or text:match "\ntotals: (%d+)")
  end
  local none, a, b = count(0), count(SMALL), count(LARGE)
  local ratio = none and a and b and (b - none) / (a - none)
  if not ratio or ratio <= MOST then
    return ratio
  end
  if b - none < LARGE then
    return 0 -- less than an instruction per byte is noise
  end
  -- between the two sizes a limit may have been passed: bytes may then cost more once; if more text costs less, a limit has ended
  -- expensive work
  local c = count(4 * LARGE)
  return c and c > b and math.min(ratio, (c - b) / (b - a)) or ratio
end

-- ---- The search ----

-- A number below n, the same for the same seed.
local function random(seed)
  local state = seed % 2147483647 + 1
  return function(n)
    state = state * 16807 % 2147483647
    return state % n
  end
end

local function search(limit, seed, names)
  local wanted
  if #names > 0 then
    wanted = {}
    for _, name in ipairs(names) do
      wanted[name] = true
    end
  end
  local shapes, below = all_shapes(), random(seed)
  local order = {}
  for i = 1, #shapes do
    if not wanted or wanted[shapes[i].syntax] then
      order[#order + 1] = i
    end
  end
  for i = #order, 2, -1 do
    local k = below(i) + 1
    order[i], order[k] = order[k], order[i]
  end
  local began, tried, slowest, failed, syntaxes, count = os.time(), 0, 0, 0, {}, 0
  for _, number in ipairs(order) do
    if limit > 0 and os.time() - began >= limit then
      break
    end
    local shape = shapes[number]
    local ratio, time = growth(shape)
    tried = tried + 1
    if limit == 0 and tried % 1000 == 0 then
      print(("%d of %d shapes, %.0f s of the processor"):format(tried, #order, os.clock()))
    end
    slowest = math.max(slowest, time / LARGE)
    if not syntaxes[shape.syntax] then
      syntaxes[shape.syntax], count = true, count + 1
    end
    if ratio >= SUSPECT then
      local exact = instructions(number)
      local bad = not exact or exact > MOST
      failed = failed + (bad and 1 or 0)
      print(("%s shape %d: %s, %q + %q..., pieces of %d%s: %.2f times the time, %s times the instructions"):format(
        bad and "TOO MUCH" or "in bounds", number, shape.syntax, shape.head, shape.unit, shape.chunk,
        shape.calls and ", calls = " .. shape.calls or "", ratio,
        exact and ("%.2f"):format(exact) or "unknown"))
    end
  end
  print(("%d of %d shapes, %d syntaxes, %d s: %d grow faster than their length; the slowest takes %.0f ns a byte"):format(tried, #order,
    count, os.time() - began, failed, slowest * 1e9))
  return failed == 0 and tried > 0
end

io.stdout:setvbuf "line"
if arg[1] == "one" then
  local shape = all_shapes()[tonumber(arg[2])]
  run(shape, text_of(shape, tonumber(arg[3])))
elseif arg[1] == "search" then
  os.exit(search(tonumber(arg[2]), tonumber(arg[3] or 1), { (table.unpack or unpack)(arg, 4) }))
else
  io.stderr:write "usage: superlinear.lua search SECONDS SEED [SYNTAX...] | one SHAPE BYTES\n"
  os.exit(1)
end
