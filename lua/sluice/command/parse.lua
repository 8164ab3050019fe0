--- `sluice parse`: responses to results, events or wire formats, as their bytes arrive.

local collector = require("sluice.stream").collector
local engines = require "sluice.command.engine"
local files = require "sluice.command.files"
local json = require("sluice.core").json
local lists = require "sluice.lists"
local terminal = require "sluice.command.terminal"
local wire_text = require "sluice.wire.text"

local M = {}

--- parse.pieces(path, args): an iterator over a file's bytes: --chunk bytes at a time.
function M.pieces(path, args)
  local chunks, size = files.chunks(path), args.chunk or 0
  local bytes, at = "", 1
  return size == 0 and chunks or function()
    if at > #bytes then
      bytes, at = chunks() or "", 1
    end
    at = at + size
    return bytes ~= "" and bytes:sub(at - size, at - 1) or nil
  end
end

-- How a response is printed: for a file, functions that take an event and its end. A result object, or one event per line:
local function as_json(path, args, several)
  local before = several and ('"file": %s, '):format(json.encode(path)) or ""
  local ways, state = wire_text.encoder(nil, args.output)
  local function put(lines)
    for line in lines:gmatch "[^\n]+\n" do
      terminal.put_json("{" .. before .. line:sub(2))
    end
  end
  return function(event)
    put(ways[event.type](state, event))
  end, function()
    put(ways.last and ways.last(state) or "")
  end
end

local function as_page(path, args, several)
  if several then
    io.stdout:write("== ", terminal.safe(path), "\n")
  end
  return require("sluice.command.pretty").painter(terminal.colours(args.color))
end

local direct = { result = as_json, events = as_json, pretty = as_page }

-- The exit status of -e: 0 if there are calls, and all are valid.
local function status_of(calls)
  return calls[1] and not lists.some(calls, function(call) return call.valid ~= true end) and 0 or 1
end

-- Prints a file's response. Returns the exit status.
local function as_text(stream, path, args)
  local take, finish = direct[args.output](path, args, #args.files > 1)
  local collect = args.exit_status and collector()
  local function print_all(events)
    for event in events do
      take(event)
      if collect then
        collect(event)
      end
    end
    io.stdout:flush()
  end
  stream:reset()
  for bytes in M.pieces(path, args) do
    print_all(stream:feed(bytes))
  end
  print_all(stream:finish())
  finish()
  return collect and status_of(collect().calls) or 0
end

local function as_wire(engine, request, path, args)
  local wire = engines.must(engine:wire(request.syntax, request.tools, request.options, args.from, args.output,
    args.model or request.syntax))
  local sent = {}
  local function send(text, message)
    terminal.put_json(engines.must(text, message))
    io.stdout:flush()
    sent[#sent + 1] = args.exit_status and text or nil
  end
  for bytes in M.pieces(path, args) do
    send(wire:feed(bytes))
  end
  local last, problem = wire:finish()
  send(last, problem)
  if problem then
    terminal.say(("%s (--from %s): %s"):format(path == "-" and "standard input" or path, args.from, problem))
  end
  -- of several choices there is a line each, and none is read
  return problem and 1 or args.exit_status and status_of((json.decode(table.concat(sent)) or {}).calls or {}) or 0
end

function M.run(args)
  args.output = args.output or (terminal.is(1) and args.from == "text" and "pretty" or "result")
  if args.output == "pretty" and args.from ~= "text" then
    terminal.misuse "-o pretty is only for plain text, without --from"
  elseif args.exit_status and not args.tools then
    terminal.misuse "-e needs --tools: without tools no call is valid"
  elseif args.exit_status and args.output ~= "result" and (args.from ~= "text" or not direct[args.output]) then
    terminal.misuse "-e with a wire format needs -o result"
  end
  local engine = engines.start()
  local syntax, start = engines.syntax(engine, args)
  local request = { syntax = syntax, tools = engines.tools(engine, args.tools), options = engines.options(args, start) }
  local stream = engines.must(engines.stream(engine, request.syntax, request.tools, request.options))
  return files.each(args.files, function(path)
    if args.from ~= "text" or not direct[args.output] then
      return as_wire(engine, request, path, args)
    end
    return as_text(stream, path, args)
  end)
end

return M
