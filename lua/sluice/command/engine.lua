--- The engine that a command runs on, and what most commands ask of it: the syntax, the tools, the options of streams.

local core = require "sluice.core"
local files = require "sluice.command.files"
local library = require "sluice.command.library"
local stream_options = require "sluice.options"
local terminal = require "sluice.command.terminal"

local M = {}

--- engine.start([patient]): an engine with all scripts. A script that is at fault is told of and does not keep the others out.
function M.start(patient)
  local engine = library.new(patient)
  local ok, message = engine:load()
  if not ok then
    terminal.say(message)
  end
  return engine
end

--- engine.must(value, message): the value, or the end of the command where it was refused.
function M.must(value, message)
  if value == nil then
    terminal.fail(message)
  end
  return value
end

--- engine.ask(engine, tool, question): what a tool of the engine answers, decoded. `question`: a table or a text.
function M.ask(engine, tool, question)
  local text = type(question) == "table" and core.json.encode(question) or question
  return core.json.decode(M.must(engine:ask(tool, text)))
end

--- engine.syntax(engine, args): the syntax that was asked for by -s, -m or the environment, and "reasoning" where the model's
-- responses start there.
function M.syntax(engine, args)
  if args.model then
    local found = M.ask(engine, "model", args.model)
    terminal.say(("the model '%s' writes %s, by '%s' in its list of models"):format(args.model, found.name, found.entry))
    return found.name, found.start
  end
  local syntax = args.syntax or os.getenv "SLUICE_SYNTAX"
  if not syntax or syntax == "" then
    local reads = args.command == "parse" or args.command == "trace" -- the others write, and `auto` does not
    terminal.fail("which syntax? Give -s SYNTAX or -m MODEL ('sluice list' has the names)" .. (reads and ", or -s auto" or ""))
  end
  return syntax
end

--- engine.tools(engine, path): the tools of a file, or nil where there is no path.
function M.tools(engine, path)
  if not path then
    return nil
  end
  local tools, message = engine:tools(files.read(path))
  return M.must(tools, ("%s: %s"):format(path, message))
end

-- ---- Stream options ------------------------------------------------------------------------

--- engine.set_option(options, name, text): sets a stream option from its text. Answers true; or nil and a sentence.
function M.set_option(options, name, text)
  local value, message = stream_options.from_text(name, text)
  if value == nil then
    return nil, message
  end
  -- more than a machine can hold is no limit
  options[name] = math.type(value) == "float" and math.maxinteger or value
  return true
end

--- engine.options(args): the stream options of --start, --calls and --option.
function M.options(args)
  local options = { start = args.start, calls = args.calls }
  for _, pair in ipairs(args.option or {}) do
    local name, text = pair:match "^([^=]*)=(.*)$"
    if not name then
      terminal.fail(("--option is NAME=VALUE, not '%s'"):format(pair))
    end
    M.must(M.set_option(options, name, text))
  end
  return options
end

--- engine.json_options(args): the same options as JSON text, for what is made for tools; nil where there are none. true, false,
-- numbers and objects are taken as such, anything else is a string.
function M.json_options(args)
  local members = {}
  for _, pair in ipairs(args.option or {}) do
    local name, text = pair:match "^([^=]*)=(.*)$"
    if not name then
      terminal.fail(("--option is NAME=VALUE, not '%s'"):format(pair))
    end
    local value = text
    if text == "true" or text == "false" or text:find "^[%d{]" then
      local decoded = core.json.decode(text)
      value = decoded == nil and text or decoded
    end
    members[#members + 1] = { name, value }
  end
  return members[1] and core.json.encode(core.json.object(members)) or nil
end

return M
