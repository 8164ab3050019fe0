--- The vocabulary: the words of which a description consists.
--
-- A description is data. Four things are made from it: a parser (sluice.compile), a renderer (sluice.render), grammars and prompts. This
-- module only builds and checks it. A string is a literal, a list of words is a sequence. White space at the edge of a literal is written
-- as it is, and read as any amount of white space; next to a value, text or reasoning it says how much to drop on that side.
--
-- Every function returns a word: a table with `word`, its name. Misuse raises with the word's name.

local literals = require "sluice.literals"

---@class sluice.syntax
local M = {}

--- API levels of scripts that this version accepts.
M.api_min, M.api_max = 2, 2

-- How source positions in this module and in the sandbox begin. A script that ends in `return s.syntax{...}` has no stack frame left.
local own, sandbox

-- The position of the script's call into this module: "file:line: ", or "".
local function where()
  for level = own and 3 or 1, 12 do -- lower levels are this module's
    local _, at = pcall(error, "", level)
    if type(at) == "string" and at ~= "" then
      if not own then
        own = at:match "^(.*:)%d+: $"
        sandbox = own and own:gsub("syntax(%.?l?u?a?:)$", "sandbox%1")
      end
      if own and at:sub(1, #own) ~= own then
        return at:sub(1, #sandbox) ~= sandbox and at or ""
      end
    end
  end
  return ""
end

-- `word`: the name of a word or field. `item`: the number of its item.
local function fail(word, message, item)
  local who = (M[word] and "s." or "") .. word .. (item and (", item %d"):format(item) or "")
  error(("%s%s: %s"):format(where(), who, message), 0)
end

local as_word

local function sequence(list, word)
  local seq = { word = "sequence" }
  for i = 1, #list do
    seq[i] = as_word(list[i], word, i)
    if seq[i].inline then -- white space separates it from the name
      seq[i].after_name = i > 1 and seq[i - 1].word == "name" and not seq[i - 1].is
    end
  end
  if #seq == 0 then
    fail(word, "needs at least one word")
  end
  return seq
end

-- A list in braces. `at`: it must begin at the start of a line or, for a block (`whole`), of the message.
local function list_of(value, word, item, whole)
  for key in pairs(value) do
    if type(key) == "string" and key ~= "at" then
      fail(word, ("a list of words has no field '%s'; the only field is `at`"):format(key), item)
    end
  end
  local start = value.at == "start" or value.at == "message"
  if value.at ~= nil and not start and value.at ~= "line" and value.at ~= "indent" then
    fail(word, "`at` must be \"start\", \"message\" (there, or right after a block), \"line\" or \"indent\" (a line, after blanks)", item)
  elseif start and not whole then
    fail(word, ("at = \"%s\" is only for a whole block: nothing else can begin at the start of the message"):format(value.at), item)
  end
  local seq = sequence(value, word)
  seq.at = value.at
  return seq
end

-- The metatable of a word that is not yet part of another; see below.
local followed = {}

-- True if all parts of a word are still words.
local function is_complete(word)
  for i = 1, #word do
    if type(word[i]) ~= "table" then
      return false
    end
  end
  return true
end

-- Copies a word, so that descriptions can share words and parents stay unchanged. A word that is not yet part of another is not copied.
function as_word(value, word, item)
  if type(value) == "string" then
    if value == "" then
      fail(word, "an empty literal has no effect; leave it out", item)
    end
    return { word = "literal", text = value }
  elseif type(value) == "table" and value.word then
    if getmetatable(value) == followed and is_complete(value) then
      return setmetatable(value, nil)
    end
    local copy = {}
    for k, v in pairs(value) do
      copy[k] = v
    end
    for i = 1, #value do
      copy[i] = as_word(value[i], value.word)
    end
    for _, field in ipairs { "between", "content" } do
      if copy[field] then
        copy[field] = as_word(copy[field], value.word)
      end
    end
    return copy
  elseif type(value) == "table" then
    return list_of(value, word, item)
  end
  fail(word, ("expected a literal, a word or a list of them, got %s"):format(type(value) == "function"
    and "a function; call the word: s.name(), not s.name" or type(value)), item)
end

-- A block: a list of words, or one word. A parent's finished block stays as it is.
local function block_of(value, field)
  if type(value) == "table" and not value.word then
    return list_of(value, field, nil, true)
  end
  return as_word(type(value) == "table" and value.word == "sequence" and value or { value }, field)
end

-- Checks the options of a word: every key must be known.
local function options(word, given, known)
  for key, value in pairs(given) do
    if type(key) == "string" then
      if not known[key] then
        local names = {}
        for name in pairs(known) do
          names[#names + 1] = name
        end
        table.sort(names)
        fail(word, ("there is no option '%s'%s"):format(key, names[1] and "; the options are " .. table.concat(names, ", ") or ""))
      elseif known[key] ~= "any" and type(value) ~= known[key] then
        fail(word, ("the option '%s' must be a %s, not a %s"):format(key, known[key], type(value)))
      end
    end
  end
  return given
end

-- True if p is a pattern. Fails, naming the word, if it is too large.
local function is_pattern(p, word)
  if not M.patterns then
    return false
  end
  local good, raw = pcall(M.patterns.raw, p)
  if not good then
    fail(word, raw)
  end
  return raw ~= nil
end

--- ready(pattern): compiles a pattern. LPeg compiles on first use, and a pattern whose compilation ran out of memory must not be used
-- again: so this is done while the pattern can still be dropped.
function M.ready(pattern)
  local good, why = pcall(pattern.match, pattern, "")
  if not good and why == "not enough memory" then
    error(why, 0)
  end
  return pattern
end

-- Defines a word around others. known: its options.
local function wrapper(name, known)
  M[name] = function(content)
    if type(content) == "string" or (type(content) == "table" and content.word) then
      content = { content }
    elseif type(content) ~= "table" then
      fail(name, "expected a literal, a word or a list of them")
    end
    options(name, content, known)
    local word = sequence(content, name)
    word.word = name
    for option in pairs(known) do
      word[option] = content[option]
    end
    return word
  end
end

--- optional{x, write = false}: may be absent; that is not a repair. Written, unless `write` is false.
wrapper("optional", { write = "boolean" })
--- recoverable(x): should be present; if it is missing, the call is `recovered`, and what follows it may end a value. Written.
wrapper("recoverable", {})
--- exact(x): its literals must match exactly, white space included.
wrapper("exact", {})

--- any{a, b, ...}: one of several. Strings: the longest that matches. Sequences: in order while the call is not announced, afterwards by
-- their first literal. Written: the first.
-- write: the number of the alternative to write, or a list of numbers to try in order (default: all).
function M.any(list, cased)
  if type(list) ~= "table" or list.word or #list < 2 then
    fail("any", "expected a list of at least two alternatives")
  end
  options("any", list, { write = "any" })
  local word = { word = "any", write = cased and 1 or list.write, cased = cased }
  for i = 1, #list do
    local item = as_word(list[i], "any")
    word[i] = item.word == "sequence" and #item == 1 and not item.at and item[1] or item
  end
  return word
end

--- calls{..., between = literal, separate_blocks = true}: one or more calls. Written: each call; with `separate_blocks` each in
-- its own block.
function M.calls(list)
  if type(list) ~= "table" then
    fail("calls", "expected a list of words")
  end
  options("calls", list, { between = "any", separate_blocks = "boolean" })
  local word = sequence(list.word and { list } or list, "calls")
  word.word, word.separate_blocks = "calls", list.separate_blocks
  word.between = list.between and as_word(list.between, "calls")
  return word
end

--- parameters{..., nested = "item"}: zero or more parameters, in the order of the arguments. Anything else between them is skipped, up to
-- the next opener or closer. nested: the members of an object are written as parameters inside its value, the items of an array under
-- this name. Values that the schema declares as strings are not read so.
function M.parameters(list)
  if type(list) ~= "table" or list.word then
    fail("parameters", "expected a list of words")
  end
  options("parameters", list, { nested = "string" })
  local word = sequence(list, "parameters")
  word.word, word.nested = "parameters", list.nested
  return word
end

-- Defines a word without others inside. known: its options; check: fails on invalid combinations.
local function leaf(name, known, check)
  M[name] = function(given)
    given = given or {}
    if type(given) ~= "table" then
      fail(name, "expected a table of options")
    end
    options(name, given, known)
    local word = { word = name }
    for k, v in pairs(given) do
      word[k] = v
    end
    if word.pattern and not is_pattern(word.pattern, name) then
      fail(name, ("the option 'pattern' must be an LPeg pattern, such as lpeg.R(\"az\")^1, not a %s"):format(type(word.pattern)))
    elseif word.pattern then
      M.ready(word.pattern)
    end
    if check then
      check(word)
    end
    return word
  end
end

--- name{pattern =, is =, declared =}: the tool's name: on one line, up to the next literal. is: the block itself means this tool;
-- nothing is read. declared: only the name of a given tool (without tools, one of the field `tools`): an opener before it counts only
-- together with such a name.
leaf("name", { pattern = "any", is = "string", declared = "boolean" })
--- key{pattern =}: a parameter's name: on one line, up to the next literal.
leaf("key", { pattern = "any" })
--- value{key =, inline =, to_line_end =, newlines =, multiline_only =, trim =}: a parameter's value as raw text up to the next
-- word, typed by the tool's schema. key: a fixed parameter. inline: in the header, on one line, read before the call is
-- announced; it must match `pattern`, and white space ends a name directly before it. The value is the text that the pattern captures,
-- if it captures one. to_line_end: ends with its line. newlines: one newline on each side is dropped, and written around values of
-- several lines. multiline_only: written only if the value has more than one line.
-- trim: white space on both sides is dropped. fenced: a code fence around it is dropped. unquoted: double quotes around it are dropped.
-- entities: entities such as &lt; are decoded; or a list of their names, {"lt", "gt"}. present: white space alone is not a
-- value. carry: kept for s.carried in later blocks. lines: whole lines, each with its newline; the next literal begins a line. The string
-- is the character that no line begins with, which grammars need.
leaf("value", { lines = "string", fenced = "boolean", unquoted = "boolean", entities = "any", present = "boolean",
  carry = "boolean", newlines = "boolean", trim = "boolean", multiline_only = "boolean", key = "string", inline = "boolean",
  to_line_end = "boolean", pattern = "any" }, function(word)
  if word.pattern and not word.inline then
    fail("value", "the option 'pattern' is only for a value in the header: add inline = true")
  end
end)
--- object{name =, arguments =, id =, extra =, required =, name_as_key =, arguments_required =, order =, defaults =, python =}: a
-- JSON object that is a call. Each of name, arguments and id is a key or a list of spellings, of which the first is written. extra: a
-- list of {key, default as JSON}: members for the call's `extra`. required: a map from keys to the kind of value they must have:
-- "string", "object", "number", or "number?" (may be absent). name_as_key: {NAME: {...}}. arguments_required: an object without the
-- argument key is not a call.
-- python: written as a Python literal. order, defaults: the order of members, and values for members that the call lacks.
-- arguments = "*": all other members are the arguments. scalar: a value other than an object is the value of this parameter, or of the
-- tool's only parameter. answers: names that are not tools: their arguments are text. reasoning: members whose strings are reasoning.
-- ignored: members without meaning. arguments_optional: even without a marker it needs no arguments.
-- anywhere: it may begin in the middle of the text, not only of the message.
leaf("object", { scalar = "string", arguments_optional = "boolean", answers = "table", reasoning = "table", ignored = "table",
  anywhere = "boolean", name = "any", arguments = "any", id = "any", extra = "table", required = "table", name_as_key = "boolean",
  arguments_required = "boolean", order = "table", defaults = "table", python = "boolean" })
--- id{}: the model's own call id, as text.
leaf("id", {})
--- items{prefix =}: the lines of a list, up to the next literal, as the parameter's array value. prefix: the text before each item.
leaf("items", { prefix = "string" })
--- block_text{indent =, chomp =}: an indented block as the parameter's value. indent: the number of spaces (default: as its first line).
-- chomp: without its last newline. block_text{key =, prefix =}: whole lines that each begin with a prefix, as the value of this parameter.
leaf("block_text", { indent = "number", chomp = "boolean", key = "string", prefix = "string" })
--- fence "open", fence "close": a code fence of three or more backticks, and one of equal length alone on its line. Fences in between
-- with a word after them are nested; they close first. Written: longer than any fence in the value.
function M.fence(what)
  if what ~= "open" and what ~= "close" then
    fail("fence", "expected \"open\" or \"close\"")
  end
  return { word = "fence", what = what }
end
--- carried{key =}: reads nothing: the parameter has the value from an earlier block (value{carry = true}); without one this is not a call.
leaf("carried", { key = "string" })
--- extra{key =, default =}: text on one line, up to the next literal, for the call's `extra` under this key.
leaf("extra", { key = "string", default = "string" })
--- member{KEY, x, fixed = {{key, value}}, reasoning = {...}, anywhere =}: an object with a member that holds x, calls or a call. KEY: its
-- key, or a list of spellings, of which the first is written. Other members are skipped, except those in `fixed`: they are written
-- before it, and another value there means that this is not a call. An empty list is markup. reasoning, anywhere: as for an object.
function M.member(list)
  if type(list) ~= "table" or not (type(list[1]) == "string" or type(list[1]) == "table") or list[2] == nil then
    fail("member", "expected the key of a member, or a list of keys, and the member's value")
  end
  options("member", list, { fixed = "table", reasoning = "table", anywhere = "boolean" })
  return { word = "member", keys = type(list[1]) == "table" and list[1] or { list[1] }, fixed = list.fixed, reasoning = list.reasoning,
    anywhere = list.anywhere, as_word(list[2], "member") }
end
--- section{array, object, close = {...}, after =}: the start of the message, reserved for calls up to one of the closing
-- literals. `after`: white space dropped after it.
function M.section(list)
  if type(list) ~= "table" or #list ~= 2 or type(list.close) ~= "table" then
    fail("section", "expected an array of calls, a call, and `close`, a list of literals")
  end
  options("section", list, { close = "table", after = "string" })
  return { word = "section", as_word(list[1], "section"), as_word(list[2], "section"), close = list.close,
    after = list.after }
end

--- text{}, reasoning{}: plain text, or reasoning, up to the next literal or the end.
leaf("text", {})
leaf("reasoning", {})

--- pattern(p, text): a piece of a header, up to the next literal, that matches the LPeg pattern `p`. Written: `text`, or the result of the
-- function `text(call)`.
function M.pattern(pattern, text)
  if not is_pattern(pattern, "pattern") or not (type(text) == "string" or type(text) == "function") then
    fail("pattern", "expected an LPeg pattern and the text to write")
  end
  return { word = "pattern", pattern = M.ready(pattern), text = text }
end
--- number{from =}: in attributes, the number of the call; not read.
leaf("number", { from = "number" })

--- arguments(notation): the whole argument object, which has its own end. Without a notation JSON; "kwargs": a=1, b='x';
-- or a table { quote = the format's own string quotes, kwargs = true, raw = a parameter }. raw: anything but an object is text, up to the
-- next word: the value of this parameter, or of the tool's only parameter.
function M.arguments(notation)
  local word = { word = "arguments" }
  if notation == "kwargs" then
    word.kwargs = true
  elseif type(notation) == "table" then
    options("arguments", notation, { quote = "string", kwargs = "boolean", raw = "string" })
    word.quote, word.kwargs, word.raw = notation.quote, notation.kwargs, notation.raw
  elseif notation ~= nil then
    fail("arguments", "there is no such notation; use \"kwargs\" or { quote =, kwargs = }")
  end
  return word
end

--- type{map =}: in attributes, the type that a tag gives; the tool's schema wins for strings. map: from the tag's types to JSON Schema
-- types, or "json" (the value is JSON). Written: the value's type.
leaf("type", { map = "table" })

--- attributes{{"name", s.name()}, {"path", s.value { key = "path" }}, ..., entities =, ignored =}: attributes of a tag, quoted or not, in
-- any order: a name, a key, a type ({{"", s.type()}}: a bare type) or an optional parameter. Others are reported, except `ignored` ones.
function M.attributes(list)
  if type(list) ~= "table" or #list == 0 then
    fail("attributes", "expected a list of pairs")
  end
  options("attributes", list, { entities = "boolean", ignored = "table" })
  for _, pair in ipairs(list) do
    local word = type(pair) == "table" and type(pair[1]) == "string" and pair[2]
    if type(word) ~= "table" or pair[1] == "" and (list[2] or word.word ~= "type") or not (word.word == "name" or word.word == "key"
      or word.word == "type" or word.word == "number" or (word.word == "value" and word.key)) then
      fail("attributes", "each must be {attribute, s.name(), s.key(), s.type(), s.number() or s.value { key = ... }}")
    end
  end
  return { word = "attributes", list = list, entities = list.entities, ignored = list.ignored }
end

--- backref "key" or backref "name": the text that this word read, once more.
function M.backref(what)
  if what ~= "key" and what ~= "name" then
    fail("backref", "expected \"key\" or \"name\"")
  end
  return { word = "backref", what = what }
end

--- header(pattern, render): a header up to the next literal, read by an LPeg pattern that captures a table (lpeg.Ct)
-- with `name`, optionally `id` (true: the whole header) and `at` (where the name begins), and {key, text} pairs, which are
-- parameters. render(call): writes the header of a call.
function M.header(pattern, render)
  if not is_pattern(pattern, "header") then
    fail("header", "expected an LPeg pattern")
  end
  if type(render) ~= "function" then
    fail("header", "needs a function that writes the header of a call")
  end
  return { word = "header", pattern = M.ready(pattern), render = render }
end

--- name_in_id{prefix =, counter =, from =}: the call's id, which contains the tool's name, up to the next literal; without white space
-- inside. prefix: the text before the name; counter: the text between the name and the call's number, which is counted from `from` (0,
-- the default, or 1). Both may be absent. Written: the call's id; if it has none, one made from these.
leaf("name_in_id", { prefix = "string", counter = "string", from = "number" })

--- run(character, count): the character, `count` times in a row. A longer run matches only if its length is a multiple of `count`.
function M.run(character, count)
  if type(character) ~= "string" or not character:match "^[%z\1-\127\194-\244][\128-\191]*$" or character:match "%s" then
    fail("run", "expected one character, not white space, and the number of repetitions")
  elseif type(count) ~= "number" or count < 2 or count > 1000 or count ~= math.floor(count) then
    fail("run", "the number of repetitions must be a whole number from 2 to 1000")
  end
  return { word = "literal", text = character:rep(count), run = true }
end

--- any_case(literal): the literal in upper or lower case; written as it is. At most ten letters: every spelling is searched for.
function M.any_case(text)
  local letters = type(text) == "string" and #text:gsub("%A", "") or 0
  if letters < 1 or letters > 10 then
    fail("any_case", "expected a literal with one to ten letters from a to z")
  end
  local ways = { "" }
  for i = 1, #text do
    local c = text:sub(i, i)
    local other = c:lower() ~= c and c:lower() or c:upper()
    local n = #ways
    for k = 1, n do
      if other ~= c then
        ways[n + k] = ways[k] .. other
      end
      ways[k] = ways[k] .. c
    end
  end
  return M.any(ways, true)
end

--- array(x): a JSON array of calls: "[", calls{x, between = ", "}, "]".
function M.array(x)
  return { word = "sequence", as_word("[", "array"), M.calls { x, between = ", " }, as_word("]", "array") }
end

-- Each word records its position in the script, and explains the error of calling it: s.name() "x".
function followed.__call(word)
  fail(word.word, "a comma is missing after it")
end
for _, name in ipairs { "optional", "recoverable", "exact", "any", "calls", "parameters", "name", "key", "value", "object", "id",
  "items", "block_text", "fence", "carried", "extra", "member", "section", "text", "reasoning", "pattern", "number", "arguments",
  "type", "attributes", "backref", "header", "name_in_id", "run", "any_case", "array" } do
  local make = M[name]
  M[name] = function(...)
    local word = make(...)
    word.place = where()
    return setmetatable(word, followed)
  end
end

-- ---- The description itself ----------------------------------------------------------------

local fields = {
  api = "number",          -- the API level it was written for
  name = "string",
  aliases = "table",       -- other names
  model_starts = "table",  -- where responses of some models start; made from `models`
  models = "table",        -- model-name prefixes
  origin = "string",       -- where it comes from, if not from models
  source = "string",       -- where the format is described
  call = "any",            -- a word or a list: a block of calls
  blocks = "table",        -- or several, tried in this order
  parse = "function",      -- or a function that reads a block by hand
  render = "function",     -- and one that writes calls
  starts = "table",        -- for `parse`: the literals that begin a block
  reasoning = "table",     -- {open =, close =}, or a list of them
  stop = "table",          -- end-of-turn tokens
  stop_words = "table",    -- texts at which a request should stop the model: `stop` of its API
  family = "string",       -- "model" (models were trained on the format), "agent" (models are prompted with it), or another
  ignored_tokens = "table", -- literals that are markup everywhere
  ignored_at_start = "table", -- literals that are markup if only markup precedes them
  ignored_tags = "table",  -- beginnings of tags that are markup up to the `>` on their line
  special = "table",       -- tokens that a detokeniser must keep
  cut_tokens = "boolean",  -- a cut-off token at the end of the text is markup
  namespaces = "table",    -- stripped from names: "functions."
  fence = "string",        -- "text": a closed Markdown code fence hides calls; else "call"
  default_type = "string", -- of values without a schema: "json", "any_json" (strings in JSON's quotes, too) or "string"
  repeated_is_array = "boolean", -- a repeated parameter makes an array
  singular_keys = "boolean", -- a parameter may be named by the singular of an array's name
  fixed_parameters = "table", -- the only parameters of the format; a missing one is empty
  between = "string",      -- written between blocks
  generation_prompt = "string", -- the end of the prompt before a response: `render` and grammars begin after it
  max_calls = "number",
  options = "table",       -- defaults of the stream options
  repair_name = "function", -- (name, tools) -> name: corrects a name by the given tools; false: the parameters identify the tool
  common_in_prose = "table", -- openers that are common in prose: not reported if no call follows
  reserved_section = "boolean", -- its section is reserved for calls: anything else in it is markup
  tools = "table",         -- names to use if no tools are given
  json = "table",          -- {item = ", ", key = ": "}: how JSON is spaced
  trim = "boolean",        -- white space around the message is markup
  result = "table",        -- how a tool's result is written back: literals, s.name(), s.id(), s.value()
  between_results = "string", -- written between results
  marked = "table",        -- where a mark goes: "<call{ mark}>"; see lua/sluice/marks.lua
  template = "any",        -- the native prompt: a text with {tools}, {definitions}, {array}, {example}, {names}, or a function
  examples = "table",      -- {text =, calls =, content =, reasoning =}
}

-- Checks the fields of a description. Calls `refuse` with a message for each problem.
local function check_fields(description, refuse)
  local api = description.api
  if api == nil then
    refuse("needs `api`, the level it was written for (now %d)", M.api_max)
  elseif type(api) ~= "number" then
    refuse("the field 'api' must be a number, not a %s", type(api))
  elseif api < M.api_min or api > M.api_max then
    refuse("was written for API level %s; this version reads level %s%s", tostring(api),
      M.api_min < M.api_max and M.api_min .. " to " or "", M.api_max)
  end
  for key, value in pairs(description) do
    if fields[key] == nil then
      local near = M.nearest(tostring(key), fields)
      refuse("there is no field '%s'%s", tostring(key), near and (" (did you mean '%s'?)"):format(near) or "")
    elseif fields[key] ~= "any" and type(value) ~= fields[key] then
      refuse("the field '%s' must be a %s, not a %s", key, fields[key], type(value))
    end
  end
  if not description.name or not description.name:match("^[%w_.-]+$") then
    refuse("needs a name of letters, digits, '_', '-' and '.'")
  end
  if description.name == "auto" then
    refuse("the name 'auto' is reserved; choose another")
  end
  if description.parse then
    if not description.starts then
      refuse("has `parse`, so it needs `starts`, the literals that begin a block")
    end
  elseif (description.call ~= nil) == (description.blocks ~= nil) then
    refuse("needs `call` (or `blocks`, or `parse` with `starts`)")
  end
  if description.family and not description.family:match "^[%w_-]+$" then
    refuse("`family` must be a word of letters, digits, '_' and '-': \"model\", \"agent\", or your own")
  end
  if description.default_type and not ({ json = true, any_json = true, string = true })[description.default_type] then
    refuse("`default_type` must be \"json\", \"any_json\" or \"string\"")
  end
  if description.fence and description.fence ~= "text" and description.fence ~= "call" then
    refuse("`fence` must be \"text\" or \"call\"")
  end
  local field, wrong = require("sluice.shapes").field(description, M.nearest)
  if field then
    refuse("the field '%s' %s", field, wrong)
  end
end

--- syntax{...}: a description. Returns it after all checks that need no compilation.
function M.syntax(description)
  if type(description) ~= "table" then
    error("syntax: expected a table", 0)
  end
  local who = type(description.name) == "string" and description.name or "?"
  local function refuse(message, ...)
    error(("%ssyntax %s: "):format(where(), who) .. message:format(...), 0)
  end
  check_fields(description, refuse)
  local out = {}
  for k, v in pairs(description) do
    out[k] = v
  end
  if description.models then -- each a name, or { name, start = "reasoning" }
    out.models, out.model_starts = {}, {}
    for i, model in ipairs(description.models) do
      local name, start = model, nil
      if type(model) == "table" then
        name, start = model[1], model.start
      end
      if type(name) ~= "string" or (start ~= nil and start ~= "reasoning" and start ~= "text") then
        refuse("the field 'models' must hold names, or { name, start = \"reasoning\" }")
      end
      out.models[i], out.model_starts[name] = name, start
    end
  end
  local ok, err = pcall(function()
    if out.blocks then
      local blocks = {}
      for i, block in ipairs(out.blocks) do
        blocks[i] = block_of(block, "blocks")
      end
      out.blocks = blocks
    elseif out.call then
      out.blocks = { block_of(out.call, "call") }
    else
      out.blocks = {}
    end
  end)
  if not ok then -- the message has its own position
    refuse("%s", (tostring(err):gsub("^.-:%d+: ", "")))
  end
  out.is_syntax = true
  return out
end

--- inherit(parent, changes): a dialect: a copy of the parent's description with these fields replaced. changes.literals: replaces text
-- in the parent's literals, { [text] = other text }.
function M.inherit(parent, changes)
  if type(parent) ~= "table" or not parent.is_syntax then
    error("inherit: expected a syntax and its changes", 0)
  end
  local child = {}
  for k, v in pairs(parent) do
    if fields[k] and k ~= "aliases" and k ~= "models" and k ~= "examples" then
      child[k] = v
    end
  end
  if changes.call or changes.blocks or changes.parse then
    child.call, child.blocks = nil, nil
  elseif child.blocks then
    child.call = nil
  end
  if changes.literals and child.blocks then
    local blocks = {}
    for i, block in ipairs(child.blocks) do
      blocks[i] = literals.reworded(block, changes.literals)
    end
    child.blocks = blocks
  end
  for k, v in pairs(changes) do
    child[k] = k ~= "literals" and v or nil
  end
  child = M.syntax(child)
  child.parent = parent.name
  return child
end

--- set{literals}: a set for the stream operations of `parse` functions. Make it once, not in each call.
function M.set(list)
  return M.core.set(list)
end

--- ordered{{key, value}, ...}: arguments in a fixed order, for examples.
function M.ordered(list)
  return M.core.json.object(list)
end

local function find(node, what, by, parent)
  if by and what(node) or node.word == what then
    return node, parent
  end
  for i = 1, node.list and #node.list or 0 do -- of attributes
    if node.list[i][2].word == what then
      return node.list[i][2], node
    end
  end
  for i = 1, #node do
    local found, inside = find(node[i], what, by, node)
    if found then
      return found, inside
    end
  end
end
--- find(node, what): the first word with this name, or for which the function `what` returns true, and the word around it; or nil.
function M.find(node, what)
  return find(node, what, type(what) == "function")
end

--- nearest(name, names[, any]): see sluice.nearest.
M.nearest = require "sluice.nearest"

return M
