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
  if json.kind(s) ~= "object" or depth > 64 then
    return s
  end
  for key, fits in pairs(shapes) do
    if s[key] ~= nil and not fits(s[key]) then
      refuse("an invalid schema ('%s' cannot be %s)", key, json.encode(s[key]):sub(1, 40))
    end
  end
  return together.parts(together.with(s, notation.notes), function(part)
    return bare(part, depth + 1)
  end)
end

-- Closes objects: they have only declared members, as calls do.
local function closed(s, depth)
  if json.kind(s) ~= "object" or depth > 64 then
    return s
  end
  for _, key in ipairs(s.properties ~= nil and s.required or {}) do
    if s.properties[key] == nil then
      refuse("a required member '%s' that is not declared", key)
    end
  end
  local open = s.properties == nil or s.additionalProperties ~= nil or s.patternProperties ~= nil
  return together.with(together.parts(s, function(part)
    return closed(part, depth + 1)
  end), {}, not open and { { "additionalProperties", false } } or nil)
end

local nothing = json.object { { "type", "object" }, { "properties", json.object() }, { "additionalProperties", false } }

-- The tool's parameters, simplified, with the definitions that they refer to.
local function parameters_of(tool)
  if tool.bare then
    return tool.bare
  end
  local root = tool.parameters and bare(tool.parameters, 0)
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
  tool.bare = closed(together.with(s, { ["$defs"] = true, definitions = true }, more), 0)
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

local function has_reference(s)
  local found = s["$ref"] ~= nil
  together.parts(s, function(part)
    found = found or json.kind(part) == "object" and has_reference(part)
    return part
  end)
  return found
end

-- A self-contained schema: with the definitions that it refers to.
local function alone(s, root)
  local more = {}
  for _, key in ipairs { "$defs", "definitions" } do
    more[#more + 1] = root[key] ~= nil and s[key] == nil and { key, root[key] } or nil
  end
  return s ~= root and json.kind(s) == "object" and has_reference(s) and together.with(s, {}, more) or s
end

M.parameters_of, M.members_of, M.has_reference, M.alone = parameters_of, members_of, has_reference, alone

return M
