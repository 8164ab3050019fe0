--- The command `sluice`: its commands by name.

local terminal = require "sluice.command.terminal"

local M = {}

-- The modules of commands that share one, with a function for each; the others have one of their own, with a function `run`. These take
-- the arguments, and return the exit status.
local shared = { render = "write", grammar = "write", prompt = "write", new = "author", infer = "author", check = "author" }

local function run(words)
  local options = require "sluice.command.options"
  local args = options.parser(words[1]):parse(words)
  if not args.command then
    io.stderr:write(options.help())
    return 2
  elseif args.data then
    io.stdout:write(options.data())
    return 0
  elseif args.command == "help" then
    return options.parser(args.topic):parse { args.topic or "--help", args.topic and "--help" } -- which raises the text
  end
  local module = require("sluice.command." .. (shared[args.command] or args.command))
  return (module[args.command] or module.run)(args)
end

--- main(words) -> the exit status. `words`: the arguments of the command line.
function M.main(words)
  local ok, result = pcall(run, words)
  if ok then
    return result
  elseif type(result) ~= "table" then -- an error of the command's own
    result = { message = tostring(result) }
  elseif result.text then -- of --help and --version
    io.stdout:write(result.text)
    return 0
  end
  local message = result.message or "not enough memory"
  local script = message:match "^there is no syntax '([^'/]+)'"
  script = script and "./" .. script:gsub("%.lua$", "") .. ".lua"
  terminal.say(message .. (script and io.open(script) and ("; %s exists: -s %s"):format(script, script) or ""))
  return result.status or 1
end

return M
