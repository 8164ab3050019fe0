--- Schemas as grammars need them: what is no schema refused or left out, references that go with them.

local core = require "sluice.core"
local notation = require "sluice.constrain.notation"
local tree = require "sluice.constrain.tree"

local json = core.json
local refuse = tree.refuse
local M = {}

local function is_schema(s)
  return type(s) == "boolean" or json.kind(s) == "object"
end

local function each(s, kind, fits)
  if json.kind(s) ~= kind then
    return false
  end
  for _, key in ipairs(kind == "array" and s or json.keys(s)) do
    if not fits(kind == "array" and key or s[key]) then
      return false
    end
  end
  return kind == "object" or #s > 0
end

local function is_string(value)
  return type(value) == "string"
end

local function is_number(value)
  return type(value) == "number"
end

local function is_count(value)
  return type(value) == "number" and value >= 0 and value == math.floor(value)
end

local function schemas(value)
  return each(value, "array", is_schema)
end

local function named_schemas(value)
  return each(value, "object", is_schema)
end

-- What keywords must hold; a schema that breaks it says nothing that could be constrained.
local shapes = {
  type = function(value)
    return is_string(value) or each(value, "array", is_string)
  end,
  required = function(value)
    return json.kind(value) == "array" and (#value == 0 or each(value, "array", is_string))
  end,
  enum = function(value)
    return json.kind(value) == "array" and #value > 0
  end,
  properties = named_schemas, patternProperties = named_schemas, ["$defs"] = named_schemas, definitions = named_schemas,
  anyOf = schemas, oneOf = schemas, allOf = schemas, items = is_schema, additionalProperties = is_schema, ["$ref"] = is_string,
  pattern = is_string, minLength = is_count, maxLength = is_count, minItems = is_count, maxItems = is_count,
  minProperties = is_count, maxProperties = is_count, minimum = is_number, maximum = is_number, exclusiveMinimum = is_number,
  exclusiveMaximum = is_number, multipleOf = is_number, prefixItems = schemas,
  nullable = function(value)
    return type(value) == "boolean"
  end,
}

-- A schema without what constrains nothing; objects hold what they declare and nothing else, as a call does.
local function bare(s, depth)
  depth = depth or 0
  if type(s) ~= "table" or depth > 64 then
    return s
  elseif json.kind(s) == "array" then
    local out = json.array()
    for i, item in ipairs(s) do
      out[i] = bare(item, depth + 1)
    end
    return out
  end
  local pairs_ = {}
  for _, key in ipairs(json.keys(s)) do
    local value = s[key]
    if shapes[key] and not shapes[key](value) then
      refuse("a schema that is none ('%s' cannot be %s)", key, json.encode(value):sub(1, 40))
    elseif shapes[key] == named_schemas then
      local list = {}
      for i, name in ipairs(json.keys(value)) do
        list[i] = { name, bare(value[name], depth + 1) }
      end
      pairs_[#pairs_ + 1] = { key, json.object(list) }
    elseif s.nullable == true and key == "type" and type(value) == "string" then -- as OpenAPI says it
      pairs_[#pairs_ + 1] = { key, json.array { value, "null" } }
    elseif s.nullable == true and key == "enum" then
      local values = json.array { json.null }
      for _, item in ipairs(value) do
        values[#values + 1] = item
      end
      pairs_[#pairs_ + 1] = { key, values }
    elseif key == "enum" or key == "const" or key == "required" then
      pairs_[#pairs_ + 1] = { key, value }
    elseif key ~= "nullable" and not notation.notes[key] then
      pairs_[#pairs_ + 1] = { key, bare(value, depth + 1) }
    end
  end
  for _, key in ipairs(s.properties ~= nil and s.required or {}) do
    if s.properties[key] == nil then
      refuse("a required member '%s' that is not declared", key)
    end
  end
  if type(s.properties) == "table" and s.additionalProperties == nil and s.patternProperties == nil then
    pairs_[#pairs_ + 1] = { "additionalProperties", false }
  end
  return json.object(pairs_)
end

local nothing = json.object { { "type", "object" }, { "properties", json.object() }, { "additionalProperties", false } }

-- The tool's parameters, bare.
local function parameters_of(tool)
  if not tool.bare then
    tool.bare = tool.parameters and bare(tool.parameters) or nothing
    if tool.bare.type == nil and tool.bare.properties == nil then
      tool.bare = nothing
    end
  end
  return tool.bare
end

local function has_reference(s, depth)
  depth = depth or 0
  if type(s) ~= "table" or depth > 64 then
    return false
  elseif json.kind(s) == "object" and s["$ref"] ~= nil then
    return true
  end
  for _, key in ipairs(json.kind(s) == "object" and json.keys(s) or s) do
    if has_reference(json.kind(s) == "object" and s[key] or key, depth + 1) then
      return true
    end
  end
  return false
end

-- A schema that stands by itself: with the definitions that it refers to.
local function alone(s, root)
  if s == root or not has_reference(s) then
    return s
  end
  local list = {}
  for _, key in ipairs(json.keys(s)) do
    list[#list + 1] = { key, s[key] }
  end
  for _, key in ipairs { "$defs", "definitions" } do
    if root[key] ~= nil and s[key] == nil then
      list[#list + 1] = { key, root[key] }
    end
  end
  return json.object(list)
end

M.parameters_of, M.has_reference, M.alone = parameters_of, has_reference, alone

return M
