--- Generates pages from the sources and a build: the reference, the list of syntaxes, the picture of the README, the man page, the
-- completions, annotations for language servers. usage: lua docs/make.lua SLUICE OUT
-- SLUICE is the command of a build, OUT a folder, build/docs as CMake runs it (cmake/pages.cmake). Needs any Lua, and no module in C.

local sluice, out_folder = arg[1], arg[2]
local root = arg[0]:match "^(.*)docs/make%.lua$"
package.path = root .. "lua/?.lua;" .. package.path
local lists = require "sluice.lists"

local function read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "*a"
  f:close()
  return text
end

local function write(path, text)
  local f = assert(io.open(out_folder .. "/" .. path, "wb"))
  f:write(text)
  f:close()
end
os.execute(("mkdir -p '%s/reference' '%s/completion' '%s/lua/sluice/meta'"):format(out_folder, out_folder, out_folder))

local made = "<!-- Made by docs/make.lua from %s. -->\n\n"

-- ---- The command ---------------------------------------------------------------------------

local function output(arguments)
  local handle = assert(io.popen(("%s %s"):format(sluice, arguments)))
  local text = handle:read "*a"
  handle:close()
  return text
end

-- Reads JSON text whose keys are names, as the command prints it.
local function decoded(text)
  local at = 1
  local function value()
    at = text:find("%S", at)
    local c = text:sub(at, at)
    if c == '"' then
      local out = {}
      at = at + 1
      while text:sub(at, at) ~= '"' do
        local plain, escape = text:match('^([^"\\]+)', at), text:match("^\\(.)", at)
        local code = text:match("^\\u(%x%x%x%x)", at)
        local named = { n = "\n", t = "\t", r = "\r", b = "\b", f = "\f" }
        out[#out + 1] = plain or code and string.char(tonumber(code, 16)) or named[escape] or escape
        at = at + (plain and #plain or code and 6 or 2)
      end
      at = at + 1
      return table.concat(out)
    elseif c == "{" or c == "[" then
      local out, close = {}, c == "{" and "}" or "]"
      at = text:find("%S", at + 1)
      while text:sub(at, at) ~= close do
        local key = #out + 1
        if c == "{" then
          key = value()
          at = text:find(":", at, true) + 1
        end
        out[key] = value()
        at = text:find("[^%s,]", at)
      end
      at = at + 1
      return out
    end
    local word = text:match("^[^%s,%]}]+", at)
    at = at + #word
    return tonumber(word) or word == "true" or nil
  end
  return value()
end

-- The commands: { name, about, text, help, usage, options = { names, value, about, choices } } each.
local commands = decoded(output "help --data")
for _, command in ipairs(commands) do
  commands[command.name] = command
end

do
  write("reference/command.md", "# The command\n\n" .. made:format "lua/sluice/command/options.lua"
    .. "`sluice COMMAND [OPTIONS] [FILE...]`; `-` is standard input. The output of `--help` for each command:\n"
    .. lists.join(commands, function(command)
      return ("\n## sluice %s\n\n```\n%s```\n"):format(command.name, command.help)
    end))
end

-- ---- The syntaxes --------------------------------------------------------------------------

-- Text for a table cell: tags outside code become code, so that they are not HTML.
local function cell(text)
  local out, at = {}, 1
  while at <= #text do
    local first, last = text:find("`[^`]*`", at)
    out[#out + 1] = text:sub(at, (first or #text + 1) - 1):gsub("<[^%s<>]*>", "`%0`")
    out[#out + 1] = first and text:sub(first, last) or ""
    at = (last or #text) + 1
  end
  return (table.concat(out):gsub("|", "\\|"))
end

do
  local targets = { "lark", "gbnf", "structural-tag" }

  -- The available grammars: "auto, required" for all targets, or a list for each.
  local function grammars(made_of)
    local all = lists.map(targets, function(target)
      local has = made_of[target]
      return #has > 0 and table.concat(has, ", ") or "no"
    end)
    return all[1] == all[2] and all[2] == all[3] and all[1] or lists.join(targets, function(target, i)
      return target .. ": " .. all[i]
    end, "; ")
  end

  local function tokens(list)
    return lists.join(list, function(text)
      return "`" .. text:gsub("\n", "\\n") .. "`"
    end, " ")
  end

  local all = {}
  for name in output "list":gmatch "%f[^\n%z](%S+)[^\n]*" do
    all[#all + 1] = name
  end
  local items = decoded(output("list --json " .. table.concat(all, " ")))
  local out = { "# Syntaxes\n\n" .. made:format "`sluice list --json` and the scripts" .. ([[
Sluice has %d syntaxes. Each is a script in `syntaxes/`; `sluice list NAME` shows the same as this page. Every syntax is used in four
directions:

- **parse**: all syntaxes, streaming or whole;
- **render**: writes calls as the model would. "results" means that tool results are written too;
- **grammar**: for llguidance (lark), llama.cpp (gbnf) and XGrammar (structural-tag). `auto` allows text before calls; `required` allows
  only calls. A format without a marker has only `required` ([constrain-a-model.md](../../docs/constrain-a-model.md));
- **prompt**: `full` and `short` for all syntaxes. "native" means that the script has the layout that the models were trained on.

"A mark in" lists the tokens that can carry [a mark](../../docs/options.md#marks).

]]):format(#items) }
  for _, agents in ipairs { false, true } do
    out[#out + 1] = (agents and "\n**Formats of agents**, for which models are prompted (the family `agent`):"
      or "**Formats of models:**") .. "\n\n| syntax | format |\n|---|---|\n" .. lists.join(items, function(item)
        return agents == (item.family ~= "model") and ("| [`%s`](#%s) | %s |\n"):format(item.name, item.name, cell(item.about or "")) or nil
      end)
  end
  for _, item in ipairs(items) do
    out[#out + 1] = ("\n## %s\n\n%s.\n\n"):format(item.name, (cell(item.about or item.name):gsub("\\|", "|")))
    local function row(label, text)
      if text and text ~= "" then
        out[#out + 1] = ("- **%s:** %s\n"):format(label, text)
      end
    end
    row("Models", table.concat(item.models, ", "))
    row("Project", item.origin)
    row("Also called", #item.aliases > 0 and tokens(item.aliases))
    row("Family", item.family and tokens { item.family })
    row("Dialect of", item.parent and ("[`%s`](#%s)"):format(item.parent, item.parent))
    row("Parse", "streamed and whole")
    local ways = item.directions
    row("Render", table.concat(ways.render, ", "))
    row("Grammar", grammars(ways.grammar))
    row("Prompt", table.concat(ways.prompt, ", "))
    row("A mark in", #item.marked > 0 and tokens(item.marked))
    row("Special tokens, which the server must keep", tokens(item.special))
    row("Stop words", tokens(item.stop))
    row("Source", type(item.source) == "string" and "<" .. item.source .. ">")
    local example = item.examples and item.examples[1]
    if example then
      out[#out + 1] = "\n~~~~text\n" .. example.text:gsub("\n$", "") .. "\n~~~~\n\n"
      for _, call in ipairs(example.calls) do
        out[#out + 1] = "    " .. call.name .. "\n"
      end
    end
  end
  write("syntaxes.md", table.concat(out))
end

-- ---- The man page --------------------------------------------------------------------------

local function roff(text)
  return (text:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("\n%.", "\n\\&."):gsub("\n'", "\n\\&'"):gsub("^%.", "\\&."))
end

do
  local header = read(root .. "core/include/sluice.h")
  local version = ("%s.%s.%s"):format(header:match "VERSION_MAJOR (%d+)", header:match "VERSION_MINOR (%d+)",
    header:match "VERSION_PATCH (%d+)")
  local out = { ('.\\" Made by docs/make.lua.\n.TH SLUICE 1 "" "sluice %s" "Sluice"\n'):format(version) }
  local function put(text, ...)
    out[#out + 1] = text:format(...)
  end
  put ".SH NAME\nsluice \\- tool calls out of a language model's raw output, while it streams\n"
  put ".SH SYNOPSIS\n.B sluice\n.I COMMAND\n.RI [ OPTIONS ]\n.RI [ FILE ...]\n"
  put(".SH DESCRIPTION\n%s\n", roff [[
Every model family writes its tool calls in a format of its own. Sluice has a short Lua script for each format. With it, Sluice
parses the format, writes it, and makes grammars and prompts for it. To add a format, add a script.]])
  put ".SH COMMANDS\n"
  for _, command in ipairs(commands) do
    put(".SS %s\n.nf\n%s\n.fi\n.PP\n%s\n", roff(command.name), roff(command.usage), (roff(command.text):gsub("\n  ", "\n.br\n  ")))
    for _, option in ipairs(command.options) do
      put(".TP\n.B %s\n%s\n", roff(table.concat(option.names, ", ") .. (option.value and " " .. option.value or "")),
        roff(option.about))
    end
  end
  put(".SH ENVIRONMENT\n.TP\n.B SLUICE_SYNTAX\n%s\n.TP\n.B SLUICE_PATH\n%s\n.TP\n.B NO_COLOR\n%s\n",
    "The syntax to use if none is given.", "Folders of scripts, separated by colons, loaded in addition to the installed ones. A later "
    .. "script replaces an earlier one of the same name.", "If not empty: no colours, unless they are asked for.")
  put(".SH EXIT STATUS\n%s\n", roff [[
0: success. 1: wrong usage, a file or script that cannot be read, something that render, grammar or prompt refuses, a script that does
not pass check, samples that infer does not explain; a message on standard error says which. Errors inside a parsed response are in the
output, not in the status.]])
  put(".SH EXAMPLES\n.nf\n%s\n.fi\n", roff [[
sluice parse -s hermes response.txt
curl -N ... | sluice parse --from openai -s auto -o openai
sluice new mine --from 1.txt --from 2.txt && sluice check mine.lua
sluice trace -s ./mine.lua --explain 1.txt]])
  put ".SH SEE ALSO\nThe documentation beside the sources: README.md and docs/.\n"
  write("sluice.1", table.concat(out))
end

-- ---- Completion ----------------------------------------------------------------------------

local from_value = { SYNTAX = "syntaxes", FILE = "files", SAMPLE = "files", SCRIPT = "files" }

-- The choices of an option, as words; or "syntaxes", "files" or nil, and false.
local function values(option)
  return option.choices or from_value[option.value], option.choices ~= nil
end

local names = lists.map(commands, function(command)
  return command.name
end)

-- The spellings of a command's options: { spelling, option } each.
local function spellings(command)
  local out = {}
  for _, option in ipairs(command.options) do
    for i = #option.names, 1, -1 do
      out[#out + 1] = { option.names[i], option }
    end
  end
  return out
end

local syntaxes = "sluice list 2>/dev/null | cut -d' ' -f1"

-- "auto ", where an option takes it.
local function auto(option)
  return option.about:find "auto" and "auto " or ""
end

do -- bash
  local out = { [[
# Completion of sluice for bash. Made by docs/make.lua.

_sluice() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "]] .. table.concat(names, " ") .. [[ --help --version" -- "$word"))
        return
    fi
    case $command:$before in
]] }
  for _, command in ipairs(commands) do
    for _, spelling in ipairs(spellings(command)) do
      local what, is_list = values(spelling[2])
      local words = is_list and ('-W "%s"'):format(what) or what == "syntaxes" and ('-W "%s$(%s)"'):format(auto(spelling[2]), syntaxes)
        or what == "files" and "-f"
      out[#out + 1] = spelling[2].value and ("    %s:%s) %sreturn ;;\n"):format(command.name, spelling[1],
        words and ('COMPREPLY=($(compgen %s -- "$word")); '):format(words) or "") or nil
    end
  end
  out[#out + 1] = "    esac\n    case $command:$word in\n"
  for _, command in ipairs(commands) do
    out[#out + 1] = ('    %s:-*) COMPREPLY=($(compgen -W "%s" -- "$word")) ;;\n'):format(command.name,
      lists.join(spellings(command), function(spelling)
        return spelling[1]
      end, " "))
  end
  out[#out + 1] = '    *) COMPREPLY=($(compgen -f -- "$word")) ;;\n    esac\n}\ncomplete -o filenames -F _sluice sluice\n'
  write("completion/sluice.bash", table.concat(out))
end

do -- zsh
  local function quoted(text)
    return (text:gsub("'", "'\\''"):gsub("[%[%]:]", "\\%0"))
  end
  local out = { "#compdef sluice\n# Completion of sluice for zsh. Made by docs/make.lua.\n\n_sluice_syntaxes() {\n    local -a list\n"
    .. "    list=($@ ${(f)\"$(" .. syntaxes .. ")\"})\n    _describe syntax list\n}\n\n_sluice() {\n    local -a commands\n"
    .. "    commands=(\n" }
  for _, command in ipairs(commands) do
    out[#out + 1] = ("        '%s:%s'\n"):format(command.name, quoted(command.about))
  end
  out[#out + 1] = "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
    .. "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n"
  for _, command in ipairs(commands) do
    out[#out + 1] = ("    %s)\n        _arguments \\\n"):format(command.name)
    for _, spelling in ipairs(spellings(command)) do
      local option = spelling[2]
      local what, is_list = values(option)
      local action = is_list and ("(%s)"):format(what) or what == "syntaxes" and " _sluice_syntaxes " .. auto(option)
        or what == "files" and "_files" or ""
      out[#out + 1] = ("            '*%s[%s]%s' \\\n"):format(spelling[1], quoted(option.about), option.value
        and (":%s:%s"):format(quoted(option.value:lower()), action) or "")
    end
    out[#out + 1] = "            '*:file:_files'\n        ;;\n"
  end
  out[#out + 1] = "    esac\n}\n\n_sluice \"$@\"\n"
  write("completion/_sluice", table.concat(out))
end

do -- fish
  local function quoted(text)
    return "'" .. text:gsub("\\", "\\\\"):gsub("'", "\\'") .. "'"
  end
  local out = { "# Completion of sluice for fish. Made by docs/make.lua.\n\ncomplete -c sluice -n __fish_use_subcommand -f\n" }
  for _, command in ipairs(commands) do
    out[#out + 1] = ("complete -c sluice -n __fish_use_subcommand -a %s -d %s\n"):format(command.name, quoted(command.about))
  end
  for _, command in ipairs(commands) do
    for _, option in ipairs(command.options) do
      local what, is_list = values(option)
      local short, long = option.names[2] and option.names[1], option.names[#option.names]
      out[#out + 1] = ("complete -c sluice -n '__fish_seen_subcommand_from %s'%s -l %s%s -d %s\n"):format(command.name,
        short and " -s " .. short:sub(2) or "", long:sub(3), not option.value and "" or is_list
        and (" -x -a %s"):format(quoted(what))
        or what == "syntaxes" and (" -x -a %s"):format(quoted(("%s(%s)"):format(auto(option), syntaxes)))
        or what == "files" and " -r -F" or " -x", quoted(option.about))
    end
  end
  write("completion/sluice.fish", table.concat(out))
end

-- ---- The C header --------------------------------------------------------------------------

-- A C comment's text as one paragraph; lines that begin with a quoted name and a colon become list items.
local function plain(comment)
  local out, in_item = "", false
  for line in (comment:gsub("^/%*+", ""):gsub("%*/$", "") .. "\n"):gmatch " ?%*? ?([^\n]*)\n" do
    local text = line:gsub("^%s+", ""):gsub("%s+$", "")
    if text:find '^"%l+": ' then
      out, in_item = ("%s%s- `%s`: %s"):format(out, in_item and "\n" or "\n\n", text:match '^(".-"): (.*)$'), true
    elseif in_item and not line:find "^  " and text ~= "" then
      out, in_item = out .. "\n\n" .. text, false
    elseif text ~= "" then
      out = out .. ((out == "" or out:find "\n$") and "" or " ") .. text
    end
  end
  return out
end

do
  local header = read(root .. "core/include/sluice.h")
  local out = { "# The C interface\n\n" .. made:format "core/include/sluice.h" .. plain(header:match "^(/%*.-%*/)"):gsub("^sluice.h %- ",
    "`#include <sluice.h>`: ") .. "\n" }
  local at = header:find "/%* %-%-%-%- "
  local body = header:sub(at)
  local from = 1
  while true do
    local first, last, title = body:find("/%* %-%-%-%- ([^\n]-) %-+ %*/\n", from)
    if not first then
      break
    end
    local next_one = body:find("/%* %-%-%-%- ", last) or body:find("\n#ifdef __cplusplus", last) or #body + 1
    out[#out + 1] = ("\n## %s\n"):format(title)
    for block in (body:sub(last + 1, next_one - 1) .. "\n\n"):gmatch "(.-)\n\n+" do
      local comment, declaration = block:match "^%s*(/%*.-%*/)\n(.*)$"
      if comment then
        out[#out + 1] = ("\n%s\n\n```c\n%s\n```\n"):format(plain(comment), (declaration:gsub("SLUICE_API ", "")))
      elseif block:find "%S" then
        out[#out + 1] = ("\n```c\n%s\n```\n"):format((block:gsub("^\n+", ""):gsub("SLUICE_API ", "")))
      end
    end
    from = next_one
  end
  write("reference/c.md", table.concat(out))
end

-- ---- The Lua module ------------------------------------------------------------------------

-- The documented functions of a file: { head, text } of each comment that begins with `--- `.
local function documented(path)
  local out, current = {}, nil
  for line in (read(root .. path) .. "\n"):gmatch "([^\n]*)\n" do
    local head, more = line:match "^%-%-%- (.*)$", line:match "^%-%- ?(.*)$"
    if line:find "^%-%-%-@" then -- for language servers
      head, more = nil, nil
    end
    if head then
      current = { head }
      out[#out + 1] = current
    elseif current and more and not more:find "^%-%-%-" then
      current[#current + 1] = more
    else
      current = nil
    end
  end
  for i, lines in ipairs(out) do
    local text = table.concat(lines, "\n")
    local colon = text:find ": " or text:find ":\n"
    local head, said = text, ""
    if colon then
      head, said = text:sub(1, colon - 1):gsub("\n", " "), text:sub(colon + 2)
    end
    local call, answer = head:match "^(.-) %-> (.*)$"
    if call then -- the result becomes part of the text
      head, said = call, ("Returns %s%s%s"):format(answer, said ~= "" and ": " or "", said)
    end
    out[i] = { head = head, text = said }
  end
  return out
end

-- Programs of the reference, which tests/spec/docs_spec.lua runs: `-->` precedes their output.
local examples = {
  ["sluice.stream"] = [[
local stream = sluice.stream("hermes", { tools = tools, parameters = true })
for event in stream:feed 'Hi <tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>' do
  if event.type == "text" then
    print(event.text, event.first, event.last) --> Hi 	1	3
  elseif event.type == "call_end" and event.valid then
    print(event.index, event.status) --> 1	complete
  end
end
for _ in stream:finish() do end -- the last events; then stream:reset() for the next response]],
  ["sluice.parse"] = [[
local result = sluice.parse("hermes", 'Hi <tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>')
print(result.content, #result.calls, #result.errors) --> Hi 	1	0
local call = result.calls[1]
print(call.name, call.arguments, call.first, call.last) --> f	{"a": 1}	4	62]],
  ["sluice.parse_turn"] = [[
local turn = { calls = { { name = "f", arguments = "{}" } }, results = { { name = "f", content = "done" } } }
local result = sluice.parse_turn("hermes", sluice.render("hermes", turn))
print(result.calls[1].name, result.results[1].content) --> f	done]],
  ["sluice.compile"] = [[
local mine = assert(sluice.compile [=[
return s.syntax { api = 3, name = "mine", call = { "<<", s.name(), ">>", s.args() } }
]=])
print(sluice.parse(mine, '<<f>>{"a": 1}').calls[1].name) --> f
print(select(3, sluice.compile "return 1")) --> script]],
  ["sluice.syntax_for"] = [[
print((sluice.syntax_for "Qwen3-8B")) --> hermes
print(select(3, sluice.syntax_for "no such model")) --> not_found]],
  ["sluice.render"] = [[
print((sluice.render("mistral", { { name = "f", arguments = { a = 1 } } }))) --> [TOOL_CALLS]f[ARGS]{"a": 1}]],
  ["sluice.grammar"] = [[
local grammar = assert(sluice.grammar("hermes", tools, "gbnf", { tool_choice = "required" }))
print(grammar:find "root ::=" ~= nil) --> true]],
  ["sluice.prompt"] = [[
local text = assert(sluice.prompt("hermes", tools, { variant = "short" }))
print(text:find "<tool_call>" ~= nil) --> true]],
  ["sluice.infer"] = [[
local found = assert(sluice.infer { '<tool_call>{"name": "f", "arguments": {}}</tool_call>' })
print(found.explained) --> 1]],
  ["sluice.json.decode"] = [[
print(sluice.json.decode('{"a": 12345678901234567890}', { exact = true }).a) --> 12345678901234567890
print(sluice.json.decode '{"a": ') --> nil	not valid JSON: the text ends inside the value (at byte 7)	json]],
  ["sluice.json.object"] = [[
print(sluice.json.encode(sluice.json.object { { "b", 1 }, { "a", sluice.json.array() } })) --> {"b":1,"a":[]}]],
  ["sluice.paths.within"] = [[
print(select(3, sluice.paths.within(".", "../secret"))) --> refused]],
  ["wire.decoder"] = [[
local wire = require "sluice.wire"
local decoder = wire.decoder("openai", function()
  return sluice.stream("hermes", { tools = tools })
end)
for event in decoder:feed 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n' do
  if event.type == "text" then
    print(event.choice, event.text) --> 1	Hi
  end
end
for _ in decoder:finish() do end]],
  ["wire.filter"] = [[
local filter = require("sluice.wire").filter { from = "text", to = "events", stream = function()
  return sluice.stream "hermes"
end }
io.write(filter:feed "Hi", filter:finish())]],
}

do
  local out = { "# The Lua module\n\n" .. made:format "lua/sluice/*.lua and lua/luajson.c" }
  local function example(name)
    local text = examples[name]
    if text then
      examples[name] = nil
      out[#out + 1] = ("\n```lua\n%s\n```\n"):format(text)
    end
  end
  local function section(title, path, filter, first, prefix)
    out[#out + 1] = ("%s## %s\n"):format(#out > 1 and "\n" or "", title)
    for i, item in ipairs(documented(path)) do
      if i == 1 and first then
        out[#out + 1] = "\n" .. first .. "\n"
      elseif item.head:find(filter) then
        out[#out + 1] = ("\n### `%s%s`\n\n%s\n"):format(prefix or "", item.head, (item.text:gsub("^%l", string.upper)))
        example((prefix or "") .. item.head:match "^[%w_.]+")
      end
    end
  end
  section("require \"sluice\"", "lua/sluice/init.lua", "^sluice%.", [[
**Errors.** Misuse raises an error at the caller's line: a value of a wrong type, a wrong option of a stream, an unknown syntax, tools that
are not tool definitions. Everything else returns nil, a message and a code: `script` (a script has an error), `json` (a
text is not valid JSON), `bad_option` (of `render`, `grammar` or `prompt`; or no tools), `not_found`, `unsupported` (the target cannot
express it), `refused`. Problems inside a parsed text are neither: they are `error` events, with the codes of
[options.md](../../../docs/options.md).

**Offsets** count bytes of the response from 1, and both ends are inclusive, as in `string.sub`; this holds for events, results and
messages of the module. (The C interface and the command count from 0.) Calls, choices and samples count from 1, too. **Arguments** are
JSON text. A Lua state belongs to one thread; its streams can be used from any coroutine.

**Completion.** The sources have LuaCATS annotations; a build adds those of the vocabulary and the options, in `build/docs/lua`. Add that
folder and `lua/` of the repository (or the folder where the modules are installed) to `workspace.library` of your language server.

In the examples, `sluice` is `require "sluice"`, and `tools` a list of tool definitions.]])
  section("Streams", "lua/sluice/stream.lua", "^stream:", [[
An event is a table: `type` ("text", "reasoning", "call_begin", "arguments", "parameter", "call_end", "markup", "error"), `first` and
`last` (the bytes that it covers; `last = first - 1` if there are none), and if they apply `text`, `index` (of the call, from 1),
`name`, `id`, `key`, `status` ("complete", "recovered", "incomplete"), `extra` (JSON text), `code`, `message`, `syntax` (the syntax of the
call, in a stream of "auto"). The end of a call has `valid` (run the call only if it is true), `block_first` (the first byte of its block)
and, with the option `source`, `source`. [options.md](../../../docs/options.md) has the options of streams, their values and defaults,
and the error codes.]])
  out[#out + 1] = "\n## sluice.json\n\nThe core's own reader and writer: numbers keep their digits, objects their order, texts their "
    .. "`\\u0000`.\n"
  for head, text in read(root .. "lua/luajson.c"):gmatch "\n/%* (%l+%b()) %-> (.-)%*/" do
    text = text:gsub("\n ?%*", ""):gsub("%s+$", "")
    out[#out + 1] = ("\n### `sluice.json.%s`\n\nReturns %s%s\n"):format(head, text, text:find "%.$" and "" or ".")
    example("sluice.json." .. head:match "^%l+")
  end
  section("sluice.paths", "lua/sluice/paths.lua", "^within", "Resolves paths that a model wrote, and refuses those that leave their root.",
    "sluice.paths.")
  section("require \"sluice.wire\"", "lua/sluice/wire/init.lua", "^wire%.",
    "Converts the bodies of model servers to events and back: see [gateway.md](../../../docs/gateway.md).")
  assert(not next(examples), next(examples)) -- each has a function
  write("reference/lua.md", (table.concat(out):gsub("\n\n\n+", "\n\n")))
end

-- ---- The vocabulary and the options, for language servers ----------------------------------

do
  local out = { "---@meta\n-- Made by docs/make.lua from lua/sluice/words, lua/sluice/options.lua and docs/options.md.\n" }
  local function put(text, ...)
    out[#out + 1] = text:format(...)
  end
  local function type_of(kind)
    return kind == "number" and "integer" or kind
  end

  put "\n---@class sluice.Item\n\n---@class sluice.Words\ns = {}\n"
  local vocabulary = read(root .. "lua/sluice/vocabulary.lua")
  for name in vocabulary:match "\nlocal names = (%b{})":gmatch '"(%l+)"' do
    local source = read(("%slua/sluice/words/%s.lua"):format(root, name))
    local head = source:match "^%-%-%- (.-)\n\n":gsub("\n%-%- ?", "\n---")
    local options = head:match("^" .. name .. " {( [%l_]+ =,[^}]*)}") -- its first form takes options only
    if options then
      put("\n---@class sluice.options.%s\n", name)
      for option in options:gmatch "([%l_]+) =" do
        put("---@field %s? any\n", option)
      end
    end
    put("\n---%s\n%s---@return sluice.Item\nfunction s.%s(%s) end\n", head,
      options and ("---@param options? sluice.options.%s|string\n"):format(name) or "", name, options and "options" or "...")
  end
  put "\n---@class sluice.Description\n"
  for name in vocabulary:match "\nM.fields = (%b{})":gmatch "%f[%w_]([%l_]+) = " do
    local reason = vocabulary:match("\n%-%- " .. name .. ": ([^\n]*)")
    put("---@field %s%s any%s\n", name, (name == "api" or name == "name") and "" or "?", reason and " " .. reason or "")
  end
  put "\n---@param description sluice.Description\nfunction s.syntax(description) end\n"
  put "\n---@param parent string\n---@param changes sluice.Description\nfunction inherit(parent, changes) end\n"

  put "\n---@class sluice.StreamOptions\n---@field tools? sluice.Tools tool definitions\n"
  local kinds = require("sluice.options").kinds
  for line in read(root .. "docs/options.md"):gmatch "[^\n]+" do
    local name, said, default = line:match "^| `([%l_]+)` | (.-) | ?([^|]*) ?|$"
    local kind = kinds[name]
    if kind then
      local choices = {}
      for choice in (kind == "string" and said or ""):gmatch '`("%l+")`' do
        choices[#choices + 1] = choice
      end
      put("---@field %s? %s %s%s\n", name, choices[1] and table.concat(choices, "|") or type_of(kind), said,
        default:find "%S" and (" (default: %s)"):format((default:gsub(" $", ""))) or "")
    end
  end
  write("lua/sluice/meta/vocabulary.lua", (table.concat(out):gsub(" +\n", "\n")))
end
