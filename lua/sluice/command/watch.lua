--- `sluice watch`: traces samples with a script, again whenever one of these files is saved.

local engines = require "sluice.command.engine"
local system = require "sluice.command.system"
local terminal = require "sluice.command.terminal"
local trace = require "sluice.command.trace"

local M = {}

-- Traces the samples with the current script. Errors are printed in place; the next save may fix them.
local function draw(args, look)
  local script, shown = args.files[1], {}
  if look == "colours" then
    io.stdout:write "\27[H\27[2J\27[3J"
  end
  local ok, problem = pcall(function()
    local engine = engines.start() -- nothing of an earlier script remains
    local stream = engines.must(engine:stream(script, engines.tools(engine, args.tools), { markup = true }))
    for i = 2, #args.files do
      io.stdout:write("-- ", terminal.safe(args.files[i]), "\n")
      trace.text(stream, args.files[i], shown, look)
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

--- watch.run(args) -> the exit status
function M.run(args)
  if #args.files < 2 then
    terminal.misuse "missing arguments: paths of the script and of samples"
  end
  for _, path in ipairs(args.files) do
    local descriptor, message = system.open(path)
    engines.must(descriptor, message)
    system.close(descriptor)
  end
  local watch, message = system.watch(args.files)
  engines.must(watch, message)
  local look = terminal.colours(args.color) and "colours" or "lines"
  repeat
    draw(args, look)
  until not system.wait(watch, args.files)
  return 0
end

return M
