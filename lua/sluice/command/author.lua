--- `sluice check`, `new`, `infer`: for authors of scripts.

local engines = require "sluice.command.engine"
local files = require "sluice.command.files"
local json = require("sluice.core").json
local lists = require "sluice.lists"
local system = require "sluice.command.system"
local terminal = require "sluice.command.terminal"

local M = {}

function M.check(args)
  if #args.files == 0 then
    terminal.misuse "missing argument: path of the script"
  end
  local engine, status = engines.start(true), 0
  for _, path in ipairs(args.files) do
    local name, unknown = engine:ask("known", path)
    local known = name and engines.ask(engine, "list_json", name)[1]
    path = known and known.path or path
    local verdict, message, code = engine:ask("load", path) -- first, within the limits that a host has
    if verdict then
      verdict, message = engine:ask("check", path, args.seconds)
    elseif code == "not_found" and not path:find "[/\\.]" then -- it was meant as a name
      message = unknown or message
    end
    if not verdict then
      verdict, status = message:find(path, 1, true) and message or ("%s: %s"):format(path, message), 1
    end
    io.stdout:write(terminal.safe(verdict), "\n")
    io.stdout:flush()
  end
  return status
end

-- The calls in the samples: a JSON list of lists, or one such list per line.
local function calls_of(path)
  local text = files.read(path)
  local calls, message = json.decode(text, { exact = true })
  if calls == nil then
    local list = text:gsub("%s+$", ""):gsub("\n", ",")
    calls, message = json.decode("[" .. list .. "]", { exact = true })
  end
  return engines.must(calls, ("%s: %s"):format(path, message))
end

-- Infers a script from samples, and reports on it. Returns it, and the exit status: 0 if all samples are explained.
local function inferred(engine, paths, args)
  local list = json.array(lists.map(paths, function(path)
    return json.object { { "path", path }, { "text", files.read(path) } }
  end))
  local made = engines.ask(engine, "infer", json.object { { "name", args.name }, { "samples", list },
    args.sample_calls and { "calls", calls_of(args.sample_calls) } }, args.seconds)
  terminal.say(made.report, "")
  return made, made.explained == #paths and 0 or 1
end

function M.new(args)
  local samples, status = lists.joined(table.unpack(args.from or {})), 0
  if not args.name then
    terminal.misuse "missing argument: name of the syntax"
  elseif args.like and #samples > 0 then
    terminal.misuse "--like and --from cannot be combined"
  elseif args.sample_calls and #samples == 0 then
    terminal.misuse "--calls needs samples: give them with --from"
  end
  local made
  local engine = engines.start(true)
  if #samples == 0 then
    made = engines.ask(engine, "new", json.object { { "name", args.name }, args.like and { "like", args.like } }, args.seconds)
  else
    made, status = inferred(engine, samples, args)
  end
  if engine:ask("known", args.name) then
    terminal.say(("a syntax '%s' exists; this script takes its place where it is loaded"):format(args.name))
  end
  local script, page = args.name .. ".lua", args.name .. ".md"
  engines.must(system.create(script, made.script)) -- never overwrites one
  local good, why = system.create(page, made.page)
  if not good then
    os.remove(script) -- none without the other
    terminal.fail(why)
  end
  io.stdout:write(terminal.safe(script), "\n", terminal.safe(page), "\n")
  return status
end

function M.infer(args)
  if #args.files == 0 then
    terminal.misuse "missing arguments: paths of samples"
  end
  local made, status = inferred(engines.start(true), args.files, args)
  terminal.write(made.script)
  return status
end

return M
