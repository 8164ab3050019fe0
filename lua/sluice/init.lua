--- Sluice for Lua: extracts tool calls from a language model's raw output while it streams.
--
--    local sluice = require "sluice"
--    local stream = sluice.stream("hermes", { tools = tools })
--    for event in stream:feed(chunk) do ... end
--    for event in stream:finish() do ... end
--
-- Errors: misuse (a wrong type, an unknown option or syntax, invalid tool definitions) raises at the caller's line; everything else
-- returns nil, a message and a code. Offsets count bytes from 1 and are inclusive. Arguments are returned as JSON text.

-- The checkout that contains this file (the folder above lua/), if any.
local checkout
do
  local here = debug and debug.getinfo and debug.getinfo(1, "S").source or ""
  checkout = here:match "^@(.+)[/\\]lua[/\\]sluice[/\\]init%.lua$" or here:find "^@lua[/\\]sluice[/\\]init%.lua$" and "." or nil
end

if require("sluice.luajit").faulty then
  jit.off(true, true)
end

-- Finds the C half with `require`, or in the build folder of a checkout.
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
local lists = require "sluice.lists"
local stream_options = require "sluice.options"
local streams = require "sluice.stream"

---@class sluice
---@field version string
---@field json sluice.json
---@field paths sluice.paths
local M = { version = core.version, json = core.json }

local lpeg
do
  local global = rawget(_G, "lpeg")
  local ok, module = pcall(require, "lpeg")
  rawset(_G, "lpeg", global) -- LPeg itself sets it in Lua 5.1
  lpeg = ok and module or (rawget(_G, "vim") and rawget(_G, "vim").lpeg)
  if not lpeg then
    error("sluice needs LPeg, but require \"lpeg\" does not find it", 0)
  end
end

local registry
local problems = {}

local function syntaxes()
  if not registry then
    registry = host.new(lpeg, { read = core.read_file, embedded = core.embedded_script })
    local own = checkout and checkout .. "/syntaxes" -- replaces the installed ones
    problems = registry.load_all(own and core.list_folder(own) and own or core.script_folder(), os.getenv "SLUICE_PATH")
  end
  return registry
end

-- Raises, on behalf of the public function that calls this, if one of its arguments has a wrong type.
local function expect(name, number, value, ...)
  if not lists.set({ ... })[type(value)] then
    error(("sluice.%s: argument %d must be a %s, not a %s"):format(name, number, table.concat({ ... }, " or a "), type(value)), 3)
  end
end

-- Returns a function's results unchanged, or nil, a message and a code. `code`: the default code.
local function answered(code, value, message, own_code, ...)
  if value == nil then
    return nil, message, own_code or code
  end
  return value, message, own_code, ...
end

-- The value, or an error on behalf of the public function that called this one's caller; `level` counts from there.
local function must(level, value, message)
  return value or error(message, level + 1)
end

-- The plan of a syntax given by name, alias or path, as "auto" (or "auto:NAME,NAME..."), or as returned by sluice.compile.
local function plan_of(name, level)
  if type(name) == "table" and name.is_compiled then
    return name.plan
  end
  return (must(level or 3, syntaxes().plan(name))) -- no tail call: the level counts functions
end

local function tools_of(value, level)
  return value ~= nil and must(level or 3, syntaxes().tools(value)) or nil
end

-- A stream. Raises on behalf of the public function that calls this, as plan_of and tools_of do.
local function open(syntax, options)
  stream_options.check(options or {}, 4)
  local plan = plan_of(syntax, 4)
  local raw = must(3, core.stream(plan, tools_of(options and options.tools, 4), options or {}))
  return streams.new(raw), plan
end

--- sluice.stream(syntax[, options]): opens a stream, which parses one response after another. Any coroutine can use it. With "auto" it
-- recognises the format by its markers among all loaded syntaxes, with "auto:hermes,mistral" among these; `syntax` of the call_begin
-- event names it. Options: `tools`, and those of docs/options.md.
---@param syntax sluice.Name|sluice.Syntax
---@param options? sluice.StreamOptions
---@return sluice.Stream stream
function M.stream(syntax, options)
  return (open(syntax, options))
end

--- sluice.parse(syntax, text[, options]): parses a whole response. Returns { content, reasoning, calls, errors }.
---@param syntax sluice.Name|sluice.Syntax
---@param text string the whole response
---@param options? sluice.StreamOptions
---@return sluice.Result result
function M.parse(syntax, text, options)
  expect("parse", 2, text, "string")
  local stream = open(syntax, options)
  return streams.whole(stream, text)
end

--- sluice.parse_turn(syntax, text[, options]): parses a whole turn as `render` writes it, tool results included. Returns what
-- sluice.parse returns, and `results`, a list of { name, id, content }, as far as the format has these.
---@param syntax sluice.Name|sluice.Syntax
---@param text string
---@param options? sluice.StreamOptions
---@return sluice.ParsedTurn result
function M.parse_turn(syntax, text, options)
  expect("parse_turn", 2, text, "string")
  local stream, plan = open(syntax, options)
  local rest, results = require("sluice.render").split(plan, text)
  local result = streams.whole(stream, rest)
  result.results = results
  return result
end

--- sluice.load(path): loads a script, or every script of a folder. Scripts that have changed are loaded again: open streams keep the old
-- version. Returns the syntax's name (of a folder: how many scripts are new or have changed), or nil, a message and a code.
---@param path string a script, or a folder
---@return string|integer? loaded nil on error
---@return string? message
---@return sluice.Code? code
function M.load(path)
  expect("load", 1, path, "string")
  return answered("script", syntaxes().load_path(path))
end

--- sluice.compile(text[, path]): compiles a script's text to a syntax, which the functions here accept in place of a name. Nothing is
-- registered. `path` names the script in errors; the scripts that it inherits from are looked up in that folder. Returns nil, a message
-- and a code if the script has an error.
---@param text string
---@param path? string
---@return sluice.Syntax? syntax nil on error
---@return string? message
---@return sluice.Code? code
function M.compile(text, path)
  expect("compile", 1, text, "string")
  expect("compile", 2, path, "string", "nil")
  local plan, message = syntaxes().compile(text, path or "script")
  return answered("script", plan and { is_compiled = true, name = plan.syntax.name, plan = plan }, message)
end

--- sluice.syntaxes(): lists every syntax: name, aliases, models, directions.
---@return sluice.Listed[] syntaxes
function M.syntaxes()
  return syntaxes().list()
end

--- sluice.problems(): lists the error messages of scripts that could not be loaded.
---@return string[] messages
function M.problems()
  syntaxes()
  return problems
end

--- sluice.description(syntax): returns the description as its script wrote it. Do not change it.
---@param syntax sluice.Name|sluice.Syntax
---@return sluice.Description description
function M.description(syntax)
  return plan_of(syntax).syntax
end

--- sluice.syntax_for(model): finds the syntax for a model's name. Returns it ("auto:a,b" if the model writes several), the matching name
-- from the script, and "reasoning" if the model's prompt opens its reasoning: pass it to its streams as the option `start`.
---@param model string
---@return string? syntax nil on error
---@return string? known which name of a model it was, or the message
---@return string? start "reasoning", nil, or the code
function M.syntax_for(model)
  expect("syntax_for", 1, model, "string")
  return answered("not_found", syntaxes().syntax_for(model))
end

--- sluice.render(syntax, calls[, options]): writes calls in the model's own format. `calls` is a list of { name, arguments = JSON
-- text or a table, id, extra }, or a whole turn { reasoning, content, calls, results = { { name, id, content } }, generation_prompt }, or
-- a result of sluice.parse, or JSON text of a list or a turn. The generation prompt (Harmony's `<|start|>assistant`) is written only
-- for a turn whose `generation_prompt` is true. options.mark: see sluice.mark. Returns nil, a message and a code if the format
-- cannot carry the calls.
---@param syntax sluice.Name|sluice.Syntax
---@param calls sluice.Call[]|sluice.Turn|sluice.Result|string
---@param options? { mark?: string }
---@return string? text nil on error
---@return string? message
---@return sluice.Code? code
function M.render(syntax, calls, options)
  expect("render", 2, calls, "table", "string")
  expect("render", 3, options, "table", "nil")
  local plan = plan_of(syntax)
  return answered("refused", syntaxes().render(plan, calls, options))
end

--- sluice.error_hint(code): returns what a host may tell the model about an error of this code, a sentence; nil for a code that tells the
-- model nothing to do.
---@param code string
---@return string? hint
function M.error_hint(code)
  expect("error_hint", 1, code, "string")
  return core.error_hint(code)
end

--- sluice.mark(): draws a mark for one conversation, eight random letters and digits. As the option `mark` of prompt, render, grammar
-- and streams it becomes part of the opening and closing tags of a prompt-defined format (`<tool_call k3f9a2xw>`). Text without the mark
-- is never a call, so a model cannot call a tool by repeating what it has read. Raises if the system has no source of randomness.
---@return string mark
function M.mark()
  return core.mark()
end

--- sluice.grammar(syntax, tools[, target[, options]]): makes a grammar that constrains a model to the format. `tools`: a list of tool
-- definitions or JSON text; target: "lark" (llguidance; default), "gbnf" (llama.cpp) or "structural-tag" (XGrammar). Options:
-- tool_choice ("auto", "required" or a tool's name), max_calls (0: no limit), parallel (false: one call), reasoning (true: allowed before
-- calls), tokens ("text", "special", or a map from special tokens to their ids; lark only), relax (true: without what the target cannot
-- express; the text begins with a list of that), mark (see sluice.mark). Returns nil, a message and a code if the target cannot express it.
---@param syntax sluice.Name|sluice.Syntax
---@param tools sluice.Tools tool definitions
---@param target? "lark"|"gbnf"|"structural-tag"
---@param options? sluice.GrammarOptions
---@return string? grammar nil on error
---@return string? message
---@return sluice.Code? code
function M.grammar(syntax, tools, target, options)
  expect("grammar", 2, tools, "table", "string")
  local plan = plan_of(syntax)
  return syntaxes().grammar(plan, tools_of(tools), target or "lark", options)
end

--- sluice.tools_notes(tools): the parts of the tools' schemas that cannot be checked. A call for which one is reached is not valid.
---@param tools sluice.Tools tool definitions
---@return { tool: string, pointer: string, message: string }[]
function M.tools_notes(tools)
  expect("tools_notes", 1, tools, "table", "string")
  return require("sluice.tools").notes(tools_of(tools))
end

--- sluice.prompt(syntax, tools[, options]): writes instructions that teach a model the format and the tools. options.variant:
-- "full" (default), "short", or "native", the script's own template; options.mark: see sluice.mark. Returns nil, a message and a code
-- if the syntax has no such prompt.
---@param syntax sluice.Name|sluice.Syntax
---@param tools sluice.Tools tool definitions
---@param options? { variant?: "full"|"short"|"native", mark?: string }
---@return string? text nil on error
---@return string? message
---@return sluice.Code? code
function M.prompt(syntax, tools, options)
  expect("prompt", 2, tools, "table", "string", "nil")
  local plan = plan_of(syntax)
  return syntaxes().prompt(plan, tools_of(tools), options)
end

--- sluice.call_ids(generator): sets the function that returns fresh call ids; nil restores the built-in one.
---@type fun(generator: (fun(): string)?)
M.call_ids = core.set_ids

--- sluice.check(path): loads a script, runs its examples, and tests the laws on random texts and calls. Returns a report of some lines;
-- or nil, the report and a code if the script does not pass.
---@param path string
---@return string? verdict nil on error
---@return string? message
---@return sluice.Code? code
function M.check(path)
  expect("check", 1, path, "string")
  return answered("script", syntaxes().check(path))
end

local infer_kinds = { calls = "table", prompts = "table", name = "string", hidden = "table", stop = "table", reasoning = "table" }

--- sluice.infer(samples[, options]): infers a description from responses of a model. `samples`: a list of texts; options.calls: for each
-- of them, if known, the list of its calls, { name, arguments, id } each, or its message, { content, reasoning, calls };
-- options.name: the syntax's name; options.prompts: the tail of each sample's prompt; options.stop: end-of-turn tokens;
-- options.reasoning: { open, close }. Returns { script, page, report, explained }: the script's text, its page, the findings in
-- some lines, the number of explained samples; or nil, a message and a code.
---@param samples string[]
---@param options? sluice.InferOptions
---@return sluice.Inferred? found nil on error
---@return string? message
---@return sluice.Code? code
function M.infer(samples, options)
  expect("infer", 1, samples, "table")
  options = options or {}
  stream_options.check(options, 3, infer_kinds)
  local list = lists.map(samples, function(text, i)
    return { path = "sample " .. i, text = text, prompt = options.prompts and options.prompts[i] }
  end)
  return answered("refused", syntaxes().infer(lists.copy(options, { samples = list })))
end

M.paths = require "sluice.paths"

return M
