--- Prepares schemas for grammars: refuses those that cannot be checked, drops keywords without effect, and adds the definitions that they
-- refer to.

local core = require "sluice.core"
local notation = require "sluice.constrain.notation"
local together = require "sluice.constrain.together"
local schema = require "sluice.schema.types"
local tree = require "sluice.constrain.tree"

local json = core.json
local refuse = tree.refuse
local M = {}

local counts = { "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties" }

-- A schema without keywords that constrain nothing. Refuses what is valid and means nothing.
local function bare(s, depth)
  if json.kind(s) ~= "object" or depth > 64 then
    return s
  end
  for _, key in ipairs(counts) do
    local n = s[key] ~= nil and json.number(s[key])
    if n and (n < 0 or n ~= math.floor(n)) then
      refuse("'%s' of %s", key, json.encode(s[key]))
    end
  end
  if json.kind(s.items) == "array" then
    refuse "'items' as a list"
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
  local pointer, why = nil, nil
  if tool.parameters then
    pointer, why = core.schema(json.encode(tool.parameters)):note(0)
  end
  if pointer then -- no call for which it is reached is valid
    refuse("a schema that cannot be checked: '%s' %s", pointer, why)
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
