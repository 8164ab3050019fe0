--- Makes schemas plain: most grammars have one way to express a value, and engines differ in how they treat two keywords together. An
-- enum keeps only the values that the other keywords allow; each of several types gets its own keywords. What is combined otherwise
-- stays, and is refused by name.

local core = require "sluice.core"
local schema = require "sluice.schema.types"
local validate = require "sluice.schema.validate"

local json = core.json
local M = {}

local DEPTH_MOST = 64
local with, set = schema.with, schema.set

-- The keywords that apply to values of one type only.
local of_type = {
  string = set "minLength maxLength pattern",
  number = set "multipleOf minimum maximum exclusiveMinimum exclusiveMaximum",
  array = set "minItems maxItems uniqueItems prefixItems items contains minContains maxContains",
  object = set [[minProperties maxProperties required properties patternProperties additionalProperties propertyNames dependentRequired
    dependentSchemas]],
  boolean = {}, null = {},
}
of_type.integer = of_type.number

local of_some_type = {}
for _, keys in pairs(of_type) do
  for key in pairs(keys) do
    of_some_type[key] = true
  end
end

--- says_of_one_type(key): true if the keyword applies to values of one type only.
function M.says_of_one_type(key)
  return of_some_type[key]
end

local definitions = set "$defs definitions"

--- True if the schema has only these keywords (and definitions).
local function only(s, keys)
  for _, key in ipairs(json.keys(s)) do
    if not keys[key] and not definitions[key] then
      return false
    end
  end
  return true
end

local function is_object(s)
  return type(s) == "table" and json.kind(s) == "object"
end

local plain

--- fitting(list, s, root): the values of the list that match the schema.
function M.fitting(list, s, root)
  local out, own = json.array(), { { "properties", json.object { { "x", s } } } }
  for key in pairs(definitions) do
    own[#own + 1] = root[key] ~= nil and { key, root[key] } or nil
  end
  local compiled = core.schema(json.encode(json.object(own)))
  for _, value in ipairs(list) do
    if compiled:check(json.encode(json.object { { "x", value } })) == nil then
      out[#out + 1] = value
    end
  end
  return out
end

--- disjoint(list, root): true if no two of the schemas share a type.
function M.disjoint(list, root)
  local seen = {}
  for _, item in ipairs(list) do
    local mask = schema.mask_of(root, item)
    for _, bit in pairs(schema.bits) do
      if schema.allows(mask, bit) and seen[bit] then
        return false
      end
      seen[bit] = seen[bit] or schema.allows(mask, bit)
    end
  end
  return true
end

local just_type, just_enum = { type = true }, { enum = true }

-- Alternatives that are all enums, as one enum; else nil. once: drops values that several have.
local function one_enum(list, once)
  local out, count = json.array(), {}
  for _, item in ipairs(list) do
    local null = is_object(item) and item.type == "null" and only(item, just_type) and { json.null }
    local given = null or is_object(item) and only(item, just_enum) and item.enum
    if not given then
      return nil
    end
    for _, value in ipairs(given) do
      local at
      for i, other in ipairs(out) do
        at = at or validate.same(value, other) and i or nil
      end
      at = at or #out + 1
      out[at], count[at] = value, (count[at] or 0) + 1
    end
  end
  local kept = json.array()
  for i, value in ipairs(out) do
    kept[#kept + 1] = (not once or count[i] == 1) and value or nil
  end
  return #kept > 0 and json.object { { "enum", kept } } or nil
end

-- Alternatives, without those that match no value.
local function alternatives(s, key, root, depth)
  local list = json.array()
  for _, item in ipairs(s[key]) do
    local one = plain(item, root, depth)
    list[#list + 1] = one ~= false and one or nil
  end
  if #list <= 1 then
    return list[1] or false
  end
  return one_enum(list, key == "oneOf") or json.object { { key == "oneOf" and M.disjoint(list, root) and "anyOf" or key, list } }
end

-- Makes the schemas inside keywords plain; false if a required member matches no value.
local function inside(s, root, depth)
  local required, none = {}, false
  for _, name in ipairs(s.required ~= nil and s.required or {}) do
    required[name] = true
  end
  local out = schema.parts(s, function(part, key, name)
    local one = plain(part, root, depth)
    none = none or one == false and key == "properties" and required[name]
    if one ~= false or key ~= "properties" or s.patternProperties ~= nil or (s.additionalProperties or false) ~= false then
      return one
    end -- else nobody can write it
  end)
  return not none and out
end

local counts = { { "minLength", "maxLength" }, { "minItems", "maxItems" }, { "minProperties", "maxProperties" }, { "minimum", "maximum" } }

-- A schema of one type, without keywords that do not apply to it; false if two bounds exclude each other.
local function of_one_type(s, name)
  local out = { { "type", name } }
  for _, key in ipairs(json.keys(s)) do
    out[#out + 1] = key ~= "type" and (not of_some_type[key] or of_type[name] and of_type[name][key]) and { key, s[key] } or nil
  end
  local one = json.object(out)
  for _, pair in ipairs(counts) do
    if one[pair[1]] ~= nil and one[pair[2]] ~= nil and json.number(one[pair[1]]) > json.number(one[pair[2]]) then
      return false
    end
  end
  return one
end

-- Several types as alternatives, each with its own keywords.
local function several_types(s, root, depth)
  local has, list = {}, json.array()
  for _, name in ipairs(s.type) do
    has[name] = true
  end
  for _, name in ipairs(s.type) do
    local one = not (name == "integer" and has.number) and plain(of_one_type(s, name), root, depth)
    list[#list + 1] = one or nil
  end
  if #list <= 1 then
    return list[1] or false
  end
  return json.object { { "anyOf", list } }
end

function plain(s, root, depth)
  depth = depth + 1
  if s == true then
    return json.object()
  elseif not is_object(s) or depth > DEPTH_MOST then
    return s
  elseif s.nullable ~= nil then -- OpenAPI's: null matches, whatever the other keywords say; a reference also applies to null
    local rest = with(s, { nullable = true })
    if s.nullable ~= false and s["$ref"] == nil then
      rest = json.object { { "anyOf", json.array { rest, json.object { { "type", "null" } } } } }
    end
    return plain(rest, root, depth)
  elseif s.enum ~= nil or s.const ~= nil then
    local list = M.fitting(s.enum ~= nil and s.enum or { s.const }, s, root)
    return #list > 0 and json.object { { "enum", list } }
  elseif s.allOf ~= nil and #s.allOf == 1 and only(s, { allOf = true }) then
    return plain(s.allOf[1], root, depth)
  end
  for _, key in ipairs { "anyOf", "oneOf" } do
    if s[key] ~= nil and only(s, { [key] = true }) then
      return alternatives(s, key, root, depth)
    end
  end
  if not (s.anyOf ~= nil or s.oneOf ~= nil or s.allOf ~= nil or s["$ref"] ~= nil or s["not"] ~= nil or s["if"] ~= nil) then
    if type(s.type) == "table" and not only(s, just_type) or type(s.type) == "table" and #s.type == 0 then
      return several_types(s, root, depth)
    elseif type(s.type) == "string" then
      s = of_one_type(s, s.type)
    end
  end
  return s and inside(s, root, depth)
end

--- plain(s, root): an equivalent schema with combined keywords simplified. `root`: the schema that its references point into.
-- false: it matches no value.
function M.plain(s, root)
  return plain(s, root, 0)
end

--- object(s, root): the same for a tool's parameters, which are always an object.
function M.object(s, root)
  local one = M.plain(s, root)
  while is_object(one) and one["$ref"] ~= nil and only(one, { ["$ref"] = true }) do
    one = M.plain(schema.follow(root, one["$ref"]), root)
  end
  if not is_object(one) then
    return one
  elseif one.anyOf ~= nil or one.oneOf ~= nil then
    local key, list = one.anyOf ~= nil and "anyOf" or "oneOf", json.array()
    for _, item in ipairs(one[key]) do
      list[#list + 1] = schema.allows(schema.mask_of(root, item), core.OBJECT) and item or nil
    end
    return #list > 1 and with(one, { [key] = true }, { { key, list } }) or list[1] or false
  end
  return schema.allows(schema.mask_of(root, one), core.OBJECT) and of_one_type(one, "object")
end

M.only, M.with, M.set, M.parts = only, with, set, schema.parts

return M
