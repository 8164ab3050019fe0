--- `sluice trace`: shows what each byte of a response was parsed as.

local engines = require "sluice.command.engine"
local files = require "sluice.command.files"
local json = require("sluice.core").json
local parse = require "sluice.command.parse"
local terminal = require "sluice.command.terminal"

local safe, quoted, paint = terminal.safe, terminal.quoted, terminal.paint
local M = {}

-- What the bytes of an event are, if not its type.
local kinds = { call_begin = "name", call_end = "markup" }
local legend = { "text", "reasoning", "markup", "name", "arguments" }

-- Sorts the ranges, since a name may follow its arguments, and joins those of a kind.
local function in_order(ranges)
  table.sort(ranges, function(a, b) return a.start < b.start end)
  local out = {}
  for _, range in ipairs(ranges) do
    local last = out[#out]
    if last and last.kind == range.kind then
      last.stop = range.stop
    else
      out[#out + 1] = range
    end
  end
  return out
end

-- Prints the pieces of a text, and the errors where they occurred.
local function show(text, ranges, problems, colours)
  local at, number = 0, 1
  local function piece(kind, stop)
    local bytes = text:sub(at + 1, stop)
    local line = bytes ~= "" and (colours and paint(kind, bytes) or ("%-9s %d-%d %s\n"):format(kind, at, stop, quoted(bytes)))
    io.stdout:write(line or "")
    at = math.max(at, stop)
  end
  local function report(kind, before)
    local problem = problems[number]
    while problem and problem.start < before do
      piece(kind, problem.start)
      io.stdout:write(colours and paint("error", "[" .. problem.said .. "]")
        or ("error     %d %s\n"):format(problem.start, safe(problem.said)))
      number = number + 1
      problem = problems[number]
    end
  end
  for _, range in ipairs(ranges) do
    report(range.kind, range.stop)
    piece(range.kind, range.stop)
  end
  report("text", math.huge)
end

--- trace.text(stream, path, args, colours): traces one file, as lines or, with a legend, in colours.
function M.text(stream, path, args, colours)
  stream:reset()
  local pieces, ranges, problems = {}, {}, {}
  local function take(events)
    for event in events do
      if event.type == "error" then
        problems[#problems + 1] = { start = event.first - 1, said = ("%s: %s"):format(event.code, event.message or "") }
      elseif event.type ~= "parameter" and event.last >= event.first then
        ranges[#ranges + 1] = { kind = kinds[event.type] or event.type, start = event.first - 1, stop = event.last }
      end
    end
  end
  for bytes in parse.pieces(path, args) do
    pieces[#pieces + 1] = bytes
    take(stream:feed(bytes))
  end
  take(stream:finish())
  show(table.concat(pieces), in_order(ranges), problems, colours)
  if colours then
    io.stdout:write "\n"
    for _, name in ipairs(legend) do
      io.stdout:write(paint(name, name), "  ")
    end
    io.stdout:write "\n"
  end
  io.stdout:flush()
end

-- `trace --explain`: what was tried at which byte.
local function explain(args)
  local engine = engines.start(true)
  local syntax, start = engines.syntax(engine, args)
  local request = { syntax = syntax, options = engines.options(args, start) }
  if args.tools then
    local text = files.read(args.tools)
    engines.must(json.decode(text), args.tools .. ": the tools are not valid JSON")
    request.tools = json.raw(text)
  end
  return files.each(args.files, function(path)
    request.text = files.read(path)
    terminal.write(safe(engines.must(engine:ask("explain", json.encode(request), 60))) .. "\n")
  end)
end

function M.run(args)
  if args.explain then
    return explain(args)
  end
  local engine = engines.start()
  local syntax, start = engines.syntax(engine, args)
  local options = engines.options(args, start)
  options.markup = true
  local stream = engines.must(engines.stream(engine, syntax, engines.tools(engine, args.tools), options))
  return files.each(args.files, function(path)
    if #args.files > 1 then
      io.stdout:write("== ", safe(path), "\n")
    end
    M.text(stream, path, args, terminal.colours(args.color))
  end)
end

return M
