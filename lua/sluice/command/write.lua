--- `sluice render`, `grammar`, `prompt`: the commands that write a syntax.

local engines = require "sluice.command.engine"
local files = require "sluice.command.files"
local json = require("sluice.core").json
local terminal = require "sluice.command.terminal"

local M = {}

-- Prints a text, or ends the command if it was refused.
local function put(text, ...)
  terminal.write(engines.must(text, ...))
  if terminal.is(1) and text:sub(-1) ~= "\n" then -- the shell's prompt begins a new line
    io.stdout:write "\n"
  end
  return 0
end

function M.render(args)
  if #args.files > 1 then
    terminal.misuse(("unexpected argument '%s'"):format(args.files[2]))
  end
  local engine = engines.start()
  local options = engines.json_options(args)
  return put(engine:ask("render", json.encode {
    syntax = engines.syntax(engine, args), calls = files.read(args.files[1] or "-"), options = options and json.decode(options) }))
end

-- The engine, and the syntax, the tools and the options of a command.
local function for_tools(args)
  if not args.tools then
    terminal.misuse "no tools given; use --tools FILE: OpenAI, Anthropic or MCP tools, or a plain list of functions"
  end
  local options, engine = engines.json_options(args), engines.start()
  return engine, engines.syntax(engine, args), engines.tools(engine, args.tools), options
end

function M.grammar(args)
  local engine, syntax, tools, options = for_tools(args)
  return put(engine:grammar(syntax, tools, args.to, options))
end

function M.prompt(args)
  local engine, syntax, tools, options = for_tools(args)
  return put(engine:prompt(syntax, tools, options))
end

return M
