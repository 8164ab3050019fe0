--- Reads the body of a region as a value: content parsers of response templates, their transforms, and casts by a tool's schema.
--
-- Values are those of `sluice.core`'s JSON: numbers keep their text. Failures return nil and a message.

local core = require "sluice.core"
local regex = require "sluice.response_template.regex"

local json = core.json

local M = {}

local exact = { exact = true }

-- White space at both ends, as of Python's str.strip.
local wide = { "\194\133", "\194\160", "\225\154\128", "\226\128\168", "\226\128\169", "\226\128\175", "\226\129\159", "\227\128\128" }
for last = 0x80, 0x8A do
  wide[#wide + 1] = "\226\128" .. string.char(last)
end

--- strip(text): removes white space at both ends.
function M.strip(text)
  local again = true
  while again do
    again = false
    text = text:match "^[%s\28-\31]*(.-)[%s\28-\31]*$"
    for _, space in ipairs(wide) do
      if text:sub(1, #space) == space then
        text, again = text:sub(#space + 1), true
      end
      if #text >= #space and text:sub(-#space) == space then
        text, again = text:sub(1, -#space - 1), true
      end
    end
  end
  return text
end

local function decode(text)
  return json.decode(text, exact)
end

-- A number from its JSON text.
local function number(text)
  return (decode(text))
end

-- Python's int(): digits with a sign and single underscores between them, as JSON text; or nil.
local function integer_text(text)
  local sign, digits = M.strip(text):match "^([+-]?)(%d[%d_]*)$"
  if not digits or digits:find "__" or digits:find "_$" then
    return nil
  end
  digits = digits:gsub("_", ""):gsub("^0+(%d)", "%1")
  return (sign == "-" and digits ~= "0" and "-" or "") .. digits
end

-- Python's float() of a finite number, as JSON text; or nil.
local function float_text(text)
  text = M.strip(text):gsub("(%d)_(%d)", "%1%2")
  local sign, whole, point, fraction, power = text:match "^([+-]?)(%d*)(%.?)(%d*)([eE]?[+-]?%d*)$"
  if not whole or (whole == "" and fraction == "") or (power ~= "" and not power:find "^[eE][+-]?%d+$") then
    return nil
  end
  return (sign == "-" and "-" or "") .. (whole == "" and "0" or (whole:gsub("^0+(%d)", "%1"))) .. (point ~= "" and fraction ~= ""
    and "." .. fraction or "") .. power
end

local parsers = {}

function parsers.text(text, args)
  return args.strip == false and text or M.strip(text)
end

function parsers.int(text)
  local found = integer_text(text)
  if not found then
    return nil, ("'%s' is not an integer"):format(text)
  end
  return number(found)
end

function parsers.float(text)
  local found = float_text(text)
  if not found then
    return nil, ("'%s' is not a number"):format(text)
  end
  return number(found)
end

function parsers.bool(text)
  text = M.strip(text):lower()
  return text == "true" or text == "1"
end

-- Splits off the text between the markers, which becomes JSON strings: pieces { text } and { nil, string }.
local function quoted(text, delims)
  local out, at = {}, 1
  while true do
    local best, pair
    for i = 1, #delims do
      local found = text:find(delims[i][1], at, true)
      if found and (not best or found < best) then
        best, pair = found, delims[i]
      end
    end
    local stop = best and text:find(pair[2], best + #pair[1], true)
    if not stop then
      out[#out + 1] = { text:sub(at) }
      return out
    end
    out[#out + 1] = { text:sub(at, best - 1) }
    out[#out + 1] = { nil, text:sub(best + #pair[1], stop - 1) }
    at = stop + #pair[2]
  end
end

-- Quotes bare keys after `{` or `,`, outside strings.
local function keyed(pieces)
  for _, piece in ipairs(pieces) do
    piece[1] = piece[1] and piece[1]:gsub("([{,])([%w_\128-\255]+):", '%1"%2":')
  end
end

function parsers.json(text, args)
  local source = text
  if args.string_delims or args.unquoted_keys then
    local pieces = quoted(text, args.string_delims or {})
    if args.unquoted_keys then
      keyed(pieces)
    end
    local out = {}
    for i, piece in ipairs(pieces) do
      out[i] = piece[1] or json.encode(piece[2])
    end
    source = table.concat(out)
  end
  local value, message = decode(source)
  if value == nil then
    if args.allow_non_json then
      return M.strip(text)
    end
    return nil, ("the body is not valid JSON: %s"):format(message)
  end
  return value
end

local function value_of(text, spec)
  if not spec then
    return text
  end
  return parsers[spec.name](text, spec.args or {})
end

-- Builds an object with its members in order; a repeated key replaces the earlier value.
local function members()
  local order, by_key = {}, {}
  local self = {}
  function self.set(key, value)
    if by_key[key] == nil then
      order[#order + 1] = key
    end
    by_key[key] = value
  end
  function self.get(key)
    return by_key[key]
  end
  function self.object()
    local list = {}
    for i, key in ipairs(order) do
      list[i] = { key, by_key[key] }
    end
    return json.object(list)
  end
  return self
end

parsers["xml-inline"] = function(text, args)
  local found, at, merged = members(), 0, {}
  while true do
    local start, stop, captures = args.tag.find(text, at)
    if not start then
      return found.object()
    end
    local key, range = captures.key, captures.value
    key = text:sub(key[1] + 1, key[2])
    local value, message = value_of(text:sub(range[1] + 1, range[2]), args.value_parser)
    if value == nil then
      return nil, message
    end
    local before = found.get(key)
    if args.merge_duplicates and before ~= nil then
      if not merged[key] then
        before, merged[key] = json.array { before }, true
      end
      before[#before + 1] = value
      value = before
    end
    found.set(key, value)
    at = stop > start and stop or stop + 1
  end
end

parsers["kv-lines"] = function(text, args)
  local found = members()
  local line_sep, kv_sep = args.line_sep or "\n", args.kv_sep or ":"
  local at = 1
  while at <= #text + 1 do
    local stop = text:find(line_sep, at, true) or #text + 1
    local line = text:sub(at, stop - 1)
    at = stop + #line_sep
    line = args.strip == false and line or M.strip(line)
    local split = line:find(kv_sep, 1, true)
    if line ~= "" and split then
      local key, raw = line:sub(1, split - 1), line:sub(split + #kv_sep)
      if args.strip ~= false then
        key, raw = M.strip(key), M.strip(raw)
      end
      local value, message = value_of(raw, args.value_parser)
      if value == nil then
        return nil, message
      end
      found.set(key, value)
    end
  end
  return found.object()
end

M.parsers = parsers

--- prepare(field, refuse): checks the arguments of a field's parser, and compiles its pattern.
function M.prepare(field, refuse)
  local args = {}
  for key, value in pairs(type(field.content_args) == "table" and field.content_args or {}) do
    args[key] = value
  end
  local spec = args.value_parser
  if spec ~= nil and (type(spec) ~= "table" or not parsers[spec.name]) then
    refuse("its value_parser must have a known name")
  end
  if field.content == "xml-inline" then
    if type(args.tag_pattern) ~= "string" then
      refuse("xml-inline needs a tag_pattern")
    end
    args.tag = regex.compile(args.tag_pattern)
    if not (args.tag.names.key and args.tag.names.value) then
      refuse("its tag_pattern needs the groups 'key' and 'value'")
    end
  end
  for _, pair in ipairs(type(args.string_delims) == "table" and args.string_delims or {}) do
    if type(pair) ~= "table" or type(pair[1]) ~= "string" or type(pair[2]) ~= "string" then
      refuse("string_delims must be a list of pairs of strings")
    end
  end
  return args
end

-- ---- Transform --------------------------------------------------------------------------------

local function lookup(path, scope)
  local value, first = nil, true
  for part in path:gmatch "[^.]+" do
    if first then
      value, first = scope(part), false
      if value == nil then
        return nil, ("the transform refers to '%s', which does not exist"):format(part)
      end
    else
      if json.kind(value) ~= "object" or value[part] == nil then
        return nil, ("the transform refers to '%s', which does not exist"):format(path)
      end
      value = value[part]
    end
  end
  return value
end

--- transform(shape, scope) -> the shape with its placeholders filled in; `scope(name)` returns a value or nil.
function M.transform(shape, scope)
  local kind = json.kind(shape)
  if kind == "string" then
    local path = shape:match "^{([%w_.]+)}$"
    if path then
      return lookup(path, scope)
    end
    return shape
  elseif kind == "object" then
    local list = {}
    for i, key in ipairs(json.keys(shape)) do
      local value, message = M.transform(shape[key], scope)
      if value == nil then
        return nil, message
      end
      list[i] = { key, value }
    end
    return json.object(list)
  elseif kind == "array" then
    local list = json.array()
    for i, item in ipairs(shape) do
      local value, message = M.transform(item, scope)
      if value == nil then
        return nil, message
      end
      list[i] = value
    end
    return list
  end
  return shape
end

-- ---- Casting by a schema ----------------------------------------------------------------------

local function types_of(schema, list)
  list = list or {}
  local declared = schema.type
  for _, name in ipairs(type(declared) == "table" and declared or { declared }) do
    list[#list + 1] = name
  end
  for _, way in ipairs(type(schema.anyOf) == "table" and schema.anyOf or {}) do
    if type(way) == "table" then
      types_of(way, list)
    end
  end
  if schema.nullable == true then
    list[#list + 1] = "null"
  end
  return list
end

local casts = {}

function casts.integer(text)
  local found = integer_text(text)
  return found and number(found)
end

function casts.number(text)
  local found = float_text(text)
  if not found then
    return nil
  end
  local value = tonumber(found)
  if not found:find(".", 1, true) and not text:find(".", 1, true) and value == math.floor(value) then
    return number(integer_text(found) or ("%.0f"):format(value))
  end
  return number(found)
end

function casts.boolean(text)
  text = M.strip(text):lower()
  if text == "true" or text == "1" then
    return true
  elseif text == "false" or text == "0" then
    return false
  end
  return nil
end

function casts.null(text)
  text = M.strip(text)
  return (text == "null" or text == "None") and json.null or nil
end

function casts.object(text)
  local value = decode(text)
  return value ~= nil and json.kind(value) == "object" and value or nil
end

function casts.array(text)
  local value = decode(text)
  return value ~= nil and json.kind(value) == "array" and value or nil
end

local function cast(text, schema)
  for _, name in ipairs(types_of(schema)) do
    local try = casts[name]
    local value
    if try then
      value = try(text)
    end
    if value ~= nil then
      return value
    end
  end
  return text
end

--- cast(arguments, tool): casts string arguments to the types of the tool's schema. Returns a new object.
function M.cast(arguments, tool)
  local properties = tool and type(tool.parameters) == "table" and tool.parameters.properties
  if type(properties) ~= "table" then
    return arguments
  end
  local list = {}
  for i, key in ipairs(json.keys(arguments)) do
    local value, schema = arguments[key], properties[key]
    if type(schema) == "table" then
      if type(value) == "string" then
        value = cast(value, schema)
      elseif json.kind(value) == "array" then
        local items = json.array()
        for j, item in ipairs(value) do
          items[j] = item
          if type(item) == "string" then
            items[j] = cast(item, schema)
          end
        end
        value = items
      end
    end
    list[i] = { key, value }
  end
  return json.object(list)
end

return M
