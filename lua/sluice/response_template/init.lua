--- Reads Hugging Face response templates (`response_template` in a tokenizer_config.json) as syntaxes.
--
-- A template gets its own program (sluice.response_template.machine): regions with an opener and a closer, each a field of the message.
-- `content` becomes text, `thinking` and similar fields reasoning, `tool_calls` calls.

local core = require "sluice.core"
local content = require "sluice.response_template.content"
local regex = require "sluice.response_template.regex"

local json = core.json

local M = {}

local roles = { content = "text", thinking = "reasoning", reasoning_content = "reasoning", reasoning = "reasoning", tool_calls = "calls" }

local top_keys = { fields = true, start_anchor = true, start_anchor_pattern = true, defaults = true, version = true }
local field_keys = { open = true, open_pattern = true, close = true, close_pattern = true, content = true, content_args = true,
  ["repeats"] = true, join = true, optional = true, transform = true, transform_each = true }

--- template_in(text) -> the template in JSON text, from its own file or a tokenizer_config.json; or nil and a message.
function M.template_in(text)
  local value, message = json.decode(text)
  if value == nil then
    return nil, "the file is not valid JSON: " .. tostring(message)
  elseif json.kind(value) ~= "object" then
    return nil, "a response template must be a JSON object"
  end
  if value.response_template ~= nil then
    value = value.response_template
    if json.kind(value) ~= "object" then
      return nil, "response_template must be a JSON object"
    end
  elseif value.fields == nil and value.start_anchor == nil and value.start_anchor_pattern == nil and value.version == nil
    and (value.tokenizer_class ~= nil or value.chat_template ~= nil or value.model_max_length ~= nil) then
    return nil, "this tokenizer configuration has no response_template; `python -m sluice infer --template` reads its chat template"
  end
  return value
end

-- Reads a string or a list of strings. Returns the list, longest first.
local function literals(value, refuse, key)
  local list = type(value) == "string" and { value } or value
  if type(value) ~= "string" and json.kind(value) ~= "array" or #list == 0 then
    refuse(("'%s' must be a string or a list of strings"):format(key))
  end
  local out = {}
  for i, text in ipairs(list) do
    if type(text) ~= "string" or text == "" then
      refuse(("'%s' must be a string or a list of strings that are not empty"):format(key))
    end
    out[i] = text
  end
  table.sort(out, function(a, b) return #a > #b or #a == #b and a < b end)
  return out
end

local function escaped(text)
  return (text:gsub("[%^%$%.%[%]%|%(%)%*%+%?%{%}\\]", "\\%0"))
end

-- A delimiter, from literals or a regular expression; nil if there is none.
local function delimiter(owner, name, refuse)
  local literal, pattern = owner[name], owner[name .. "_pattern"]
  if literal ~= nil and pattern ~= nil then
    refuse(("has both '%s' and '%s_pattern'"):format(name, name))
  elseif pattern ~= nil then
    if type(pattern) ~= "string" then
      refuse(("'%s_pattern' must be a string"):format(name))
    end
    return regex.compile(pattern)
  elseif literal ~= nil then
    local list = literals(literal, refuse, name)
    for i, text in ipairs(list) do
      list[i] = escaped(text)
    end
    return regex.compile(table.concat(list, "|"))
  end
end

-- Checks that placeholders are whole strings.
local function check_transform(shape, refuse)
  local kind = json.kind(shape)
  if kind == "string" then
    if shape:find "{[%w_.]+}" and not shape:find "^{[%w_]+[%w_.]*}$" then
      refuse(("a transform string mixes a placeholder with other text: %q"):format(shape))
    end
  elseif kind == "object" or kind == "array" then
    for _, key in ipairs(kind == "object" and json.keys(shape) or shape) do
      check_transform(kind == "object" and shape[key] or key, refuse)
    end
  end
end

local function field_of(name, raw, refuse_all)
  local function refuse(what)
    refuse_all(("field '%s' %s"):format(name, what))
  end
  if json.kind(raw) ~= "object" then
    refuse "is not an object"
  end
  for _, key in ipairs(json.keys(raw)) do
    if not field_keys[key] then
      refuse(("has an unknown key '%s'"):format(key))
    end
  end
  local field = { name = name, role = roles[name] or "other", content = raw.content == nil and "text" or raw.content,
    content_args = raw.content_args, transform = raw.transform, each = raw.transform_each == true, join = raw.join,
    many = raw["repeats"] and raw["repeats"] ~= json.null and true or false }
  if not content.parsers[field.content] then
    refuse(("has an unknown content parser '%s'"):format(tostring(field.content)))
  end
  if field.join ~= nil and type(field.join) ~= "string" then
    refuse "has a 'join' that is not a string"
  elseif field.join and not field.many then
    refuse "has a 'join', which requires 'repeats'"
  end
  if raw.transform_each ~= nil and type(raw.transform_each) ~= "boolean" then
    refuse "has a 'transform_each' that is not a boolean"
  elseif field.each and field.transform == nil then
    refuse "has 'transform_each' without 'transform'"
  end
  field.open, field.close = delimiter(raw, "open", refuse), delimiter(raw, "close", refuse)
  if field.transform == nil then
    for _, which in ipairs { "open", "close" } do
      if field[which] and #field[which].names > 0 then
        refuse(("has a named group in '%s_pattern' but no 'transform'"):format(which))
      end
    end
  else
    check_transform(field.transform, refuse)
  end
  field.args = content.prepare(field, refuse)
  return field
end

--- load(template) -> { fields, anchor, defaults }; raises a message if the template is invalid.
function M.load(template)
  local function refuse(what)
    error("response template: " .. what, 0)
  end
  if json.kind(template) ~= "object" then
    refuse "it must be a JSON object"
  end
  for _, key in ipairs(json.keys(template)) do
    if not top_keys[key] then
      refuse(("unknown key '%s'"):format(key))
    end
  end
  if template.version ~= nil and json.number(template.version) ~= 1 then
    refuse(("version %s is not supported, only 1"):format(tostring(template.version)))
  end
  if template.defaults ~= nil and json.kind(template.defaults) ~= "object" then
    refuse "'defaults' must be an object"
  end
  if template.fields == nil or json.kind(template.fields) ~= "object" or #json.keys(template.fields) == 0 then
    refuse "'fields' must be an object with at least one member"
  end
  local made = { fields = {}, defaults = template.defaults }
  for i, name in ipairs(json.keys(template.fields)) do
    local field = field_of(name, template.fields[name], refuse)
    made.fields[i] = field
    if not field.open then
      if made.implicit then
        refuse(("the fields '%s' and '%s' both have no opener"):format(made.implicit.name, name))
      end
      made.implicit = field
    end
  end
  made.anchor = delimiter(template, "start_anchor", refuse)
  if not made.anchor then
    refuse "needs 'start_anchor' or 'start_anchor_pattern'"
  end
  table.sort(made.fields, function(a, b) return a.name < b.name end)
  return made
end

--- description(text, path) -> a description whose plan is the template's program; or nil and a message.
function M.description(text, path)
  local template, message = M.template_in(text)
  if not template then
    return nil, message
  end
  local ok, made = pcall(M.load, template)
  if not ok then
    return nil, tostring(made)
  end
  local vocabulary = require "sluice.syntax"
  local file = path:match "([^/\\]+)$" or path
  -- the whole file name, so that a template does not replace a script with a similar name
  local name = file:gsub("[^%w_.-]", "_")
  if file == "tokenizer_config.json" then -- the folder names the model
    name = (path:match "([^/\\]+)[/\\][^/\\]+$" or "."):gsub("[^%w_.-]", "_") .. "." .. name
  end
  local main, prompt_opens = require("sluice.response_template.machine").prepare(made)
  return { is_syntax = true, api = vocabulary.api_max, name = name, blocks = {}, starts = {}, parse = main, prompt_opens = prompt_opens,
    reads_all = true, options = { calls_in_reasoning = "call" } }
end

return M
