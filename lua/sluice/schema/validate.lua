--- Arguments against a tool's schema: JSON Schema 2020-12 as far as tool definitions use it.
--
-- Claimed: type, enum, const, multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum, maxLength, minLength,
-- maxItems, minItems, uniqueItems, prefixItems, items, contains, minContains, maxContains, maxProperties,
-- minProperties, required, properties, additionalProperties, propertyNames, dependentRequired, dependentSchemas, allOf,
-- anyOf, oneOf, not, if/then/else, boolean schemas, and $ref to a JSON Pointer in the same document. `format`, `default` and
-- `content...` are annotations. `pattern` and `patternProperties` are not read: they need ECMAScript's regular
-- expressions.

local core = require "sluice.core"
local schema = require "sluice.schema.types"

local json = core.json
local M = {}

local DEPTH = 64

local function number_of(value)
  return tonumber(tostring(value))
end

local kind_of = json.kind

local function is_integer(value)
  local n = number_of(value)
  return n and n == math.floor(n)
end

-- Length in characters.
local function length(text)
  local _, continuation = text:gsub("[\128-\191]", "")
  return #text - continuation
end

--- same(a, b[, as_written]): are two JSON values the same? Numbers are compared by value, with `as_written` by their
-- digits: 1 and 1.0 differ. The order of keys does not count.
local function same(a, b, as_written)
  local kind = kind_of(a)
  if kind ~= kind_of(b) then
    return false
  elseif kind == "number" then
    return tostring(a) == tostring(b) or not as_written and number_of(a) == number_of(b)
  elseif kind == "array" then
    if #a ~= #b then
      return false
    end
    for i = 1, #a do
      if not same(a[i], b[i], as_written) then
        return false
      end
    end
    return true
  elseif kind == "object" then
    local keys = json.keys(a)
    if #keys ~= #json.keys(b) then
      return false
    end
    for _, key in ipairs(keys) do
      if b[key] == nil or not same(a[key], b[key], as_written) then
        return false
      end
    end
    return true
  end
  return a == b
end
M.same = same

local function pointer(path, key)
  return path .. "/" .. tostring(key):gsub("~", "~0"):gsub("/", "~1")
end

local function has_type(value, name)
  local kind = kind_of(value)
  if name == "integer" then
    return kind == "number" and is_integer(value)
  end
  return kind == name
end

local check

-- Does the value fit, quietly?
local function fits(root, s, value, depth)
  return check(root, s, value, "", depth) == nil
end

local function check_object(root, s, value, path, depth)
  local keys = json.keys(value)
  if s.minProperties and #keys < s.minProperties then
    return path, ("has %d members, fewer than %s"):format(#keys, s.minProperties)
  elseif s.maxProperties and #keys > s.maxProperties then
    return path, ("has %d members, more than %s"):format(#keys, s.maxProperties)
  end
  for _, key in ipairs(type(s.required) == "table" and s.required or {}) do
    if value[key] == nil then
      return path, ("lacks the required member '%s'"):format(key)
    end
  end
  local properties = type(s.properties) == "table" and s.properties or {}
  for _, key in ipairs(keys) do
    local below = pointer(path, key)
    if s.propertyNames ~= nil then
      local at, why = check(root, s.propertyNames, key, below, depth)
      if at then
        return at, "the name " .. why
      end
    end
    if properties[key] ~= nil then
      local at, why = check(root, properties[key], value[key], below, depth)
      if at then
        return at, why
      end
    elseif s.additionalProperties == false and s.patternProperties == nil then
      return below, "is not a declared parameter"
    elseif type(s.additionalProperties) == "table" and s.patternProperties == nil then
      local at, why = check(root, s.additionalProperties, value[key], below, depth)
      if at then
        return at, why
      end
    end
    local needs = type(s.dependentRequired) == "table" and s.dependentRequired[key]
    for _, other in ipairs(needs or {}) do
      if value[other] == nil then
        return path, ("has '%s' and lacks '%s', which that requires"):format(key, other)
      end
    end
    if type(s.dependentSchemas) == "table" and s.dependentSchemas[key] ~= nil then
      local at, why = check(root, s.dependentSchemas[key], value, path, depth)
      if at then
        return at, why
      end
    end
  end
end

local function check_array(root, s, value, path, depth)
  local n = #value
  if s.minItems and n < s.minItems then
    return path, ("has %d items, fewer than %s"):format(n, s.minItems)
  elseif s.maxItems and n > s.maxItems then
    return path, ("has %d items, more than %s"):format(n, s.maxItems)
  end
  local prefix = type(s.prefixItems) == "table" and s.prefixItems or {}
  for i = 1, n do
    local item_schema = prefix[i]
    if item_schema == nil then
      item_schema = s.items
    end
    if item_schema ~= nil then
      local at, why = check(root, item_schema, value[i], pointer(path, i - 1), depth)
      if at then
        return at, why
      end
    end
  end
  if s.uniqueItems == true then
    for i = 2, n do
      for k = 1, i - 1 do
        if same(value[i], value[k]) then
          return pointer(path, i - 1), "is the same as an item before it"
        end
      end
    end
  end
  if s.contains ~= nil then
    local count = 0
    for i = 1, n do
      if fits(root, s.contains, value[i], depth) then
        count = count + 1
      end
    end
    if count < (s.minContains or 1) then
      return path, "contains too few items of the kind that it must"
    elseif s.maxContains and count > s.maxContains then
      return path, "contains too many items of a kind"
    end
  end
end

local function check_number(s, value, path)
  local n = number_of(value)
  if s.multipleOf then
    local ratio = n / s.multipleOf
    if ratio ~= ratio or ratio == math.huge or ratio == -math.huge
      or math.abs(ratio - math.floor(ratio + 0.5)) > 1e-9 * math.max(1, math.abs(ratio)) then
      return path, ("is no multiple of %s"):format(s.multipleOf)
    end
  end
  if s.maximum and n > s.maximum then
    return path, ("is greater than %s"):format(s.maximum)
  elseif s.exclusiveMaximum and n >= s.exclusiveMaximum then
    return path, ("is not less than %s"):format(s.exclusiveMaximum)
  elseif s.minimum and n < s.minimum then
    return path, ("is less than %s"):format(s.minimum)
  elseif s.exclusiveMinimum and n <= s.exclusiveMinimum then
    return path, ("is not greater than %s"):format(s.exclusiveMinimum)
  end
end

local function check_string(s, value, path)
  if s.minLength and length(value) < s.minLength then
    return path, ("is shorter than %s characters"):format(s.minLength)
  elseif s.maxLength and length(value) > s.maxLength then
    return path, ("is longer than %s characters"):format(s.maxLength)
  end
end

local function check_combined(root, s, value, path, depth)
  for _, part in ipairs(type(s.allOf) == "table" and s.allOf or {}) do
    local at, why = check(root, part, value, path, depth)
    if at then
      return at, why
    end
  end
  for _, word in ipairs { "anyOf", "oneOf" } do
    if type(s[word]) == "table" then
      local count = 0
      for _, part in ipairs(s[word]) do
        if fits(root, part, value, depth) then
          count = count + 1
        end
      end
      if count == 0 then
        return path, ("fits none of the alternatives of %s"):format(word)
      elseif word == "oneOf" and count > 1 then
        return path, "fits more than one of the alternatives of oneOf"
      end
    end
  end
  if s["not"] ~= nil and fits(root, s["not"], value, depth) then
    return path, "is what it must not be"
  end
  if s["if"] ~= nil then
    local branch
    if fits(root, s["if"], value, depth) then
      branch = s["then"]
    else
      branch = s["else"]
    end
    if branch ~= nil then
      return check(root, branch, value, path, depth)
    end
  end
end

-- Where the value breaks the schema (a JSON Pointer), and how; nil where it does not.
function check(root, s, value, path, depth)
  if s == true or s == nil then
    return nil
  elseif s == false then
    return path, "may not stand here"
  elseif type(s) ~= "table" or depth > DEPTH then
    return nil
  end
  depth = depth + 1
  if type(s["$ref"]) == "string" then
    local target = schema.follow(root, s["$ref"])
    if target ~= nil then
      local at, why = check(root, target, value, path, depth)
      if at then
        return at, why
      end
    end
  end
  if s.nullable == true and kind_of(value) == "null" then
    return nil
  end
  local types = type(s.type) == "string" and { s.type } or s.type
  if type(types) == "table" then
    local good = false
    for _, name in ipairs(types) do
      good = good or has_type(value, name)
    end
    if not good then
      local kind = kind_of(value)
      return path, ("is %s %s, not %s"):format(kind:match "^[aeiou]" and "an" or "a", kind, table.concat(types, " or "))
    end
  end
  if type(s.enum) == "table" then
    local good = false
    for _, item in ipairs(s.enum) do
      good = good or same(item, value)
    end
    if not good then
      return path, "is none of the values of its enum"
    end
  end
  if s.const ~= nil and not same(s.const, value) then
    return path, "is not the constant that it must be"
  end
  local kind = kind_of(value)
  local at, why
  if kind == "object" then
    at, why = check_object(root, s, value, path, depth)
  elseif kind == "array" then
    at, why = check_array(root, s, value, path, depth)
  elseif kind == "number" then
    at, why = check_number(s, value, path)
  elseif kind == "string" then
    at, why = check_string(s, value, path)
  end
  if at then
    return at, why
  end
  return check_combined(root, s, value, path, depth)
end

--- check(schema, value[, root]) -> nil where the value fits; else a JSON Pointer to what breaks it ("" is the whole), and the
-- rest of a sentence that begins with it. `value` is as sluice.json.decode gives it; `root`: where $ref looks.
function M.check(s, value, root)
  return check(root or s, s, value, "", 0)
end

--- arguments(tool, text) -> nil, or a sentence that begins with the JSON Pointer.
function M.arguments(tool, text)
  if not tool.parameters then
    return nil
  end
  local value = json.decode(text, { exact = true })
  if value == nil then
    return nil
  end
  local at, why = M.check(tool.parameters, value)
  if at then
    return ("%s %s"):format(at == "" and "/" or at, why)
  end
end

return M
