--- The vocabulary, and the description of a format: s.syntax{...}.
--
-- The words are the files of lua/sluice/words; this module knows the fields of a description and their checks.

local check = require "sluice.check"
local core = require "sluice.core"
local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local reword = require "sluice.compile.reword"
local word = require "sluice.word"

local M = {}

--- The API level of scripts.
M.api = 3

-- The words that scripts get, and the hidden ones. A new word is a new name here, and a file.
local names = { "tok", "any", "opt", "also", "lost", "name", "given", "key", "value", "args", "id", "text", "think", "same", "match",
  "calls", "params", "attrs", "json", "lines", "capture", "section" }
for _, name in ipairs { "literal", "list", "again" } do
  require("sluice.words." .. name)
end
--- The words by name.
M.words = {}
for _, name in ipairs(names) do
  M.words[name] = require("sluice.words." .. name)
end

-- { open, close } as a list of such pairs, if it is none.
local function pair_list(value)
  return type(value) == "table" and (type(value[1]) == "string" or word.is_node(value[1])) and { value } or value
end

local function text_or_tok(value)
  local text = word.is_node(value) and value.text or value
  return check.text(text) or not text:find "%S" and "must not be white space" or nil
end

local think_pairs = check.list_of(check.record({ text_or_tok, text_or_tok }, { { 1, "" }, { 2, "" } }))

local function think(value)
  local list = pair_list(value)
  return (think_pairs(list) or not list[1]) and 'must be { "<think>", "</think>" }, or a list of such pairs' or nil
end

local model = check.record { check.text, start = check.one_of("reasoning", "text") }
local models = check.list_of(function(value)
  return type(value) ~= "string" and model(value)
end, "item", 'must hold names, or { name, start = "reasoning" };')

local marks = check.list_of(function(form)
  return (type(form) ~= "string" or not form:find "{[^{}]*mark[^{}]*}") and "has no {mark}"
end, "item", 'must be true, or openers and closers with {mark} in the place of the mark, "<call{ mark}>";')

local function marked(value)
  return value ~= true and marks(value) or nil
end

local function result(value)
  if type(value) == "table" and value.between ~= nil and type(value.between) ~= "string" then
    return "has `between`, the text between two results, which must be a string"
  end
  return not lists.some(type(value) == "table" and value or {}, function(part)
    return word.is_node(part) and part.word == "value"
  end) and "must be a list of literals and words that includes s.value(), the result's text" or nil
end

local function anything() end

local example_call = check.record({ name = check.text, id = anything, extra = anything,
  arguments = check.type("must be a table: { key = value }", "table") },
  { { "name", "has no `name`" }, { "arguments", "has no `arguments`; use {} for none" } })
local example = check.record({ text = check.text, calls = check.list_of(example_call, "call"), content = check.text,
  reasoning = check.text, deviates = check.flag, tools = anything },
  { { "text", "has no `text`: what the model writes" }, { "calls", "has no `calls`; use {} for none" } })

local words = check.type("must be a list of words", "string", "table")

local function api(value)
  local newer = type(value) == "number" and value > M.api
  return value ~= M.api and ("must be %d; %s"):format(M.api, newer and "a script of a higher level needs a newer Sluice"
    or "docs/upgrading.md has the words that replace those of level 2") or nil
end

local of_values = check.record { default = check.one_of("json", "any_json", "string"), repeated = check.one_of("array", "plural"),
  fixed = check.texts }

--- The fields of descriptions, and their checks. docs/make.lua reads their names, and why there are fields that fewer than three scripts
-- use:
-- cut_tokens: for one script, plamo3: its parser leaves out the part of a token at the end of the text; thirteen of its tests cut one.
-- begins: for two scripts, harmony and muse_glimmer: their prompt ends within the first message, so grammars and calls begin behind that.
M.fields = {
  api = api, name = check.text, aliases = check.texts, models = models, origin = check.text, source = check.text, family = check.text,
  call = words, blocks = check.list, think = think, stop = check.texts, stop_words = check.texts, ignore = check.texts,
  tokens = check.texts, cut_tokens = check.flag, namespaces = check.texts, prose = check.texts, tools = check.texts,
  between = check.type("must be a text", "string"), result = result, begins = check.text,
  prompt = check.type("must be a text or a function", "string", "function"), options = check.stream_options, repair_name = check.call,
  marked = marked, examples = check.list_of(example), values = of_values,
}

-- Texts in the parent's literals and what takes their place, or a list of such tables.
local function literals(value)
  local list = type(value) == "table" and value[1] == nil and { value } or value
  for _, others in ipairs(type(list) == "table" and list or { list }) do
    for from, to in next, type(others) == "table" and others or { others } do
      if type(from) ~= "string" or from == "" or type(to) ~= "string" then
        return "must be a table from texts to other texts, or a list of such tables"
      end
    end
  end
end

-- The fields of dialects: `false` leaves one out.
local of_dialects = { literals = literals }
for name, wrong in pairs(M.fields) do
  of_dialects[name] = function(value)
    return value ~= false and wrong(value) or nil
  end
end

-- Raises a message. The registry finds the line of a field from its name in the message.
local function fail(context, name, message, ...)
  error(("%ssyntax %s: "):format(word.where(context.path), name) .. message:format(...), 0)
end

-- A block: a list of words, or one word.
local function block_of(context, value, name, field)
  local good, block = true, value
  if not (word.is_node(value) and value.word == "list") then -- else the parent's
    good, block = pcall(word.classes.list.of, nil, value)
  end
  return good and block or fail(context, name, "the field '%s': %s", field, block)
end

--- copied(context, value, done): a copy of what a script gave, or gets: neither it nor another script can change what is in use. done: the
-- copies by table. Patterns are unwrapped. What the library's own scripts give is not copied.
local function copied(context, value, done)
  if context.trusted then
    return value
  elseif type(value) ~= "table" or getmetatable(value) ~= nil then
    if word.is_node(value) then
      return word.owned(value, function(inside)
        return copied(context, inside, done)
      end)
    end
    return context.raw(value) or value -- ordered objects cannot be changed
  elseif not done[value] then
    done[value] = {}
    for key, inside in next, value do
      done[value][key] = copied(context, inside, done)
    end
  end
  return done[value]
end
M.copied = copied

-- The description of these fields, which are checked, and the description's own.
local function description_of(context, given)
  if not given.name or not given.name:match "^[%w_.-]+$" or given.name == "auto" then
    fail(context, given.name or "?", "needs a name of letters, digits, '_', '-' and '.', other than 'auto'")
  elseif (given.call ~= nil) == (given.blocks ~= nil) then
    fail(context, given.name, "needs either `call` or `blocks`")
  elseif not given.api then
    fail(context, given.name, "needs `api = %d`, the level of its words", M.api)
  end
  local out = lists.copy(given, { blocks = {}, has = {}, written = 1 })
  local special, tags = follow.list(), follow.list()
  local function note(at)
    out.has[at.word] = true
    if at.body then
      local body = at:body()
      if at.token then
        special:add(body)
      end
      local tag = given.marked == true and body:match "^</?[^<>]+>$"
      if tag then
        tags:add(tag:sub(1, -2) .. "{ mark}>")
      end
    end
  end
  for i, block in ipairs(given.blocks or { given.call }) do
    out.blocks[i] = block_of(context, block, given.name, given.call and "call" or "blocks")
    word.find(out.blocks[i], note)
    out.written = word.with(out.blocks[out.written], "gives", "name") and out.written or i -- the first with calls
  end
  out.reasoning = given.think and lists.map(pair_list(given.think), function(pair)
    local open, close = word.as_node(pair[1]), word.as_node(pair[2])
    note(open)
    note(close)
    return { open = open.text, close = close.text }
  end)
  special:all(given.tokens or {})
  out.special = special[1] and lists.joined(special)
  if given.models then
    out.models, out.model_starts = {}, {}
    for i, name in ipairs(given.models) do
      out.models[i] = type(name) == "table" and name[1] or name
      out.model_starts[out.models[i]] = type(name) == "table" and name.start or nil
    end
  end
  if given.result then
    out.result = lists.map(given.result, function(part)
      return word.is_node(part) and part.body and part.text or part
    end)
    out.result.between = given.result.between or "\n"
  end
  out.max_calls = given.options and given.options.max_calls
  local values = given.values or {}
  out.default_type, out.repeated_is_array, out.fixed_parameters = values.default, values.repeated and true, values.fixed
  out.singular_keys = values.repeated == "plural" or nil
  out.marked = given.marked == true and tags or given.marked
  out.given = given
  return out
end

-- The fields that a script gave, checked and copied.
local function own_fields(context, given, known, what)
  if type(given) ~= "table" or getmetatable(given) ~= nil then
    error(what, 0)
  end
  local wrong = check.named("field", { api = given.api }, known) or check.named("field", given, known)
  if wrong then
    fail(context, type(given.name) == "string" and given.name or "?", "%s", wrong)
  end
  return copied(context, given, {})
end

--- vocabulary.new(context): the words for scripts, bound to this context (see word.maker; raw(value) -> the pattern of a script's object,
-- or nil), and
--   syntax{...} -> a description, after all checks that need no compilation;
--   inherit(parent, changes) -> a dialect of a description;
--   ordered{{key, value}, ...}: arguments in a fixed order, for examples.
function M.new(context)
  local self = { ordered = core.json.object }
  for _, name in ipairs(names) do
    self[name] = word.maker(word.classes[name], context)
  end

  function self.syntax(given)
    return description_of(context, own_fields(context, given, M.fields, "syntax: expected a table"))
  end

  function self.inherit(parent, changes)
    local own = own_fields(context, changes, of_dialects, "inherit: expected a name and a table of changes")
    local given = lists.copy(parent.given)
    given.name, given.aliases, given.models, given.examples = nil, nil, nil, nil
    if own.call or own.blocks then
      given.call, given.blocks = nil, nil
    end
    local others = own.literals and next(own.literals) and own.literals or nil
    for i, texts in ipairs(others and others[1] == nil and { others } or others or {}) do
      local used = {}
      given.call, given.blocks = nil, i > 1 and given.blocks or {}
      for _, block in ipairs(parent.blocks) do
        given.blocks[#given.blocks + 1] = reword.node(block, texts, used)
      end
      for text in pairs(texts) do
        if not (used[text] or context.trusted) then -- a parent of the library's own may be another by now
          fail(context, own.name or "?", "`literals`: no literal of the blocks of '%s' has %s", parent.name, word.quoted(text))
        end
      end
    end
    for field, value in pairs(own) do
      given[field] = value or nil
    end
    given.literals = nil
    local out = description_of(context, given)
    out.parent = parent.name
    return out
  end

  return self
end

return M
