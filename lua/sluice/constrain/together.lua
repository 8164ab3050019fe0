--- Simplifies schemas with combined keywords: most grammars have one way to express a value, and engines differ in how they treat two. An
-- enum keeps only values that the other keywords allow; the schemas of allOf are merged; alternatives include the keywords beside them;
-- a reference with other keywords is written out; several types get their own keywords each.
-- Combinations that cannot be merged stay; targets that cannot express them refuse them.

local core = require "sluice.core"
local schema = require "sluice.schema.types"
local tree = require "sluice.constrain.tree"
local validate = require "sluice.schema.validate"

local json = core.json
local M = {}

local DEPTH_MOST, STEPS_MOST = 64, 20000

local function set(text)
  local out = {}
  for word in text:gmatch "%S+" do
    out[word] = true
  end
  return out
end

-- The keywords that apply to values of one type only.
local numbers = set "multipleOf minimum maximum exclusiveMinimum exclusiveMaximum"
local of_type = {
  string = set "minLength maxLength pattern",
  number = numbers, integer = numbers,
  array = set "minItems maxItems uniqueItems prefixItems items contains minContains maxContains",
  object = set [[minProperties maxProperties required properties patternProperties additionalProperties propertyNames dependentRequired
    dependentSchemas]],
  boolean = {}, null = {},
}
local anywhere = set "type enum const $ref $defs definitions allOf anyOf oneOf not if then else nullable"

-- The keywords of all types; and for each type the keywords that do not apply to it.
local of_some_type, foreign = {}, {}
for name, own in pairs(of_type) do
  foreign[name] = {}
  for _, keys in pairs(of_type) do
    for key in pairs(keys) do
      of_some_type[key] = true
      foreign[name][key] = not own[key] or nil
    end
  end
end

-- True if the validation of arguments supports the keyword.
local function is_checked(key)
  return anywhere[key] or of_some_type[key]
end

--- says_of_one_type(key): true if the keyword applies to values of one type only.
function M.says_of_one_type(key)
  return of_some_type[key]
end

-- A copy of the schema without some keywords, and with others.
local function with(s, without, more)
  local list = {}
  for _, key in ipairs(json.keys(s)) do
    if not without[key] then
      list[#list + 1] = { key, s[key] }
    end
  end
  for _, pair in ipairs(more or {}) do
    list[#list + 1] = pair
  end
  return json.object(list)
end

local definitions = set "$defs definitions"
local just_type, just_enum, just_reference = { type = true }, { enum = true }, { ["$ref"] = true }
local type_or_null, type_and_enum = set "type nullable", set "type enum"

-- True if the schema has only these keywords (and definitions).
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

local function list_of(value)
  return type(value) == "table" and value or json.array { value }
end

-- ---- Merging two schemas --------------------------------------------------------------------

local function number_of(value)
  return json.number(value)
end

local function greater(a, b)
  return number_of(a) >= number_of(b) and a or b
end

local function less(a, b)
  return number_of(a) <= number_of(b) and a or b
end

local function same(a, b)
  if validate.same(a, b) then
    return a
  end
end

local function both(a, b)
  return json.object { { "allOf", json.array { a, b } } }
end

-- The types in both lists; integers are numbers.
local function types_in_both(a, b)
  local out, seen = json.array(), {}
  for _, x in ipairs(list_of(a)) do
    for _, y in ipairs(list_of(b)) do
      local found = (x == y or y == "number" and x == "integer") and x or x == "number" and y == "integer" and y
      if found and not seen[found] then
        seen[found] = true
        out[#out + 1] = found
      end
    end
  end
  return #out == 1 and out[1] or out
end

local function values_in_both(a, b)
  local out = json.array()
  for _, x in ipairs(a) do
    for _, y in ipairs(b) do
      if validate.same(x, y) then
        out[#out + 1] = x
        break
      end
    end
  end
  return out
end

local function joined(a, b)
  local out, seen = json.array(), {}
  for _, list in ipairs { a, b } do
    for _, item in ipairs(list) do
      if type(item) ~= "string" or not seen[item] then
        seen[item] = true
        out[#out + 1] = item
      end
    end
  end
  return out
end

local function members_of_both(a, b)
  local list = {}
  for _, key in ipairs(json.keys(a)) do
    list[#list + 1] = { key, b[key] == nil and a[key] or both(a[key], b[key]) }
  end
  for _, key in ipairs(json.keys(b)) do
    list[#list + 1] = a[key] == nil and { key, b[key] } or nil
  end
  return json.object(list)
end

-- Merges a keyword that both schemas have; nil if that is impossible.
local merged_by = {
  type = types_in_both, enum = values_in_both, required = joined, properties = members_of_both, items = both,
  additionalProperties = function(a, b)
    return a == true and b or b == true and a or both(a, b)
  end,
  ["$defs"] = function(a)
    return a
  end,
  definitions = function(a)
    return a
  end,
  ["$ref"] = same, const = same, pattern = same, multipleOf = same, uniqueItems = same,
  allOf = function(a, b)
    local out = json.array()
    for _, list in ipairs { a, b } do
      for _, item in ipairs(list) do
        out[#out + 1] = item
      end
    end
    return out
  end,
}
for key in pairs(set "minimum exclusiveMinimum minLength minItems minProperties") do
  merged_by[key] = greater
end
for key in pairs(set "maximum exclusiveMaximum maxLength maxItems maxProperties") do
  merged_by[key] = less
end

-- True if a's keywords for undeclared members apply to members that b declares.
local function concerns(a, b)
  if a.patternProperties ~= nil then
    return b.properties ~= nil or b.additionalProperties ~= nil
  elseif a.additionalProperties == nil or a.additionalProperties == true then
    return false
  end
  for _, key in ipairs(b.properties ~= nil and json.keys(b.properties) or {}) do
    if a.properties == nil or a.properties[key] == nil then
      return true
    end
  end
  return b.patternProperties ~= nil
end

local function empty(s)
  return s == true or (is_object(s) and only(s, {}))
end

-- One schema for the values that match both, or nil if that cannot be expressed.
local function merge(a, b)
  if a == false or b == false then
    return false
  elseif empty(a) then
    return b
  elseif empty(b) then
    return a
  elseif concerns(a, b) or concerns(b, a) or (a.prefixItems ~= nil and b.items ~= nil) or (b.prefixItems ~= nil and a.items ~= nil)
    or (a["if"] ~= nil and b["if"] ~= nil) or a.nullable ~= nil or b.nullable ~= nil then
    return nil
  end
  local list = {}
  for _, key in ipairs(json.keys(a)) do
    local value = a[key]
    if b[key] ~= nil then
      local by = merged_by[key]
      value = by and by(value, b[key])
      if value == nil then
        return nil
      end
    end
    list[#list + 1] = { key, value }
  end
  for _, key in ipairs(json.keys(b)) do
    list[#list + 1] = a[key] == nil and { key, b[key] } or nil
  end
  return json.object(list)
end

-- ---- One schema ----------------------------------------------------------------------------

local plain

-- The current state: references being written out, and the number of schemas visited.
local open, steps = {}, 0

-- plain(one), where `target` is a part of it: prevents endless recursion into references.
local function written_out(one, target, root, depth)
  open[target] = true
  local ok, found = pcall(plain, one, root, depth)
  open[target] = nil
  if not ok then
    error(found, 0)
  end
  return found
end

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

-- The values of an enum that the other keywords allow; false if there are none.
local function values(s, root)
  if s.type == "string" and only(s, type_and_enum) then -- as nearly all of them
    local strings = true
    for _, value in ipairs(s.enum or { false }) do
      strings = strings and type(value) == "string"
    end
    if strings then
      return json.object { { "enum", s.enum } }
    end
  end
  local list = M.fitting(s.enum ~= nil and s.enum or { s.const }, s, root)
  if #list == 0 then
    return false
  end
  local out = { { "enum", list } }
  for _, key in ipairs(json.keys(s)) do
    out[#out + 1] = not is_checked(key) and { key, s[key] } or nil
  end
  return json.object(out)
end

-- OpenAPI's `nullable`: null matches, whatever the other keywords say.
local function or_null(s, root, depth)
  local rest = with(s, { nullable = true })
  if s.nullable == false or s["$ref"] ~= nil then -- a reference also applies to null
    return plain(rest, root, depth)
  elseif type(s.type) ~= "nil" and only(s, type_or_null) then
    return with(rest, { type = true }, { { "type", joined(list_of(s.type), { "null" }) } })
  end
  local null = json.object { { "type", "null" } }
  return plain(json.object { { "anyOf", json.array { rest, null } } }, root, depth)
end

-- True if no two of the schemas share a type.
local function disjoint(list, root)
  local seen = {}
  for _, item in ipairs(list) do
    local mask = schema.mask_of(root, item)
    for _, bit in pairs(schema.bits) do
      if schema.allows(mask, bit) then
        if seen[bit] then
          return false
        end
        seen[bit] = item
      end
    end
  end
  return true
end

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

-- Alternatives that include the keywords beside them; nil if that is impossible.
local function alternatives(s, key, root, depth)
  local beside, list = with(s, { [key] = true, ["$defs"] = true, definitions = true }), json.array()
  for _, item in ipairs(s[key]) do
    local one = merge(beside, item)
    if one == nil and is_object(item) and item["$ref"] ~= nil then
      one = both(beside, item)
    elseif one == nil then
      return nil
    end
    one = plain(one, root, depth)
    if one ~= false then
      list[#list + 1] = one
    end
  end
  if #list <= 1 then
    return list[1] or false
  end
  return one_enum(list, key == "oneOf") or json.object { { key == "oneOf" and disjoint(list, root) and "anyOf" or key, list } }
end

local one_schema = set "items additionalProperties contains propertyNames not if then else"

local function requires(s, name)
  for _, key in ipairs(s.required ~= nil and s.required or {}) do
    if key == name then
      return true
    end
  end
  return false
end

-- The keywords that contain schemas.
local nests = set [[properties patternProperties dependentSchemas anyOf oneOf allOf prefixItems items additionalProperties contains
  propertyNames not if then else]]

-- Simplifies the schemas inside keywords; false if a required member matches no value.
local function inside(s, root, depth)
  local list, any = {}, false
  for _, key in ipairs(json.keys(s)) do
    any = any or nests[key]
  end
  if not any then
    return s
  end
  for _, key in ipairs(json.keys(s)) do
    local value = s[key]
    if key == "properties" or key == "patternProperties" or key == "dependentSchemas" then
      local members = {}
      for _, name in ipairs(json.keys(value)) do
        local one = plain(value[name], root, depth)
        -- a member that matches no value is dropped, unless it is required
        if one == false and key == "properties" and requires(s, name) then
          return false
        elseif one ~= false or key ~= "properties" or s.patternProperties ~= nil
          or s.additionalProperties ~= nil and s.additionalProperties ~= false then
          members[#members + 1] = { name, one }
        end
      end
      value = json.object(members)
    elseif key == "anyOf" or key == "oneOf" or key == "allOf" or key == "prefixItems" then
      local items = json.array()
      for i, item in ipairs(value) do
        items[i] = plain(item, root, depth)
      end
      value = items
    elseif one_schema[key] and not (key == "additionalProperties" and type(value) == "boolean") then
      value = plain(value, root, depth)
    end
    list[#list + 1] = { key, value }
  end
  return json.object(list)
end

local ranges = set "minimum maximum exclusiveMinimum exclusiveMaximum"

-- Rounds the bounds of whole numbers, and keeps one of each kind; false if no number is left.
local function whole_bounds(s)
  local least, most = -math.huge, math.huge
  least = math.max(least, s.minimum ~= nil and math.ceil(number_of(s.minimum)) or least,
    s.exclusiveMinimum ~= nil and math.floor(number_of(s.exclusiveMinimum)) + 1 or least)
  most = math.min(most, s.maximum ~= nil and math.floor(number_of(s.maximum)) or most,
    s.exclusiveMaximum ~= nil and math.ceil(number_of(s.exclusiveMaximum)) - 1 or most)
  if least > most then
    return false
  elseif math.max(math.abs(least == -math.huge and 0 or least), math.abs(most == math.huge and 0 or most)) >= 2 ^ 53 then
    return s
  end
  local more = {}
  more[#more + 1] = least > -math.huge and { "minimum", least } or nil
  more[#more + 1] = most < math.huge and { "maximum", most } or nil
  return with(s, ranges, more)
end

local counts = { { "minLength", "maxLength" }, { "minItems", "maxItems" }, { "minProperties", "maxProperties" }, { "minimum", "maximum" } }

-- True if two bounds exclude each other.
local function nothing_between(s)
  for _, pair in ipairs(counts) do
    if s[pair[1]] ~= nil and s[pair[2]] ~= nil and number_of(s[pair[1]]) > number_of(s[pair[2]]) then
      return true
    end
  end
  local least, most = s.exclusiveMinimum, s.exclusiveMaximum
  return least ~= nil and (s.maximum ~= nil and number_of(least) >= number_of(s.maximum)
    or most ~= nil and number_of(least) >= number_of(most))
    or most ~= nil and s.minimum ~= nil and number_of(s.minimum) >= number_of(most)
end

-- A schema of one type, without keywords that do not apply to it; false if it matches no value.
local function of_one_type(s, name)
  if only(s, just_type) then
    return s
  end
  local strange = foreign[name] or of_some_type
  local out, ranged = { { "type", name } }, false
  for _, key in ipairs(json.keys(s)) do
    if key ~= "type" and not strange[key] then
      out[#out + 1] = { key, s[key] }
      ranged = ranged or ranges[key]
    end
  end
  local one = json.object(out)
  if nothing_between(one) then
    return false
  end
  if ranged and name == "integer" then
    return whole_bounds(one)
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
    if not (name == "integer" and has.number) then
      local one = plain(of_one_type(s, name), root, depth)
      list[#list + 1] = one ~= false and one or nil
    end
  end
  if #list <= 1 then
    return list[1] or false
  end
  return json.object { { "anyOf", list } }
end

local function combined(s)
  return s.anyOf ~= nil or s.oneOf ~= nil or s.allOf ~= nil or s["not"] ~= nil or s["if"] ~= nil
end

function plain(s, root, depth)
  depth, steps = depth + 1, steps + 1
  if steps > STEPS_MOST then
    tree.refuse "a schema with too many alternatives"
  end
  if s == true then
    return json.object()
  elseif not is_object(s) or depth > DEPTH_MOST then
    return s
  elseif type(s.type) == "table" and #s.type == 0 then
    return false
  elseif s.nullable ~= nil then
    return or_null(s, root, depth)
  elseif s.enum ~= nil and only(s, just_enum) then
    return s
  elseif s.enum ~= nil or s.const ~= nil then
    return values(s, root)
  elseif s["$ref"] ~= nil and not only(s, just_reference) then
    local target = schema.follow(root, s["$ref"])
    if not is_object(target) or open[target] then
      return s
    end
    local one = merge(with(s, { ["$ref"] = true }), target)
    if one == nil then
      return s
    end
    return written_out(one, target, root, depth)
  elseif s.allOf ~= nil then
    local one = with(s, { allOf = true })
    local alone = only(one, {}) and #s.allOf == 1
    for _, item in ipairs(s.allOf) do
      local target = not alone and is_object(item) and item["$ref"] ~= nil and schema.follow(root, item["$ref"]) or nil
      if is_object(target) and open[target] then
        return inside(s, root, depth)
      elseif is_object(target) then
        local whole = merge(with(item, { ["$ref"] = true }), target)
        item = whole ~= nil and written_out(whole, target, root, depth) or whole == nil and item
      end
      one = merge(one, item)
      if one == nil then
        return inside(s, root, depth)
      end
    end
    return plain(one, root, depth)
  end
  for _, key in ipairs { "anyOf", "oneOf" } do
    if s[key] ~= nil then
      local one = alternatives(s, key, root, depth)
      if one == nil then
        one = inside(s, root, depth)
      end
      return one
    end
  end
  if type(s.type) == "table" and not only(s, just_type) and not combined(s) then
    return several_types(s, root, depth)
  elseif type(s.type) == "string" and not combined(s) then
    s = of_one_type(s, s.type)
  end
  return s and inside(s, root, depth)
end

--- plain(s, root): an equivalent schema with combined keywords simplified. `root`: the schema that its references point into.
-- false: it matches no value.
function M.plain(s, root)
  open, steps = {}, 0
  return plain(s, root, 0)
end

--- object(s, root): the same for a tool's parameters, which are always an object.
function M.object(s, root)
  local one = merge(json.object { { "type", "object" } }, s)
  if one == nil then
    one = json.object { { "allOf", json.array { s, json.object { { "type", "object" } } } } }
  end
  return M.plain(one, root)
end

M.only, M.with, M.set = only, with, set

return M
