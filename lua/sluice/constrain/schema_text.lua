--- Prepares schemas for grammars: refuses invalid ones, drops keywords without effect, and adds the definitions that they refer to.

local core = require "sluice.core"
local notation = require "sluice.constrain.notation"
local together = require "sluice.constrain.together"
local schema = require "sluice.schema.types"
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
  return json.kind(value) == "number" -- may have more digits than a Lua number
end

local function is_count(value)
  local n = is_number(value) and json.number(value)
  return n and n >= 0 and n == math.floor(n)
end

local function schemas(value)
  return each(value, "array", is_schema)
end

local function named_schemas(value)
  return each(value, "object", is_schema)
end

-- The values that keywords must have; other schemas cannot be expressed.
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

-- A schema without keywords that constrain nothing.
local function bare(s, depth)
  depth = depth or 0
  local kind = json.kind(s)
  if depth > 64 or kind ~= "object" and kind ~= "array" then
    return s
  elseif kind == "array" then
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
      refuse("an invalid schema ('%s' cannot be %s)", key, json.encode(value):sub(1, 40))
    elseif shapes[key] == named_schemas then
      local list = {}
      for i, name in ipairs(json.keys(value)) do
        list[i] = { name, bare(value[name], depth + 1) }
      end
      pairs_[#pairs_ + 1] = { key, json.object(list) }
    elseif key == "enum" or key == "const" or key == "required" then
      pairs_[#pairs_ + 1] = { key, value }
    elseif not notation.notes[key] then
      pairs_[#pairs_ + 1] = { key, bare(value, depth + 1) }
    end
  end
  return json.object(pairs_)
end

-- True if a schema contains no other schema.
local function is_flat(s)
  for _, key in ipairs(json.keys(s)) do
    local value = s[key]
    if type(value) == "table" and key ~= "enum" and key ~= "type" then
      return false
    end
  end
  return true
end

-- Closes objects: they have only declared members, as calls do.
local function closed(s, depth)
  depth = depth or 0
  local kind = json.kind(s)
  if depth > 64 or kind ~= "object" and kind ~= "array" or kind == "object" and is_flat(s) then
    return s
  elseif kind == "array" then
    local out = json.array()
    for i, item in ipairs(s) do
      out[i] = closed(item, depth + 1)
    end
    return out
  end
  local pairs_ = {}
  for i, key in ipairs(json.keys(s)) do
    local value = s[key]
    if shapes[key] == named_schemas then
      local list = {}
      for k, name in ipairs(json.keys(value)) do
        list[k] = { name, closed(value[name], depth + 1) }
      end
      value = json.object(list)
    elseif key ~= "enum" and key ~= "const" and key ~= "required" then
      value = closed(value, depth + 1)
    end
    pairs_[i] = { key, value }
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

-- The tool's parameters, simplified, with the definitions that they refer to.
local function parameters_of(tool)
  if tool.bare then
    return tool.bare
  end
  local root = tool.parameters and bare(tool.parameters)
  if not root or together.only(root, {}) then
    tool.bare = nothing
    return tool.bare
  end
  local s = together.object(together.with(root, { ["$defs"] = true, definitions = true }), root)
  if not s then
    refuse("the tool '%s': no object matches its parameters", tool.name)
  end
  local more = {}
  for _, key in ipairs { "$defs", "definitions" } do
    local list = {}
    for i, name in ipairs(root[key] ~= nil and json.keys(root[key]) or {}) do
      list[i] = { name, together.plain(root[key][name], root) }
    end
    more[#more + 1] = root[key] ~= nil and { key, json.object(list) } or nil
  end
  tool.bare = closed(together.with(s, { ["$defs"] = true, definitions = true }, more))
  return tool.bare
end

local of_members = { type = true, properties = true, required = true, additionalProperties = true }

-- The declared members of the tool's parameters, for forms that write them one by one. Refuses keywords that these cannot express.
local function members_of(tool)
  local s = parameters_of(tool)
  for _, key in ipairs(json.keys(s)) do
    if not of_members[key] and key ~= "$defs" and key ~= "definitions" then
      refuse("'%s' of parameters that are written one by one", key)
    end
  end
  for _, key in ipairs(s.required or {}) do
    if s.properties == nil or s.properties[key] == nil then
      refuse("a required member '%s' that is not declared", key)
    end
  end
  return schema.declared(s)
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

-- A self-contained schema: with the definitions that it refers to.
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

M.parameters_of, M.members_of, M.has_reference, M.alone = parameters_of, members_of, has_reference, alone

return M
