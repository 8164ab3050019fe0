--- The vocabulary: the words that a syntax is written down with.
--
-- A description is data. Four things are made of it: a parser (sluice.compile), a renderer (sluice.render), grammars and prompts. This
-- module only builds and checks it. A string is a literal, a list of words is a sequence. White space at the edge of a literal is written
-- as it stands and read as any white space or none; beside a value, text or reasoning it says instead how much is dropped on that side.
--
-- Every function returns a word: a table with `word`, its name. Misuse raises with the word's name.

local literals = require "sluice.literals"

---@class sluice.syntax
local M = {}

--- API levels of scripts that this version accepts.
M.api_min, M.api_max = 2, 2

-- How places in this module begin, and in the sandbox: there is no script any more where one ends in `return s.syntax{...}`.
local own, sandbox

-- Where the script stands that has called in here: "file:line: ", or "".
local function where()
  for level = own and 3 or 1, 12 do -- below that this module stands
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

-- `word`: a word's name, or a field's. `item`: which of its items.
local function fail(word, message, item)
  local who = (M[word] and "s." or "") .. word .. (item and (", item %d"):format(item) or "")
  error(("%s%s: %s"):format(where(), who, message), 0)
end

local as_word

local function sequence(list, word)
  local seq = { word = "sequence" }
  for i = 1, #list do
    seq[i] = as_word(list[i], word, i)
    if seq[i].inline then -- a blank parts it from the name
      seq[i].after_name = i > 1 and seq[i - 1].word == "name" and not seq[i - 1].is
    end
  end
  if #seq == 0 then
    fail(word, "needs at least one word")
  end
  return seq
end

-- A list in braces, with `at` where it must begin at the start of a line or, if it is a block (`whole`), of a message.
local function list_of(value, word, item, whole)
  for key in pairs(value) do
    if type(key) == "string" and key ~= "at" then
      fail(word, ("a list of words has no field '%s'; it may have `at`"):format(key), item)
    end
  end
  local start = value.at == "start" or value.at == "message"
  if value.at ~= nil and not start and value.at ~= "line" and value.at ~= "indent" then
    fail(word, "`at` is \"start\", \"message\" (there, or right behind a block), \"line\" or \"indent\" (a line, behind blanks)", item)
  elseif start and not whole then
    fail(word, ("at = \"%s\" is for a whole block: only its first byte can be at the start of the message"):format(value.at), item)
  end
  local seq = sequence(value, word)
  seq.at = value.at
  return seq
end

-- What a word has until it stands in another; see below.
local followed = {}

-- Are all parts of a word words, as they were when it was made?
local function is_complete(word)
  for i = 1, #word do
    if type(word[i]) ~= "table" then
      return false
    end
  end
  return true
end

-- Copies, so that words can be shared between descriptions and parents stay as they are. A word that stands nowhere yet is taken as
-- it is.
function as_word(value, word, item)
  if type(value) == "string" then
    if value == "" then
      fail(word, "an empty literal says nothing; leave it out", item)
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
    and "a function; a word is called: s.name(), not s.name" or type(value)), item)
end

-- A block: a list of words, or one word. What a parent's block was made into stays as it is.
local function block_of(value, field)
  if type(value) == "table" and not value.word then
    return list_of(value, field, nil, true)
  end
  return as_word(type(value) == "table" and value.word == "sequence" and value or { value }, field)
end

-- Options of a word: every key must be known.
local function options(word, given, known)
  for key, value in pairs(given) do
    if type(key) == "string" then
      if not known[key] then
        local names = {}
        for name in pairs(known) do
          names[#names + 1] = name
        end
        table.sort(names)
        fail(word, ("there is no option '%s'%s"):format(key, names[1] and "; there is " .. table.concat(names, ", ") or ""))
      elseif known[key] ~= "any" and type(value) ~= known[key] then
        fail(word, ("the option '%s' is a %s, not a %s"):format(key, known[key], type(value)))
      end
    end
  end
  return given
end

-- Is p a pattern? One that is too large fails in a word's name.
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

--- ready(pattern): the pattern, compiled. LPeg does that where it is first used, and a pattern whose compilation ran out of
-- memory must not be used again: so it is done where the pattern is still thrown away.
function M.ready(pattern)
  local good, why = pcall(pattern.match, pattern, "")
  if not good and why == "not enough memory" then
    error(why, 0)
  end
  return pattern
end

-- A word around others. known: its options.
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
--- recoverable(x): should be present; if it is missing, the call is `recovered`, and what follows may then end a value. Written.
wrapper("recoverable", {})
--- exact(x): the literals inside must match exactly, white space included.
wrapper("exact", {})

--- any{a, b, ...}: one of several. Strings: the longest that matches. Sequences: in order while the call is not
-- announced, afterwards by their first literal. Written: the first.
-- write: the number of the alternative that is written, or a list of those to be tried in this order (without it: all).
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
-- a block of its own.
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

--- parameters{..., nested = "item"}: zero or more parameters, in the order of the arguments. Between them anything else
-- is skipped to the next opener or closer. nested: the members of an object are written as parameters inside its value,
-- and the items of an array under this name; read so wherever the schema does not ask for a string.
function M.parameters(list)
  if type(list) ~= "table" or list.word then
    fail("parameters", "expected a list of words")
  end
  options("parameters", list, { nested = "string" })
  local word = sequence(list, "parameters")
  word.word, word.nested = "parameters", list.nested
  return word
end

-- A word without others inside. known: its options; check: fails if they do not go together.
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
      fail(name, ("the option 'pattern' is an LPeg pattern, such as lpeg.R(\"az\")^1, not a %s"):format(type(word.pattern)))
    elseif word.pattern then
      M.ready(word.pattern)
    end
    if check then
      check(word)
    end
    return word
  end
end

--- name{pattern =, is =, declared =}: the tool's name: on one line, up to what may follow. is: the name of the tool that the block
-- itself means; nothing stands for it. declared: one of the given tools (without tools, of the field `tools`), and nothing else, so that
-- what stands before it opens a block only together with such a name.
leaf("name", { pattern = "any", is = "string", declared = "boolean" })
--- key{pattern =}: a parameter's name, likewise.
leaf("key", { pattern = "any" })
--- value{key =, inline =, to_line_end =, newlines =, multiline_only =, trim =}: a parameter's value as raw text up to what may
-- follow, typed by the tool's schema. key: a fixed parameter. inline: in the header, on one line, read before the call is
-- announced; it must fit `pattern`, and a name directly before it ends at a blank. to_line_end: ends with its line.
-- newlines: one newline on each side is dropped, and written around values of several lines.
-- multiline_only: written only if the value has more than one line.
-- trim: white space on both sides is dropped. fenced: so is a code fence around it. unquoted: so are double quotes around it.
-- entities: &lt; and the like are read as what they mean; or a list of their names, {"lt", "gt"}. present: white space alone is no
-- value. carry: kept for s.carried in later blocks. An inline value is what its pattern captures, if it captures a text.
-- lines: whole lines, each with its newline: what ends them stands at the start of a line. It is the character that no line begins
-- with where a grammar is to write them.
leaf("value", { lines = "string", fenced = "boolean", unquoted = "boolean", entities = "any", present = "boolean",
  carry = "boolean", newlines = "boolean", trim = "boolean", multiline_only = "boolean", key = "string", inline = "boolean",
  to_line_end = "boolean", pattern = "any" }, function(word)
  if word.pattern and not word.inline then
    fail("value", "the option 'pattern' is for a value in the header: it needs inline = true")
  end
end)
--- object{name =, arguments =, id =, extra =, required =, name_as_key =, arguments_required =, order =, defaults =, python =}: a
-- JSON object that is a call. Each of name, arguments and id is a key or a list of spellings, of which the first is written. extra: a
-- list of {key, default as JSON}: what goes to the call's `extra`. required: a map of keys to what they must be: "string",
-- "object", "number", or "number?" where they may be absent. name_as_key: {NAME: {...}}. arguments_required: without the argument key
-- it is not a call.
-- python: written as a Python literal. order, defaults: what is written, and where the call does not say it.
-- arguments = "*": all other members are the arguments. scalar: what is no object is the value of this parameter, or of the only one
-- that the tool has. answers: names that are no tools: their arguments are text. reasoning: members whose strings are reasoning.
-- ignored: members that say nothing. arguments_optional: without a marker, too, it needs none.
-- anywhere: it may begin in the middle of the text, not only of the message.
leaf("object", { scalar = "string", arguments_optional = "boolean", answers = "table", reasoning = "table", ignored = "table",
  anywhere = "boolean", name = "any", arguments = "any", id = "any", extra = "table", required = "table", name_as_key = "boolean",
  arguments_required = "boolean", order = "table", defaults = "table", python = "boolean" })
--- id{}: the call's own id, as text.
leaf("id", {})
--- items{prefix =}: the lines of a list, up to what may follow, as the array value of the parameter. prefix: before each item.
leaf("items", { prefix = "string" })
--- block_text{indent =, chomp =}: a block as the parameter's value, indented by so many spaces, else as its first line. chomp: without its
-- last newline. block_text{key =, prefix =}: whole lines that each begin with a prefix, as the value of this parameter.
leaf("block_text", { indent = "number", chomp = "boolean", key = "string", prefix = "string" })
--- fence "open", fence "close": a code fence of three backticks or more, and one of as many alone on its line. Fences in between that
-- have a word open others, which close first. Written: longer than those in the value.
function M.fence(what)
  if what ~= "open" and what ~= "close" then
    fail("fence", "expected \"open\" or \"close\"")
  end
  return { word = "fence", what = what }
end
--- carried{key =}: nothing stands here: the parameter has the value that an earlier block gave it (value{carry = true}); where none
-- did, this is no call.
leaf("carried", { key = "string" })
--- extra{key =, default =}: text on one line, up to what may follow, that goes to the call's `extra` under this key.
leaf("extra", { key = "string", default = "string" })
--- member{KEY, x, fixed = {{key, value}}, reasoning = {...}, anywhere =}: an object that holds x, calls or a call, as a member. KEY: its
-- key, or a list of spellings, of which the first is written. Other members are skipped, wherever they stand, but for those that are
-- fixed: they are written before it, and another value there means that this is none. An empty list is markup. reasoning, anywhere: as
-- for an object.
function M.member(list)
  if type(list) ~= "table" or not (type(list[1]) == "string" or type(list[1]) == "table") or list[2] == nil then
    fail("member", "expected the key of a member, or a list of keys, and what stands there")
  end
  options("member", list, { fixed = "table", reasoning = "table", anywhere = "boolean" })
  return { word = "member", keys = type(list[1]) == "table" and list[1] or { list[1] }, fixed = list.fixed, reasoning = list.reasoning,
    anywhere = list.anywhere, as_word(list[2], "member") }
end
--- section{array, object, close = {...}, after =}: the start of the message, reserved for calls up to one of the closing
-- literals. `after`: white space dropped behind it.
function M.section(list)
  if type(list) ~= "table" or #list ~= 2 or type(list.close) ~= "table" then
    fail("section", "expected an array of calls, a call, and `close`, a list of literals")
  end
  options("section", list, { close = "table", after = "string" })
  return { word = "section", as_word(list[1], "section"), as_word(list[2], "section"), close = list.close,
    after = list.after }
end

--- text{}, reasoning{}: plain text, or reasoning, up to what may follow or the end.
leaf("text", {})
leaf("reasoning", {})

--- pattern(p, text): a piece of a header up to what may follow that fits the LPeg pattern `p`. Written: `text`, or what the
-- function `text(call)` returns.
function M.pattern(pattern, text)
  if not is_pattern(pattern, "pattern") or not (type(text) == "string" or type(text) == "function") then
    fail("pattern", "expected an LPeg pattern and the text that is written")
  end
  return { word = "pattern", pattern = M.ready(pattern), text = text }
end
--- number{from =}: inside attributes, the number of the call; not read.
leaf("number", { from = "number" })

--- arguments(notation): the whole argument object, which ends itself. Without a notation JSON; "kwargs": a=1, b='x';
-- or a table { quote = the format's own string quotes, kwargs = true, raw = a parameter }. raw: what does not begin as an object is
-- text, up to what may follow, and the value of this parameter, or of the only one that the tool has.
function M.arguments(notation)
  local word = { word = "arguments" }
  if notation == "kwargs" then
    word.kwargs = true
  elseif type(notation) == "table" then
    options("arguments", notation, { quote = "string", kwargs = "boolean", raw = "string" })
    word.quote, word.kwargs, word.raw = notation.quote, notation.kwargs, notation.raw
  elseif notation ~= nil then
    fail("arguments", "there is no such notation; there is \"kwargs\", and { quote =, kwargs = }")
  end
  return word
end

--- type{map =}: inside attributes, the type that a tag gives, but for what the tool declares a string. map: from what stands there to a
-- JSON Schema type, or "json" (the value is JSON). Written: by the value.
leaf("type", { map = "table" })

--- attributes{{"name", s.name()}, {"path", s.value { key = "path" }}, ..., entities =, ignored =}: attributes of a tag, quoted or not, in
-- any order: a name, a key, a type ({{"", s.type()}}: alone) or a parameter, which may be absent. Others are told, save those in `ignored`.
function M.attributes(list)
  if type(list) ~= "table" or #list == 0 then
    fail("attributes", "expected a list of pairs")
  end
  options("attributes", list, { entities = "boolean", ignored = "table" })
  for _, pair in ipairs(list) do
    local word = type(pair) == "table" and type(pair[1]) == "string" and pair[2]
    if type(word) ~= "table" or pair[1] == "" and (list[2] or word.word ~= "type") or not (word.word == "name" or word.word == "key"
      or word.word == "type" or word.word == "number" or (word.word == "value" and word.key)) then
      fail("attributes", "each is {attribute, s.name(), s.key(), s.type(), s.number() or s.value { key = ... }}")
    end
  end
  return { word = "attributes", list = list, entities = list.entities, ignored = list.ignored }
end

--- backref "key" or backref "name": what that word read, once more.
function M.backref(what)
  if what ~= "key" and what ~= "name" then
    fail("backref", "expected \"key\" or \"name\"")
  end
  return { word = "backref", what = what }
end

--- header(pattern, render): a header up to what may follow, read by an LPeg pattern that captures a table (lpeg.Ct)
-- with `name`, perhaps `id` (true: all of the header) and `at` (where the name begins), and {key, text} pairs, which are
-- parameters. render(call): the header of a call.
function M.header(pattern, render)
  if not is_pattern(pattern, "header") then
    fail("header", "expected an LPeg pattern")
  end
  if type(render) ~= "function" then
    fail("header", "needs a function that writes the header of a call")
  end
  return { word = "header", pattern = M.ready(pattern), render = render }
end

--- run(character, count): the character, `count` times in a row. A longer run matches only if its length is a multiple of `count`.
function M.run(character, count)
  if type(character) ~= "string" or not character:match "^[%z\1-\127\194-\244][\128-\191]*$" or character:match "%s" then
    fail("run", "expected one character, not white space, and how often it is repeated")
  elseif type(count) ~= "number" or count < 2 or count > 1000 or count ~= math.floor(count) then
    fail("run", "expected how often the character is repeated: a whole number from 2 to 1000")
  end
  return { word = "literal", text = character:rep(count), run = true }
end

--- any_case(literal): the literal with its letters large or small; written as it stands. At most ten letters: each way to write them
-- is looked for.
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

-- Each word notes where the script has it, and says what is meant where it is called: s.name() "x".
function followed.__call(word)
  fail(word.word, "a comma is missing behind it")
end
for _, name in ipairs { "optional", "recoverable", "exact", "any", "calls", "parameters", "name", "key", "value", "object", "id",
  "items", "block_text", "fence", "carried", "extra", "member", "section", "text", "reasoning", "pattern", "number", "arguments",
  "type", "attributes", "backref", "header", "run", "any_case", "array" } do
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
  model_starts = "table",  -- where the responses of some of them start; made of `models`
  models = "table",        -- of whom it is the format: beginnings of model names
  origin = "string",       -- where it comes from, if not from models
  source = "string",       -- where the format is described
  call = "any",            -- a word or a list: a block of calls
  blocks = "table",        -- or several, tried in this order
  parse = "function",      -- or a function that reads a block by hand
  render = "function",     -- and one that writes calls
  starts = "table",        -- for `parse`: the literals that a block begins with
  reasoning = "table",     -- {open =, close =}, or a list of them
  stop = "table",          -- end-of-turn tokens
  stop_words = "table",    -- what a request should stop the model at: `stop` of its API
  family = "string",       -- "model" (a format that models were trained on) or "agent" (one that they are prompted with), or another
  ignored_tokens = "table", -- literals that are markup wherever they occur
  ignored_at_start = "table", -- literals that are markup only where nothing but markup stands before them
  ignored_tags = "table",  -- beginnings of tags that are markup up to the `>` on their line
  special = "table",       -- tokens that a detokeniser must keep
  cut_tokens = "boolean",  -- the beginning of such a token that ends the text is markup
  namespaces = "table",    -- stripped from names: "functions."
  fence = "string",        -- "text": what stands in a closed Markdown code fence is no call; else "call"
  default_type = "string", -- of values without a schema: "json", "any_json" (strings in JSON's quotes, too) or "string"
  repeated_is_array = "boolean", -- a repeated parameter makes an array
  singular_keys = "boolean", -- a parameter may be named by the singular of an array's name
  fixed_parameters = "table", -- the only parameters of the format; one that is not there is empty
  between = "string",      -- written between blocks
  generation_prompt = "string", -- what the prompt ends with where the model is to answer: `render` and grammars begin behind it
  max_calls = "number",
  options = "table",       -- defaults of the stream options
  repair_name = "function", -- (name, tools) -> name: reads a name against the given tools; false: their parameters tell the tool
  common_in_prose = "table", -- openers that prose has, too: where they lead to no call, nothing is said
  reserved_section = "boolean", -- its section is reserved for calls: anything else there is markup
  tools = "table",         -- the names that are given where no tools are
  json = "table",          -- {item = ", ", key = ": "}: how JSON is spaced
  trim = "boolean",        -- white space around the message is markup
  result = "table",        -- how a tool's result is written back: literals, s.name(), s.id(), s.value()
  between_results = "string", -- written between results
  marked = "table",        -- where a mark of the host's stands: "<call{ mark}>"; see lua/sluice/marks.lua
  template = "any",        -- the native prompt: a text with {tools}, {definitions}, {array}, {example}, {names}, or a function
  examples = "table",      -- {text =, calls =, content =, reasoning =}
}

-- Are the fields of a description those that there are, and what they must be? Calls `refuse` where they are not.
local function check_fields(description, refuse)
  local api = description.api
  if api == nil then
    refuse("needs `api`, the level it was written for (now %d)", M.api_max)
  elseif type(api) ~= "number" then
    refuse("the field 'api' is a number, not a %s", type(api))
  elseif api < M.api_min or api > M.api_max then
    refuse("was written for API level %s; this version reads level %s%s", tostring(api),
      M.api_min < M.api_max and M.api_min .. " to " or "", M.api_max)
  end
  for key, value in pairs(description) do
    if fields[key] == nil then
      local near = M.nearest(tostring(key), fields)
      refuse("there is no field '%s'%s", tostring(key), near and (" (did you mean '%s'?)"):format(near) or "")
    elseif fields[key] ~= "any" and type(value) ~= fields[key] then
      refuse("the field '%s' is a %s, not a %s", key, fields[key], type(value))
    end
  end
  if not description.name or not description.name:match("^[%w_.-]+$") then
    refuse("needs a name of letters, digits, '_', '-' and '.'")
  end
  if description.name == "auto" then
    refuse("the name 'auto' is that of the syntax which recognises the others; choose another")
  end
  if description.parse then
    if not description.starts then
      refuse("has `parse`, so it needs `starts`, the literals that a block begins with")
    end
  elseif (description.call ~= nil) == (description.blocks ~= nil) then
    refuse("needs `call` (or `blocks`, or `parse` with `starts`)")
  end
  if description.family and not description.family:match "^[%w_-]+$" then
    refuse("`family` is a word of letters, digits, '_' and '-': \"model\", \"agent\", or one of your own")
  end
  if description.default_type and not ({ json = true, any_json = true, string = true })[description.default_type] then
    refuse("`default_type` is \"json\", \"any_json\" or \"string\"")
  end
  if description.fence and description.fence ~= "text" and description.fence ~= "call" then
    refuse("`fence` is \"text\" or \"call\"")
  end
  local field, wrong = require("sluice.shapes").field(description, M.nearest)
  if field then
    refuse("the field '%s' %s", field, wrong)
  end
end

--- syntax{...}: a description. Answers it, checked as far as it can be without compiling it.
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
        refuse("the field 'models' holds names, or { name, start = \"reasoning\" }")
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
  if not ok then -- it says where, too
    refuse("%s", (tostring(err):gsub("^.-:%d+: ", "")))
  end
  out.is_syntax = true
  return out
end

--- inherit(parent, changes): a dialect: the parent's description with these fields in its place. The parent stays
-- as it is. changes.literals: { [text] = other text }, for what stands in the parent's literals.
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

--- set{literals}: a set for `parse` functions, which hand it to the stream's operations. Make it once, not in each call.
function M.set(list)
  return M.core.set(list)
end

--- ordered{{key, value}, ...}: arguments whose order matters, for examples.
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
--- find(node, what): the first word that is called so, or that the function `what` is true of, and the word that it stands in, or nil.
function M.find(node, what)
  return find(node, what, type(what) == "function")
end

--- nearest(name, names[, any]): the key of `names` most like `name`, or nil where none is. `any`: however unlike it is.
function M.nearest(name, names, any)
  local best, score
  for candidate in pairs(names) do
    candidate = tostring(candidate)
    local before, row = nil, {}
    for j = 0, #candidate do
      row[j] = j
    end
    for i = 1, #name do
      local next_row = { [0] = i }
      for j = 1, #candidate do
        local cost = name:byte(i) == candidate:byte(j) and 0 or 1
        next_row[j] = math.min(row[j] + 1, next_row[j - 1] + 1, row[j - 1] + cost)
        if i > 1 and j > 1 and name:byte(i) == candidate:byte(j - 1) and name:byte(i - 1) == candidate:byte(j) then
          next_row[j] = math.min(next_row[j], before[j - 2] + 1) -- two that changed places
        end
      end
      before, row = row, next_row
    end
    local distance = row[#candidate]
    if not score or distance < score or (distance == score and candidate < best) then
      best, score = candidate, distance
    end
  end
  if score and (any or score <= math.max(1, math.floor(#name / 3))) then
    return best
  end
end

return M
