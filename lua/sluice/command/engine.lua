--- The engine of a command, and what most commands need: the syntax, the tools, the stream options.

local core = require "sluice.core"
local files = require "sluice.command.files"
local library = require "sluice.command.library"
local lists = require "sluice.lists"
local nearest = require "sluice.nearest"
local stream_options = require "sluice.options"
local streams = require "sluice.stream"
local terminal = require "sluice.command.terminal"

local M = {}

--- engine.start([roomy]): an engine with all scripts; roomy: with more memory, to try many texts. Scripts with errors are reported.
function M.start(roomy)
  local engine = library.new(roomy)
  local ok, message = engine:load()
  if not ok then
    terminal.say(message)
  end
  return engine
end

--- engine.must(value, message[, code]): returns the value, or ends the command if it is nil.
function M.must(value, message, code)
  if value == nil then
    (code == "bad_option" and terminal.misuse or terminal.fail)(message)
  end
  return value
end

--- engine.ask(engine, tool, question[, seconds]): the decoded result of one of the engine's tools. `question`: a table or a text.
-- `seconds`: its processor time, instead of a script's.
function M.ask(engine, tool, question, seconds)
  return core.json.decode(M.must(engine:ask(tool, type(question) == "table" and core.json.encode(question) or question, seconds)))
end

--- engine.syntax(engine, args): the syntax given by -s, -m or the environment, and "reasoning" if the model's responses start there.
function M.syntax(engine, args)
  if args.model then
    local found = M.ask(engine, "model", args.model)
    terminal.say(("model '%s' uses %s (matches '%s')"):format(args.model, found.name, found.entry))
    return found.name, found.start
  end
  local syntax = args.syntax or os.getenv "SLUICE_SYNTAX"
  if not syntax or syntax == "" then
    local parses = args.command == "parse" or args.command == "trace" -- the others write, which `auto` cannot
    terminal.misuse("no syntax given; use -s SYNTAX or -m MODEL ('sluice list' has the names)" .. (parses and ", or -s auto" or ""))
  end
  return syntax
end

-- The keywords of JSON Schema that restrict values, but for short ones.
local keywords = lists.set [[$defs $ref additionalItems additionalProperties allOf anyOf const contains definitions dependencies
  dependentRequired dependentSchemas enum exclusiveMaximum exclusiveMinimum items maxContains maxItems maxLength maxProperties maximum
  minContains minItems minLength minProperties minimum multipleOf oneOf pattern patternProperties prefixItems properties propertyNames
  required type unevaluatedItems unevaluatedProperties uniqueItems]]

-- Reports members of schemas that are nearly one of these, each once. names: the members of the value are names.
local function report_misspelt(path, value, judged, names)
  for key, item in pairs(type(value) == "table" and value or {}) do
    local near = not names and value.type ~= nil and not keywords[key] and not judged[key] and nearest(tostring(key), keywords)
    if near then
      terminal.say(("%s: '%s' is no keyword of JSON Schema and restricts nothing; the nearest is '%s'"):format(path, key, near))
    end
    judged[key] = judged[key] or near ~= false
    report_misspelt(path, item, judged, key == "properties")
  end
end

--- engine.tools(engine, path): the tools in a file, or nil without a path.
function M.tools(engine, path)
  if not path then
    return nil
  end
  local text = files.read(path)
  local tools, notes, message = engine:tools(text)
  M.must(tools, ("%s: %s"):format(path, notes))
  report_misspelt(path, core.json.decode(text), {})
  if not notes then
    terminal.say(("%s: %s"):format(path, message))
  end
  for _, note in ipairs(core.json.decode(notes or "[]")) do
    terminal.say(("%s: %s%s: %s"):format(path, note.tool, note.pointer ~= "" and " " .. note.pointer or "", note.message))
  end
  return tools
end

--- engine.stream(engine, syntax, tools, options): a stream as Lua hosts have it; or nil, a message and a code.
function M.stream(engine, syntax, tools, options)
  local raw, message, code = engine:stream(syntax, tools, options)
  return raw and streams.new(raw), message, code
end

-- The pairs of --option: { name, text } each.
local function named_options(args)
  return lists.map(args.option or {}, function(pair)
    local name, text = pair:match "^([^=]*)=(.*)$"
    return name and { name, text } or terminal.misuse(("--option must be NAME=VALUE, not '%s'"):format(pair))
  end)
end

--- engine.options(args, start): the stream options of --start, --calls and --option; `start`: that of the model.
function M.options(args, start)
  local options = { start = args.start, calls = args.calls }
  for _, pair in ipairs(named_options(args)) do
    local value, message = stream_options.from_text(pair[1], pair[2])
    options[pair[1]] = M.must(value, message, "bad_option")
  end
  options.start = options.start or not options.prompt and start or nil
  return options
end

--- engine.json_options(args): --option as JSON text, for operations on tools; nil without any. A value that is no JSON is a string.
function M.json_options(args)
  local members = named_options(args)
  for _, pair in ipairs(members) do
    local decoded = core.json.decode(pair[2])
    pair[2] = decoded == nil and pair[2] or decoded
  end
  return members[1] and core.json.encode(core.json.object(members)) or nil
end

return M
