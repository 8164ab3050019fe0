--- Sluice for Lua: tool calls out of a language model's raw output while it streams.
--
--    local sluice = require "sluice"
--    local stream = sluice.stream("hermes", { tools = tools })
--    for event in stream:feed(chunk) do ... end
--    for event in stream:finish() do ... end
--
-- Refusals answer nil, a sentence and a code; misuse (wrong types, unknown options or syntaxes) raises. Offsets count
-- bytes from 1 and are inclusive. Arguments are handed over as JSON text.

-- The checkout that this file is in (the folder above lua/), if any.
local checkout
do
  local here = debug and debug.getinfo and debug.getinfo(1, "S").source or ""
  checkout = here:match "^@(.+)[/\\]lua[/\\]sluice[/\\]init%.lua$" or here:find "^@lua[/\\]sluice[/\\]init%.lua$" and "." or nil
end

-- The C half is found by `require`, or where a checkout builds it.
local found, core = pcall(require, "sluice.core")
if not found then
  local version = _VERSION:match "%d%.%d"
  local open = checkout and package.loadlib(("%s/build/%s/sluice/core.so"):format(checkout, version == "5.4" and "lua" or "lua" .. version),
    "luaopen_sluice_core")
  if not open then
    error("sluice: " .. tostring(core), 0)
  end
  package.preload["sluice.core"] = open
  core = require "sluice.core"
end
local host = require "sluice.registry"
local stream_options = require "sluice.options"
local streams = require "sluice.stream"

local M = { version = core.version, json = core.json }

local lpeg
do
  local global = rawget(_G, "lpeg")
  local ok, module = pcall(require, "lpeg")
  rawset(_G, "lpeg", global) -- LPeg itself sets it in Lua 5.1
  lpeg = ok and module or (rawget(_G, "vim") and rawget(_G, "vim").lpeg)
  if not lpeg then
    error("sluice needs LPeg: require \"lpeg\" finds none", 0)
  end
end

local registry
local problems = {}

local function folders()
  local list = {}
  if checkout then
    list[#list + 1] = checkout .. "/syntaxes"
  end
  local installed = core.script_folder and core.script_folder()
  if installed then
    list[#list + 1] = installed
  end
  for folder in (os.getenv "SLUICE_PATH" or ""):gmatch("[^" .. core.path_separator .. "]+") do
    list[#list + 1] = folder
  end
  return list
end

local function syntaxes()
  if registry then
    return registry
  end
  registry = host.new(lpeg, { read = core.read_file, embedded = core.embedded_script })
  local there = {}
  for _, folder in ipairs(folders()) do
    local names = core.list_folder(folder)
    -- a checkout's own scripts stand for the installed ones
    if names and not (there[1] and folder == core.script_folder()) then
      there[#there + 1] = { path = folder, names = names }
    end
  end
  local _
  _, problems = registry.load_installed(there)
  return registry
end

local function check_options(options)
  for key, value in pairs(options) do
    local want = key == "tools" or stream_options.kinds[key]
    if not want then
      local near = require("sluice.syntax").nearest(tostring(key), stream_options.kinds)
      error(("there is no option '%s'%s"):format(tostring(key), near and ("; the nearest is '%s'"):format(near) or ""), 3)
    elseif want ~= true and type(value) ~= want then
      error(("the option '%s' is a %s, not a %s"):format(key, want, type(value)), 3)
    end
  end
end

-- A syntax is told by its name, alias or path, is "auto" (or "auto:NAME,NAME..."), or is what sluice.compile answered.
local function plan_of(name)
  if type(name) == "table" and name.is_compiled then
    return name.plan
  end
  local plan, message = syntaxes().plan(name)
  if not plan then
    error(message, 3)
  end
  return plan
end

local function tools_of(value)
  if value == nil then
    return nil
  end
  local tools, message = syntaxes().tools(value)
  if not tools then
    error(message, 3)
  end
  return tools
end

local function open(plan, tools, options)
  local raw, message = core.stream(plan, tools, options)
  if not raw then
    error(message, 3)
  end
  return streams.new(raw)
end

--- sluice.stream(syntax[, options]): a stream for one response after the other. It can be used from any coroutine. The syntax
-- "auto" recognises the format by its markers among all that are loaded, "auto:hermes,mistral" among some; `syntax` of the
-- call_begin event then says which it is.
function M.stream(syntax, options)
  options = options or {}
  check_options(options)
  return (open(plan_of(syntax), tools_of(options.tools), options))
end

--- sluice.parse(syntax, text[, options]) -> { content, reasoning, calls, errors } of a whole response.
function M.parse(syntax, text, options)
  options = options or {}
  check_options(options)
  return streams.whole(open(plan_of(syntax), tools_of(options.tools), options), text)
end

--- sluice.parse_turn(syntax, text[, options]): a whole turn as `render` writes it, with the tools' results: as sluice.parse, and
-- `results`, a list of { name, id, content } with what the format says of them.
function M.parse_turn(syntax, text, options)
  local rest, results = syntaxes().split(plan_of(syntax), text)
  local result = M.parse(syntax, rest, options)
  result.results = results
  return result
end

--- sluice.load(path): loads a script, or every script of a folder. What was loaded before is read anew where it changed: streams
-- under way finish with what it was, new ones take what it is. Answers its name (or how many), or nil, a sentence
-- and a code.
function M.load(path)
  local names = core.list_folder(path)
  if names then
    local count, wrong = syntaxes().load_folder(path, names)
    if #wrong > 0 then
      return nil, table.concat(wrong, "\n"), "script"
    end
    return count
  end
  local name, message = syntaxes().load_file(path)
  if not name then
    return nil, message, "script"
  end
  return name
end

--- sluice.compile(text[, path]): a script's text as a syntax that the functions here take in place of a name; nothing is
-- registered. `path` is what its errors name, and where the scripts are that it inherits from. nil, a sentence and a code
-- where it is none.
function M.compile(text, path)
  local plan, message = syntaxes().compile(text, path or "script")
  if not plan then
    return nil, message, "script"
  end
  return { is_compiled = true, name = plan.syntax.name, plan = plan }
end

--- sluice.syntaxes(): every syntax: name, aliases, models, what it can do.
function M.syntaxes()
  return syntaxes().list()
end

--- sluice.problems(): sentences about the scripts that could not be loaded.
function M.problems()
  syntaxes()
  return problems
end

--- sluice.description(syntax): the description itself, as its script wrote it; not to be changed.
function M.description(syntax)
  return plan_of(syntax).syntax
end

--- sluice.syntax_for(model): the syntax of a model's name ("auto:a,b" where it writes several), or nil and a sentence. The third value
-- is "reasoning" where the model's prompt opens its reasoning: the option `start` for its streams.
function M.syntax_for(model)
  return syntaxes().syntax_for(model)
end

--- sluice.render(syntax, calls): calls as text in the model's own format. `calls` is a list of { name, arguments = JSON
-- text or a table, id, extra }, or a whole turn { reasoning, content, calls, results = { { name, id, content } } }, or JSON
-- text of either. nil, a sentence and a code where the format cannot carry it.
function M.render(syntax, calls)
  local plan = plan_of(syntax)
  return syntaxes().render(plan, calls)
end

--- sluice.grammar(syntax, tools[, target[, options]]): a grammar that makes a model write the format. `tools`: a list of tool
-- definitions or JSON text; target: "lark" (llguidance; default), "gbnf" (llama.cpp) or "structural-tag" (XGrammar). Options:
-- tool_choice ("auto", "required" or a tool's name), parallel (false: one call), reasoning (true: it may stand before),
-- tokens ("text", "special", or a map from the special tokens to their ids; lark only). nil, a sentence and a code where
-- the target cannot say it.
function M.grammar(syntax, tools, target, options)
  local plan = plan_of(syntax)
  return syntaxes().grammar(plan, tools_of(tools), target or "lark", options)
end

--- sluice.export(syntax, target[, options]): the syntax in another project's form, as text. target: "response-template", for a
-- tokenizer_config.json; options.start_anchor: what the prompt has before the response. nil, a sentence and a code where
-- the target cannot express it.
function M.export(syntax, target, options)
  local plan = plan_of(syntax)
  return syntaxes().export(plan, target, options)
end

--- sluice.prompt(syntax, tools[, options]): instructions that teach a model the format and the tools. options.variant:
-- "full" (default), "short", or "native", the script's own template. nil, a sentence and a code where there is none.
function M.prompt(syntax, tools, options)
  local plan = plan_of(syntax)
  return syntaxes().prompt(plan, tools_of(tools), options)
end

--- sluice.call_ids(generator): a function that answers a fresh call id, or nil for the built-in one.
M.call_ids = core.set_ids

--- sluice.check(path): is the script in order? A verdict of some lines; or nil and the same, where it does not pass. Its
-- examples are tried, and the laws on random texts and calls.
function M.check(path)
  return syntaxes().check(path)
end

--- sluice.infer(samples[, options]): a description read out of texts of a model. `samples`: a list of texts; options.calls: for each
-- of them the list of its calls, { name, arguments, id } each, or its message, { content, reasoning, calls }, where they are known;
-- options.name: of the syntax; options.prompts: the tail of each sample's prompt; options.stop: end-of-turn tokens; options.reasoning:
-- { open, close }. Answers { script, page, report, explained }: the script's text, its corpus page, what was found in some lines,
-- how many samples it explains; or nil and a sentence.
function M.infer(samples, options)
  options = options or {}
  local list = {}
  for i, text in ipairs(samples) do
    list[i] = { path = "sample " .. i, text = text, prompt = options.prompts and options.prompts[i] }
  end
  return syntaxes().infer { samples = list, calls = options.calls, name = options.name, hidden = options.hidden, stop = options.stop,
    reasoning = options.reasoning }
end

--- sluice.explain(syntax, text[, options]): what of a description is tried at which byte of a text, what it waits for and why it is
-- rejected, in lines. `syntax`: a name, an alias or a path; options as of sluice.stream. nil and a sentence where there is no such syntax.
function M.explain(syntax, text, options)
  local rest = {}
  for key, value in pairs(options or {}) do
    rest[key] = value
  end
  rest.tools = nil
  check_options(rest)
  local tools = options and options.tools
  if type(tools) == "string" then
    tools = core.json.decode(tools)
  end
  return require("sluice.author.explain").explain(syntaxes(), { syntax = syntax, text = text, tools = tools, options = rest })
end

--- sluice.new(name[, like]): a script to start from and its corpus page, both as text; or nil and a sentence. `like`: the syntax that
-- it is a dialect of.
function M.new(name, like)
  return require("sluice.author.new").files(syntaxes(), name, like)
end

M.paths = require "sluice.paths"

return M
