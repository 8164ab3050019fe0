--- Checks the fields of a description and the options of its words beyond their types: lists of texts, pairs, sets of names. A
-- misspelling there would go unnoticed, so it is refused, with a message that says what is expected.

local stream_options = require "sluice.options"

local M = {}

-- Each check returns nil if the value is good, else the end of a message: "must be ...".

local function is_text(value)
  return type(value) == "string" and value ~= ""
end

-- The length of a list; nil if the table also has other keys.
local function length(list)
  local count = 0
  for _ in pairs(list) do
    count = count + 1
  end
  return count == #list and count or nil
end

local function texts(value)
  local good = type(value) == "table" and length(value) ~= nil
  for _, text in ipairs(good and value or {}) do
    good = good and is_text(text)
  end
  return not good and 'must be a list of texts, none of them empty: { "...", "..." }' or nil
end

local function text_or_texts(value)
  local none = type(value) == "table" and next(value) == nil
  return not is_text(value) and (none or texts(value)) and "must be a text or a list of texts" or nil
end

-- The first key of a table that is not in `known`, as a message with the nearest known key.
local function unknown_key(value, known, nearest)
  for key in pairs(value) do
    if known[key] == nil then
      local near = nearest(tostring(key), known)
      return ("has no field '%s'%s"):format(tostring(key), near and (" (did you mean '%s'?)"):format(near) or "")
    end
  end
end

local function one_pair(pair)
  local count = 0
  for _ in pairs(pair) do
    count = count + 1
  end
  return count == 2 and is_text(pair.open) and is_text(pair.close)
end

local function pairs_of(value)
  local good = one_pair(value) or (length(value) or 0) > 0
  for _, pair in ipairs(value) do
    good = good and type(pair) == "table" and one_pair(pair)
  end
  return not good and 'must be { open = "...", close = "..." }, or a list of such pairs' or nil
end

local function is_whole(value, least)
  return type(value) == "number" and value >= least and value % 1 == 0
end

local example_fields = { text = "string", calls = "table", content = "string", reasoning = "string", deviates = "boolean",
  tools = "any" }

-- The error of an example, or nil.
local function wrong_example(example, nearest)
  if type(example) ~= "table" then
    return "must be { text = ..., calls = { { name = ..., arguments = { ... } } } }"
  end
  local unknown = unknown_key(example, example_fields, nearest)
  if unknown then
    return unknown
  end
  for field, kind in pairs(example_fields) do
    if example[field] ~= nil and kind ~= "any" and type(example[field]) ~= kind then
      return ("has a %s as `%s`, not a %s"):format(type(example[field]), field, kind)
    end
  end
  if not example.text then
    return "has no `text`: what the model writes"
  elseif not example.calls then
    return "has no `calls`; use {} for none"
  end
  if not length(example.calls) then
    return "has `calls` that are not a list: { { name = ..., arguments = { ... } } }"
  end
  for i, call in ipairs(example.calls) do
    if type(call) ~= "table" or not is_text(call.name) then
      return ("has a call without a name, number %d"):format(i)
    end
  end
end

local fields = { stop = texts, stop_words = texts, aliases = texts, special = texts, namespaces = texts, ignored_tokens = texts,
  ignored_at_start = texts, ignored_tags = texts, common_in_prose = texts, tools = texts, fixed_parameters = texts,
  starts = texts, reasoning = pairs_of }

function fields.json(value, nearest)
  local good = true
  for key, mark in pairs { item = ",", key = ":" } do
    good = good and (value[key] == nil or (type(value[key]) == "string" and value[key]:match "^%s*(.-)%s*$" == mark))
  end
  return unknown_key(value, { item = true, key = true }, nearest)
    or not good and 'must be { item = ", ", key = ": " }, with other white space' or nil
end

function fields.options(value, nearest)
  for name, kind in pairs(stream_options.kinds) do
    if value[name] ~= nil and type(value[name]) ~= kind then
      return ("has a %s as `%s`, not a %s"):format(type(value[name]), name, kind)
    end
  end
  return unknown_key(value, stream_options.kinds, nearest)
end

function fields.max_calls(value)
  return not is_whole(value, 1) and "must be a whole number from 1" or nil
end

function fields.template(value)
  return not is_text(value) and type(value) ~= "function" and "must be a text or a function" or nil
end

function fields.result(value)
  local has_value = false
  for _, part in ipairs(value) do
    has_value = has_value or type(part) == "table" and part.word == "value"
  end
  return not has_value and "must be a list of literals and words that includes s.value(), the result's text" or nil
end

function fields.models(value, nearest)
  for _, model in ipairs(value) do
    local unknown = type(model) == "table" and unknown_key(model, { true, start = true }, nearest)
    if unknown then
      return "must hold names, or { name, start = \"reasoning\" }; one " .. unknown
    end
  end
end

function fields.marked(value)
  for _, form in ipairs(value) do
    if type(form) ~= "string" or not form:find "{[^{}]*mark[^{}]*}" then
      return "must hold openers and closers with {mark} in the place of the mark: \"<call{ mark}>\""
    end
  end
end

function fields.examples(value, nearest)
  if not length(value) then
    return "must be a list: { { text = ..., calls = { ... } }, ... }"
  end
  for i, example in ipairs(value) do
    local wrong = wrong_example(example, nearest)
    if wrong then
      return ("has an error: number %d %s"):format(i, wrong)
    end
  end
end

--- shapes.field(description, nearest) -> the name of the first bad field, and what is wrong with it; nil if all are good. `nearest`: as
-- of sluice.syntax.
function M.field(description, nearest)
  for name, check in pairs(fields) do
    local wrong = description[name] ~= nil and check(description[name], nearest)
    if wrong then
      return name, wrong
    end
  end
end

-- ---- Words ---------------------------------------------------------------------------------

-- The keys with which an object can be written: the first spelling of each, and those of `extra`.
local function written_keys(node)
  local keys = {}
  for field, default in pairs { name = "name", arguments = "arguments", id = false } do
    local value = node[field] == nil and default or node[field]
    keys[type(value) == "table" and value[1] or value or ""] = true
  end
  for _, pair in ipairs(node.extra or {}) do
    keys[pair[1]] = true
  end
  return keys
end

-- A list of { key, text } pairs; the text is optional unless `needs_text`.
local function keyed(value, needs_text)
  local good = length(value) ~= nil
  for _, pair in ipairs(good and value or {}) do
    good = good and type(pair) == "table" and is_text(pair[1]) and (type(pair[2]) == "string" or (pair[2] == nil and not needs_text))
  end
  return good
end

-- A map whose keys are texts and whose values are in this set.
local function map_to(set, choices)
  return function(value)
    for key, kind in pairs(value) do
      if not is_text(key) or not set[kind] then
        return ("has '%s' for '%s'; allowed: %s"):format(tostring(kind), tostring(key), choices)
      end
    end
  end
end

local kinds = { string = true, object = true, number = true, ["number?"] = true }
local types = { null = true, integer = true, number = true, boolean = true, object = true, array = true, string = true, json = true }

local words = {
  object = { name = text_or_texts, arguments = text_or_texts, id = text_or_texts, answers = texts, reasoning = texts, ignored = texts,
    order = texts,
    required = map_to(kinds, '"string", "object", "number" or "number?"; write a member with one fixed value in a literal'),
    extra = function(value)
      return not keyed(value) and "must be a list of { key, default as JSON text }" or nil
    end,
    defaults = function(value)
      for key in pairs(value) do
        if type(key) ~= "string" then
          return "must be a map from keys to the values written if the call has none"
        end
      end
    end },
  member = { keys = texts, reasoning = texts, fixed = function(value)
    return not keyed(value, true) and 'must be a list of { "key", "value" }' or nil
  end },
  section = { close = texts },
  name_in_id = { prefix = function(value)
    return value:find "^%s*$" and "must not be empty" or value:find "[%s%z]" and "must not contain white space" or nil
  end, counter = function(value)
    return value:find "^%s*$" and "must not be empty" or value:find "[%s%d%z]" and "must not contain white space or digits" or nil
  end, from = function(value)
    return value ~= 0 and value ~= 1 and "must be 0 or 1" or nil
  end },
  attributes = { ignored = texts },
  type = { map = map_to(types, "a type of JSON Schema, or \"json\"") },
  value = { entities = function(value)
    local good = value == true or value == false or (type(value) == "table" and #value == 2)
    for _, name in ipairs(good and type(value) == "table" and value or {}) do
      good = good and (name == "lt" or name == "gt")
    end
    return not good and 'must be true, or { "lt", "gt" }' or nil
  end },
}

function words.any(node)
  local list = type(node.write) == "table" and node.write or { node.write }
  local good = length(list) ~= nil
  for _, number in ipairs(list) do
    good = good and is_whole(number, 1) and number <= #node
  end
  return not good and ("the option 'write' must be the number of an alternative, from 1 to %d, or a list of them"):format(#node) or nil
end

for _, name in ipairs { "extra", "carried" } do
  words[name] = function(node)
    return not is_text(node.key) and ('needs a key: s.%s { key = "..." }'):format(name) or nil
  end
end

-- Reports keys in `order` and `defaults` that are never written.
local function never_written(node)
  local keys = written_keys(node)
  for option, list in pairs { order = node.order or {}, defaults = node.defaults or {} } do
    for key, value in pairs(list) do
      key = option == "order" and value or key
      if not keys[key] then
        return ("the option '%s' has '%s', which is not the key of the name, the arguments or the id, nor in `extra`"):format(option, key)
      end
    end
  end
end

--- shapes.word(node) -> an error message for the options of a word, or nil.
function M.word(node)
  local checks = words[node.word]
  if type(checks) == "function" then
    return checks(node)
  end
  for option, check in pairs(checks or {}) do
    local wrong = node[option] ~= nil and check(node[option])
    if wrong then
      return ("%s %s"):format(option == "keys" and "the key" or ("the option '%s'"):format(option), wrong)
    end
  end
  return node.word == "object" and never_written(node) or nil
end

return M
