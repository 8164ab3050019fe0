--- Reads files and standard input ("-"), whole or as their bytes arrive.

local system = require "sluice.command.system"
local terminal = require "sluice.command.terminal"

local M = {}

--- files.unmarked(text): a text without a byte order mark.
function M.unmarked(text)
  return (text:gsub("^\239\187\191", ""))
end

--- files.chunks(path): an iterator over the bytes of a file as they arrive. Ends the command if it cannot be read.
function M.chunks(path)
  local descriptor, why = system.open(path)
  if not descriptor then
    terminal.fail(why)
  end
  return function()
    local bytes, message = system.read(descriptor, path)
    if bytes and bytes ~= "" then
      return bytes
    end
    system.close(descriptor)
    if not bytes then
      terminal.fail(message)
    end
  end
end

--- files.read(path): the whole file, without a byte order mark.
function M.read(path)
  local pieces = {}
  for bytes in M.chunks(path) do
    pieces[#pieces + 1] = bytes
  end
  return M.unmarked(table.concat(pieces))
end

--- files.each(paths, run): calls run(path) for each, or for standard input if there is none; reports files that cannot be read, and goes
-- on. Returns the exit status.
function M.each(paths, run)
  local status = 0
  for _, path in ipairs(paths[1] and paths or { "-" }) do
    local ok, problem = pcall(run, path)
    if not ok then
      if type(problem) ~= "table" or not problem.message then
        error(problem, 0)
      end
      terminal.say(problem.message)
      status = problem.status or 1
    elseif problem == 1 then
      status = 1
    end
  end
  return status
end

return M
