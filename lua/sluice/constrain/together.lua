--- The schemas of tools, made plain for grammars: most have one way to express a value, and engines differ in how they treat two keywords
-- together. An enum keeps only the values that the other keywords allow; each of several types gets its own keywords; keywords without
-- effect go; objects that declare their members have no others. What is combined otherwise stays, and is refused by name.

local core = require "sluice.core"
local lists = require "sluice.lists"
local schema = require "sluice.schema.types"
local tree = require "sluice.constrain.tree"

local json = core.json
local refuse = tree.refuse
local M = {}

local DEPTH_MOST, FOLLOWED_MOST = 64, 32
local with, set, parts = schema.with, lists.set, schema.parts

-- Keywords that do not restrict values.
local notes = set [[description title default examples example $comment format deprecated readOnly writeOnly strict $schema $id optional]]

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
  of_some_type = lists.copy(of_some_type, keys)
end

local definitions = set "$defs definitions"

--- The first keyword that is none of these, and neither a definition nor one that restricts nothing; nil if there is none.
function M.other(s, keys)
  return lists.some(json.keys(s), function(key)
    return not (keys[key] or definitions[key] or notes[key]) and key
  end)
end

--- Refuses a schema with other keywords; of: "" or what has them.
function M.refuse_others(s, keys, of)
  local key = M.other(s, keys)
  if key then
    refuse("'%s'%s", key, of)
  end
end

local plain

--- fitting(list, s, root): the values of the list that match the schema.
function M.fitting(list, s, root)
  local compiled = core.schema(json.encode(json.object { { "properties", json.object { { "x", s } } }, { "$defs", root["$defs"] },
    { "definitions", root.definitions } }))
  return json.array(lists.map(list, function(value)
    if compiled:check(json.encode(json.object { { "x", value } })) == nil then
      return value
    end
  end))
end

-- True if no two of the schemas share a kind of value, as far as can be said.
local function disjoint(list, root)
  local seen = {}
  return not lists.some(list, function(item)
    local own = lists.set(lists.each(M.split(item, root), "kind"))
    own.integer = own.integer or own.number
    for kind in pairs(own) do
      if seen[kind] then
        return true
      end
      seen[kind] = true
    end
  end)
end

-- Alternatives, without those that match no value. If all are enums: one enum.
local function alternatives(s, key, root, depth)
  local values, seen = json.array(), {}
  local list = json.array(lists.map(s[key], function(item)
    return plain(item, root, depth) or nil
  end))
  for _, one in ipairs(list) do
    local given = json.kind(one) == "object" and (one.type == "null" and { json.null } or one.enum)
    for _, value in ipairs(values and given or {}) do
      local text = json.encode(value)
      values[#values + 1] = not seen[text] and value or nil
      seen[text] = true
    end
    values = given and values
  end
  local others = M.other(s, { [key] = true })
  if values and (others or #list > 1) then
    values = M.fitting(values, s, root)
    return #values > 0 and json.object { { "enum", values } }
  elseif others then
    refuse("'%s' with other keywords", key)
  elseif #list <= 1 then
    return list[1] or false
  elseif key == "oneOf" and not disjoint(list, root) then -- a value could match several
    refuse "'oneOf' with members of the same type"
  end
  return json.object { { "anyOf", list } }
end

--- Refuses required members that the schema does not declare.
function M.refuse_undeclared(s)
  for _, name in ipairs(type(s.required) == "table" and s.required or {}) do
    if type(s.properties) ~= "table" or s.properties[name] == nil then
      refuse("a required member '%s' that is not declared", name)
    end
  end
end

-- Makes the schemas inside keywords plain, and closes an object; false if a required member matches no value.
local function inside(s, root, depth)
  local required, none = set(type(s.required) == "table" and s.required or {}), false
  local out = parts(s, function(part, key, name)
    local one = plain(part, root, depth)
    if one == false and (key == "items" or key == "prefixItems") then
      refuse "a schema that no value matches"
    end
    none = none or one == false and key == "properties" and required[name]
    if one ~= false or key ~= "properties" or s.patternProperties ~= nil or (s.additionalProperties or false) ~= false then
      return one
    end -- else nobody can write it
  end)
  local open = s.properties == nil or s.additionalProperties ~= nil or s.patternProperties ~= nil
  if s.properties ~= nil and not none then
    M.refuse_undeclared(s)
  end
  return not none and with(out, {}, not open and { { "additionalProperties", false } } or nil)
end

local counts = { { "minLength", "maxLength" }, { "minItems", "maxItems" }, { "minProperties", "maxProperties" }, { "minimum", "maximum" } }

-- A schema of one type, without keywords that do not apply to it; false if two bounds exclude each other.
local function of_one_type(s, name)
  local one = json.object(lists.joined({ { "type", name } }, lists.map(json.keys(s), function(key)
    return key ~= "type" and (not of_some_type[key] or of_type[name] and of_type[name][key]) and { key, s[key] } or nil
  end)))
  return not lists.some(counts, function(pair)
    return one[pair[1]] ~= nil and one[pair[2]] ~= nil and json.number(one[pair[1]]) > json.number(one[pair[2]])
  end) and one
end

-- Refuses what is valid and means nothing.
local function refuse_meaningless(s)
  for _, pair in ipairs(counts) do
    for _, key in ipairs(pair[1] ~= "minimum" and pair or {}) do
      local n = s[key] ~= nil and json.number(s[key])
      if n and (n < 0 or n ~= math.floor(n)) then
        refuse("'%s' of %s", key, json.encode(s[key]))
      end
    end
  end
  if json.kind(s.items) == "array" then
    refuse "'items' as a list"
  end
end

-- Refuses combined keywords that no target can express. keys: those that must stand alone.
local function refuse_combined(s, keys)
  for _, key in ipairs(keys) do
    if s[key] ~= nil and M.other(s, { [key] = true }) then
      refuse("'%s' with other keywords", key)
    end
  end
  if s.allOf ~= nil and #s.allOf > 1 then
    refuse "'allOf' of several schemas"
  end
end

M.kinds = { "null", "boolean", "number", "object", "array", "string" }

function plain(s, root, depth)
  depth = depth + 1
  if s == true then
    return json.object()
  elseif json.kind(s) ~= "object" or depth > DEPTH_MOST then
    return s
  end
  s = with(s, notes)
  refuse_meaningless(s)
  if s.nullable ~= nil then -- OpenAPI's: null matches, whatever the other keywords say; a reference also applies to null
    local rest = with(s, { nullable = true })
    if s.nullable ~= false and s["$ref"] == nil then
      rest = json.object { { "anyOf", json.array { rest, json.object { { "type", "null" } } } } }
    end
    return plain(rest, root, depth)
  elseif s.enum ~= nil or s.const ~= nil then
    local list = M.fitting(s.enum ~= nil and s.enum or { s.const }, s, root)
    return #list > 0 and json.object { { "enum", list } }
  end
  refuse_combined(s, { "$ref" })
  for _, key in ipairs { "anyOf", "oneOf", "allOf" } do
    if s[key] ~= nil then
      return alternatives(s, key, root, depth)
    end
  end
  local types = s.type
  if types == nil and s.properties == nil and s.items == nil then
    types = lists.some(json.keys(s), function(key)
      return of_some_type[key] and M.kinds
    end)
  end
  if type(types) == "table" then -- alternatives, each with its own keywords
    local has = set(types)
    return alternatives({ anyOf = lists.map(types, function(name)
      return not (name == "integer" and has.number) and of_one_type(s, name) or nil
    end) }, "anyOf", root, depth)
  end
  types = types or s.properties ~= nil and "object" or s.items ~= nil and "array" or nil
  s = not types and s or of_one_type(s, types)
  return s and inside(s, root, depth)
end

--- split(s, root) -> a list of { kind, schema }, the values of one kind each: those of an enum, of a type, of alternatives, of what is
-- referred to. An integer that is no other number has a kind of its own.
function M.split(s, root, depth)
  depth = (depth or 0) + 1
  local out = {}
  local function add(kind, one)
    out[#out + 1] = one and { kind = kind, schema = one } or nil
  end
  if s == false then
    refuse "a schema that no value matches"
  elseif depth > FOLLOWED_MOST then
    refuse "a schema that refers to itself, as text"
  end
  s = json.kind(s) == "object" and s or json.object()
  refuse_combined(s, { "$ref", "anyOf", "oneOf", "allOf" })
  local given = s.enum or s.const ~= nil and { s.const } or {}
  local all, types = s.anyOf or s.oneOf or s.allOf, s.type or s.properties ~= nil and "object" or s.items ~= nil and "array" or M.kinds
  if s["$ref"] ~= nil then
    all = json.array { schema.follow(root, s["$ref"]) }
    if all[1] == nil then
      refuse("the unresolved reference '%s'", tostring(s["$ref"]))
    end
  elseif s["not"] ~= nil or s["if"] ~= nil then
    refuse("'%s'", s["not"] ~= nil and "not" or "if")
  elseif s.nullable == true then -- not yet plain
    add("null", json.object { { "type", "null" } })
  end
  for _, item in ipairs(all or {}) do
    out = lists.joined(out, M.split(item, root, depth))
  end
  local by_kind = {}
  for _, value in ipairs(given) do
    local kind = json.kind(value)
    kind = kind == "number" and json.number(value) % 1 == 0 and "integer" or kind
    if not by_kind[kind] then
      by_kind[kind] = json.array()
      add(kind, json.object { { "enum", by_kind[kind] } })
    end
    table.insert(by_kind[kind], value)
  end
  for _, kind in ipairs(not all and #given == 0 and (type(types) == "table" and types or { types }) or {}) do
    add(kind, s.type == kind and s or of_one_type(s, kind))
  end
  return out
end

--- The schemas of a split's parts as one.
function M.any_of(list)
  local all = json.array(lists.each(list, "schema"))
  return #all == 1 and all[1] or json.object { { "anyOf", all } }
end

--- The definitions as members of an object, each changed, if `change` is given.
function M.definitions_of(root, change)
  return lists.map({ "$defs", "definitions" }, function(key)
    return root[key] ~= nil and { key, json.object(lists.map(json.keys(root[key]), function(name)
      local one = root[key][name]
      return { name, change and (change(one) or refuse "a schema that no value matches") or one }
    end)) } or nil
  end)
end

local nothing = json.object { { "type", "object" }, { "properties", json.object() }, { "additionalProperties", false } }

--- The tool's parameters, made plain, with the definitions that they refer to.
function M.parameters_of(tool)
  if tool.bare then
    return tool.bare
  end
  local pointer, why = core.schema(json.encode(tool.parameters or nothing)):note(0)
  if pointer then -- no call for which it is reached is valid
    refuse("a schema that cannot be checked: '%s' %s", pointer, why)
  end
  local root = tool.parameters
  if not root or not M.other(root, {}) then
    tool.bare = nothing
    return tool.bare
  end
  local whole = plain(with(root, definitions), root, 0)
  local objects = lists.map(whole and M.split(whole, root) or {}, function(one)
    return one.kind == "object" and one or nil
  end)
  if #objects == 0 then
    refuse("the tool '%s': no object matches its parameters", tool.name)
  end
  tool.bare = with(plain(M.any_of(objects), root, 0), definitions, M.definitions_of(root, function(one)
    return plain(one, root, 0)
  end))
  return tool.bare
end

local of_members = set "type properties required additionalProperties"

--- The declared members of the tool's parameters, for forms that write them one by one. Refuses keywords that these cannot express.
function M.members_of(tool)
  local s = M.parameters_of(tool)
  M.refuse_others(s, of_members, " of parameters that are written one by one")
  M.refuse_undeclared(s)
  return schema.declared(s)
end

--- True if something in the schema refers to a definition.
function M.has_reference(s)
  local found = s["$ref"] ~= nil
  parts(s, function(part)
    found = found or json.kind(part) == "object" and M.has_reference(part)
    return part
  end)
  return found
end

--- A self-contained schema: with the definitions that it refers to.
function M.alone(s, root)
  return s ~= root and json.kind(s) == "object" and M.has_reference(s) and with(s, definitions, M.definitions_of(root)) or s
end

M.notes, M.definitions = notes, definitions

return M
