--- The command `sluice`: its commands by name.

local terminal = require "sluice.command.terminal"

local M = {}

-- The module and function of each command.
local commands = {
  parse = { "parse", "run" }, batch = { "batch", "run" }, render = { "write", "render" }, grammar = { "write", "grammar" },
  prompt = { "write", "prompt" },
  list = { "list", "run" }, trace = { "trace", "run" }, watch = { "watch", "run" },
  new = { "author", "new" }, infer = { "author", "infer" }, check = { "author", "check" },
}

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
  local place = commands[args.command]
  return require("sluice.command." .. place[1])[place[2]](args)
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
