--- The options of each command, for argparse. Help, usage, the manual and the completions are made from them.

local argparse = require "argparse"
local json = require("sluice.core").json
local lists = require "sluice.lists"
local stream_options = require "sluice.options"
local terminal = require "sluice.command.terminal"

local M = {}

local choices = {} -- of an option: the words for the shell to complete

-- Adds an option; more: words that it offers (the library refuses others), `only`: it accepts no other; number:
-- what it counts, at least `least`; default; many: it may be repeated; target.
local function option(command, name, value, about, more)
  local made = command:option(name):argname(value):description(about)
  function made._get_label_lines() -- "-s, --syntax SYNTAX" on one line
    return { table.concat(made._aliases, ", ") .. " " .. value }
  end
  more = more or {}
  choices[made] = more.words
  if more.number then
    made:convert(function(text)
      local n = text:find "^%d+$" and math.tointeger(tonumber(text))
      if n and n >= (more.least or 0) then
        return n
      end
      return nil, ("%s must be a number of %s, not '%s'"):format(made._name, more.number, text)
    end)
  elseif more.only then
    made:choices(more.words)
  end
  made = more.default and made:default(more.default):show_default(false) or made
  made = more.many and made:count "*" or made
  return more.target and made:target(more.target) or made
end

local function syntax(command, about)
  command:mutex(option(command, "-s --syntax", "SYNTAX", about
    or "the model's format: a name, an alias, or a path to a script (default: $SLUICE_SYNTAX)"),
    option(command, "-m --model", "MODEL", "the syntax of this model (reported on standard error)"))
end

local function tools(command)
  option(command, "--tools", "FILE", "the tools: an array of OpenAI, Anthropic or MCP tools, or of plain functions")
end

local function reading(command)
  syntax(command, "the model's format: a name, an alias, a path to a script, or auto to recognise it (auto:NAME,NAME...: one of these; "
    .. "default: $SLUICE_SYNTAX)")
  tools(command)
  option(command, "--chunk", "N", "feed N bytes at a time (0, the default: as they are read)", { number = "bytes" })
  option(command, "--start", "WHERE", "text or reasoning: where the output begins", { words = stream_options.words.start })
  option(command, "--calls", "WHEN", "streamed or whole: report a call as it arrives, or when it is complete",
    { words = stream_options.words.calls })
  option(command, "--option", "NAME=VALUE", "any stream option; see docs/options.md", { many = true })
end

local function colour(command)
  option(command, "--color", "WHEN", "auto (default), always or never", { only = true, default = "auto",
    words = { "auto", "always", "never" } })
end

local function given(command, name, value, about, count)
  command:argument(value):argname(value):target(name):args(count or "*"):description(about)
end

local function seconds(command)
  option(command, "--seconds", "N", "processor time for each script or set of samples (default 60)", { number = "seconds", least = 1,
    default = 60 })
end

local commands = {}

local function add(name, about, text, fill)
  commands[#commands + 1] = { name = name, about = about, text = text, fill = fill }
end

add("parse", "extract text, reasoning and tool calls from a response",
  "Reads a response and prints its text, reasoning and calls, as one JSON object or as events while they happen. On a terminal the "
  .. "result is formatted for reading. With several files, each result has the name of its file.", function(c)
    reading(c)
    option(c, "-o --output", "FORMAT", "result (default), events, pretty (default on a terminal), a wire format (openai, anthropic, "
      .. "ollama), or openai-message: one message", { only = true,
      words = { "result", "events", "pretty", "openai", "openai-message", "anthropic", "ollama" } })
    option(c, "--from", "FORMAT", "format of the input: text (default), openai, anthropic or ollama", { only = true, default = "text",
      words = { "text", "openai", "anthropic", "ollama" } })
    c:flag "-e --exit-status":description "exit with 1 unless there is a call and all calls are valid; needs --tools"
    colour(c)
    given(c, "files", "FILE", "responses; '-' or none: standard input")
  end)

add("batch", "parse or write many texts: JSON Lines in, JSON Lines out", [[
Reads one JSON object per line and prints one per line, in order. Blank lines are skipped, other members ignored.
  {"id", "syntax", "text", "tools"?, "chunk"?, "start"?, "options"?, "output"?: "events"}
      "pieces": [[text], [text, "special"], ...] instead of "text", if some are special tokens
  {"id", "op": "render", "syntax", "calls", "options"?}
  {"id", "op": "grammar", "syntax", "tools", "to"?, "options"?}
  {"id", "op": "prompt", "syntax", "tools", "options"?}]], function(c)
    option(c, "--max-line", "BYTES", "longer lines get an error (default 64 MiB)", { number = "bytes", least = 1, default = 64 << 20 })
    c:flag "--allow-paths":description "also accept paths to scripts as the syntax of a line"
    given(c, "files", "FILE", "lines; '-' or none: standard input")
  end)

add("render", "write calls as text in a syntax", "Reads calls, a JSON array of {\"name\", \"arguments\", \"id\"?, \"extra\"?}, or a "
  .. "turn, {\"content\", \"reasoning\", \"calls\", \"results\"}, and writes them as the model would.", function(c)
    syntax(c)
    option(c, "--option", "NAME=VALUE", "mark=WORD: see docs/options.md", { many = true })
    given(c, "files", "FILE", "the calls; '-' or none: standard input")
  end)

add("grammar", "make a grammar that constrains a model to calls of the given tools",
  "Writes a grammar that constrains a model to calls of these tools in this syntax.", function(c)
    syntax(c)
    tools(c)
    option(c, "--to", "TARGET", "lark (llguidance; default), gbnf (llama.cpp) or structural-tag (XGrammar)", { default = "lark",
      words = { "lark", "gbnf", "structural-tag" } })
    option(c, "--option", "NAME=VALUE", "tool_choice=auto|required|NAME, max_calls=N, parallel=false, reasoning=true, "
      .. "relax=true, tokens=special, mark=WORD; see docs/constrain-a-model.md", { many = true })
  end)

add("prompt", "make instructions that teach a model a syntax and the given tools",
  "Writes instructions that teach a model this syntax and these tools.", function(c)
    syntax(c)
    tools(c)
    option(c, "--option", "NAME=VALUE", "variant=full|short|native, mark=WORD", { many = true })
  end)

add("list", "list all syntaxes, or show one in full", "Prints one line per syntax. NAME selects by name, alias, family or model. "
  .. "If only one syntax matches, it is shown in full: its models, its special tokens, an example.", function(c)
    option(c, "-m --model", "MODEL", "show which syntax a model uses, and why")
    c:flag "--json":description "print JSON, with every field"
    colour(c)
    given(c, "names", "NAME", "a syntax, an alias, a family or a model")
  end)

add("trace", "show how each byte of a response was parsed",
  "Shows what each byte of a response was parsed as: in colours on a terminal, "
  .. "otherwise as a list of ranges. Errors are shown where they occurred.", function(c)
    c:flag "--explain":description "what was tried at each byte, what it waited for, why it was rejected"
    colour(c)
    reading(c)
    given(c, "files", "FILE", "responses; '-' or none: standard input")
  end)

add("watch", "trace samples again each time a script or sample is saved", "Traces the samples with the script, and again "
  .. "each time one of these files is saved. If the script has an error, it prints the error. Stop it with Ctrl-C.", function(c)
    tools(c)
    colour(c)
    given(c, "files", "FILE", "a script, then samples")
  end)

add("new", "write a script to start from, and its page", "Writes NAME.lua, a commented script that passes 'sluice check', and NAME.md, "
  .. "a page of its examples and their events. Existing files are never overwritten. The exit status is 1 if the script does "
  .. "not explain every given sample.", function(c)
    option(c, "--like", "SYNTAX", "a dialect of this syntax instead of a format of its own")
    option(c, "--from", "SAMPLE", "infer the script from these responses of a model", { many = true }):args "+"
    option(c, "--calls", "FILE", "the calls in the samples, as for 'sluice infer'", { target = "sample_calls" })
    seconds(c)
    given(c, "name", "NAME", "of the syntax", "?")
  end)

add("infer", "infer a script from a model's responses",
  "Finds a script that explains a model's responses, one per file. It tries known syntaxes first, "
  .. "then a new format from what the samples have in common. Prints the script, and on standard error which samples it "
  .. "explains. The exit status is 1 if it does not explain all of them.", function(c)
    option(c, "--calls", "FILE", "the calls in the samples, as JSON: for each sample a list of {\"name\", \"arguments\"}, or "
      .. "its message, {\"content\", \"reasoning\", \"calls\"}; or one of these per line. "
      .. "Without this option only known syntaxes are tried.", { target = "sample_calls" })
    option(c, "--name", "NAME", "of the syntax (default: mine)", { default = "mine" })
    seconds(c)
    given(c, "files", "SAMPLE", "responses")
  end)

add("check", "test a script: its examples, and the laws on random texts and calls",
  "Loads each script and runs its examples, then tests the laws on texts made of its literals and on calls that are written and read "
  .. "back. Prints one line per problem, with the smallest text that reproduces it. The exit status is 1 if a script does "
  .. "not pass.", function(c)
    seconds(c)
    given(c, "files", "SCRIPT", "paths or names of scripts")
  end)

add("help", "show the help of a command", "Prints the help of a command, or the list of commands.", function(c)
  given(c, "topic", "COMMAND", "whose help", "?")
  c:flag "--data":hidden(true):description "the help of all commands, as JSON"
end)

-- argparse's usage with single brackets.
local function tidy(usage)
  return (usage:gsub("^Usage:", "usage:"):gsub("%(%[([^%]]*)%] | %[([^%]]*)%]%)", "[%1 | %2]"))
end

-- The help text of a command.
local function help_of(parser)
  return tidy(parser:get_help()) .. "\n"
end

local function asks_for_help(parser)
  parser:flag "-h --help":description "print this help":action(function()
    error({ text = help_of(parser) }, 0)
  end)
end

-- Fills in a command's options when they are needed: those of all commands would take half the time of a short run.
local function filled(name)
  for _, each in ipairs(commands) do
    if each.fill and (not name or each.name == name) then
      local fill = each.fill
      each.fill = nil
      fill(each.parser)
      asks_for_help(each.parser)
    end
  end
end

local parser

--- options.parser([name]): the parser of the command line; `name`: the command to run.
function M.parser(name)
  if not parser then
    parser = argparse "sluice":add_help(false):require_command(false):command_target "command":help_max_width(100)
      :help_usage_margin(2):help_description_margin(27):usage_max_width(98)
      :description "Extract tool calls from a language model's raw output as it streams."
      :epilog "'sluice help COMMAND' lists the options of each."
    asks_for_help(parser)
    parser:flag "-V --version":description "print the version":action(function()
      error({ text = ("sluice %s\n"):format(require("sluice.command.library").version) }, 0)
    end)
    for _, each in ipairs(commands) do
      each.parser = parser:command(each.name):add_help(false):summary(each.about):description(each.text)
    end
    function parser.error(_, message)
      terminal.misuse(message:gsub("\nDid", "; did") .. " (-h prints the help)")
    end
  end
  filled(name or "")
  return parser
end

--- options.help(): the list of commands.
function M.help()
  return help_of(M.parser())
end

--- options.data(): all commands as JSON text, for the manual and the completions: name, about, text, help, usage, options (names, value,
-- about, choices) each.
function M.data()
  M.parser()
  filled()
  return json.encode(lists.map(parser._commands, function(each)
    return { name = each._name, about = each._summary, text = each._description, help = help_of(each),
      usage = tidy(each:get_usage()):gsub("^usage: ", ""):gsub("\n *", " "), options = lists.map(each._options, function(known)
        return not known._hidden and { names = known._aliases, value = known._argname, about = known._description,
          choices = choices[known] and table.concat(choices[known], " ") } or nil
      end) }
  end)) .. "\n"
end

return M
