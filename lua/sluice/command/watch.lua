--- `sluice watch`: traces samples with a script, again whenever one of these files is saved.

local engines = require "sluice.command.engine"
local files = require "sluice.command.files"
local lists = require "sluice.lists"
local system = require "sluice.command.system"
local terminal = require "sluice.command.terminal"
local trace = require "sluice.command.trace"

local M = {}

-- Traces the samples with the current script. Errors are printed in place; the next save may fix them.
local function draw(args, colours)
  local script, shown = args.files[1], {}
  if colours then
    io.stdout:write "\27[H\27[2J\27[3J"
  end
  local ok, problem = pcall(function()
    local engine = engines.start() -- nothing of an earlier script remains
    local stream = engines.must(engines.stream(engine, script, engines.tools(engine, args.tools), { markup = true }))
    for i = 2, #args.files do
      io.stdout:write("-- ", terminal.safe(args.files[i]), "\n")
      trace.text(stream, args.files[i], shown, colours)
    end
  end)
  if not ok and type(problem) ~= "table" then
    error(problem, 0)
  elseif not ok then
    io.stdout:write(terminal.safe(problem.message), "\n")
  end
  io.stdout:flush()
  collectgarbage()
end

-- The files' texts, as one. Raises if one cannot be read: an editor may be replacing it.
local function texts(paths)
  return lists.join(paths, files.read, "\0")
end

--- watch.run(args): does not return.
function M.run(args)
  if #args.files < 2 then
    terminal.misuse "missing arguments: paths of the script and of samples"
  end
  local before = texts(args.files)
  while true do
    draw(args, terminal.colours(args.color))
    local good, now
    repeat
      system.sleep(100)
      good, now = pcall(texts, args.files)
    until good and now ~= before
    before = now
  end
end

return M
