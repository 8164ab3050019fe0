--- `sluice parse`: responses to results, events or wire formats, as their bytes arrive.

local engines = require "sluice.command.engine"
local files = require "sluice.command.files"
local hint = require "sluice.command.hint"
local json = require("sluice.core").json
local system = require "sluice.command.system"
local terminal = require "sluice.command.terminal"

local M = {}

--- parse.pieces(path, args): an iterator over a file's bytes: --chunk bytes at a time, --delay apart.
function M.pieces(path, args)
  local chunks, size, delay = files.chunks(path), args.chunk or 0, args.delay or 0
  local bytes, at = nil, 1
  return function()
    if not bytes or at > #bytes then
      bytes, at = chunks(), 1
      if not bytes then
        return nil
      end
    end
    if delay > 0 then
      io.stdout:flush()
      system.sleep(delay)
    end
    local from = at
    at = size > 0 and from + size or #bytes + 1
    return from == 1 and at > #bytes and bytes or bytes:sub(from, at - 1)
  end
end

-- The file's pieces, which a hint receives too.
local function shared(path, args, advice)
  local pieces = M.pieces(path, args)
  return advice and function()
    local bytes = pieces()
    if bytes then
      advice:take(bytes)
    end
    return bytes
  end or pieces
end

-- Prints a result object, or one event per line.
local function as_json(stream, path, args, several, advice)
  local name = several and ('"file": %s, '):format(json.encode(path)) or ""
  stream:begin(args.output == "events" and "lines" or "result", name)
  for bytes in shared(path, args, advice) do
    stream:take(bytes)
  end
  stream:finish()
  if args.output ~= "events" then
    stream:print("{" .. name, "}\n")
  end
end

local function as_page(stream, path, args, several, advice)
  if several then
    io.stdout:write("== ", terminal.safe(path), "\n")
  end
  stream:begin "nothing"
  local painter = require("sluice.command.pretty").painter(terminal.colours(args.color))
  local function paint()
    for event in stream.next, stream do
      painter:add(event)
    end
    io.stdout:flush()
  end
  for bytes in shared(path, args, advice) do
    stream:feed(bytes)
    paint()
  end
  stream:over()
  paint()
  painter:finish()
end

-- The possible first bytes of a body in each wire format: fields of server-sent events or an object; or one object per line.
local sse = { "data:", "event:", "id:", "retry:", ":", "{" }
local beginnings = { openai = sse, anthropic = sse, ollama = { "{" } }

-- Returns true if the first bytes of a body fit the wire format, false as long as that is open, nil if they do not, which it reports.
local function looked_at(from, text)
  local start = text:match "^%s*(.*)$"
  if start == files.BOM:sub(1, #start) then
    return false
  end
  for _, beginning in ipairs(beginnings[from]) do
    local n = math.min(#beginning, #start)
    if start:sub(1, n) == beginning:sub(1, n) then
      return n == #beginning
    end
  end
  terminal.say(("the input is not a response of the form '%s' (%s): it begins with %s; for plain text leave out --from"):format(
    from, from == "ollama" and "one JSON object per line" or "server-sent events or a JSON object", json.encode(start:sub(1, 20))))
end

local function as_wire(engine, request, path, args)
  local wire = engines.must(engine:wire(request.syntax, request.tools, request.options, args.from, args.output,
    args.model or request.syntax))
  local known, start, status = args.from == "text", "", 0
  local result = args.output == "result" and {}
  local function send(text, message)
    text = engines.must(text, message)
    if result then
      result[#result + 1] = text
    end
    io.stdout:write(terminal.is(1) and terminal.json(text) or text)
    io.stdout:flush()
  end
  for bytes in M.pieces(path, args) do
    if not known then -- the first bytes wait until they are identified
      start = (start .. bytes):gsub("^" .. files.BOM, "")
      known = looked_at(args.from, start)
      status = known == nil and 1 or status
      known, bytes = known ~= false, start
    end
    if known then
      send(wire:feed(bytes))
    end
  end
  if not known and start ~= "" then
    send(wire:feed(start))
  end
  send(wire:finish())
  local whole = result and json.decode(table.concat(result)) or {} -- of several choices: one line each, which this does not read
  for _, call in ipairs(args.exit_status and whole.calls or {}) do
    status = call.valid == true and status or 1
  end
  for _, problem in ipairs(whole.calls and #whole.calls == 0 and whole.errors or {}) do
    status = problem.code == "bad_response" and json.kind(whole.content) == "null" and 1 or status -- it is not a response
  end
  return args.exit_status and not (whole.calls and whole.calls[1]) and 1 or status
end

--- parse.run(args) -> the exit status
function M.run(args)
  args.output = args.output or (terminal.is(1) and args.from == "text" and "pretty" or "result")
  local direct = { result = as_json, events = as_json, pretty = as_page }
  if args.output == "pretty" and args.from ~= "text" then
    terminal.misuse "-o pretty is only for plain text, without --from"
  elseif args.exit_status and not args.tools then
    terminal.misuse "-e needs --tools: without tools no call is valid"
  elseif args.exit_status and args.output ~= "result" and (args.from ~= "text" or not direct[args.output]) then
    terminal.misuse "-e with a wire format needs -o result"
  end
  local several = #args.files > 1
  local engine = engines.start()
  local syntax, start = engines.syntax(engine, args)
  local request = { syntax = syntax, tools = engines.tools(engine, args.tools), options = engines.options(args) }
  if start and not (request.options.start or request.options.prompt) then
    request.options.start = start
  end
  local stream = engines.must(engine:stream(request.syntax, request.tools, request.options))
  if args.from ~= "text" or not direct[args.output] then
    return files.each(args.files, function(path)
      return as_wire(engine, request, path, args)
    end)
  end
  local advice = hint.new(engine, request)
  return files.each(args.files, function(path)
    direct[args.output](stream, path, args, several, advice)
    if advice then
      advice:finish(stream, several and path or nil)
    end
    local calls, _, doubtful = stream:seen()
    return args.exit_status and (calls == 0 or doubtful > 0) and 1 or 0
  end)
end

return M
