--- Reads a tool's JSON schema: the types that a parameter's value may have.

local core = require "sluice.core"

local M = {}

local bits = { null = core.NULL, integer = core.INTEGER, number = core.NUMBER + core.INTEGER, boolean = core.BOOLEAN,
  object = core.OBJECT, array = core.ARRAY, string = core.STRING }
local ANY = core.ANY_TYPE

local function has(mask, bit)
  return mask % (bit * 2) >= bit
end

-- The schema at which a `$ref` points: a JSON Pointer into the tool's parameters.
local function follow(root, ref)
  if type(ref) ~= "string" or ref:sub(1, 1) ~= "#" then
    return nil
  end
  local at = root
  for token in ref:sub(2):gmatch "/([^/]*)" do
    token = token:gsub("%%(%x%x)", function(h)
      return string.char(tonumber(h, 16))
    end):gsub("~1", "/"):gsub("~0", "~")
    if type(at) ~= "table" then
      return nil
    end
    at = at[token] or at[tonumber(token) and tonumber(token) + 1 or token]
  end
  return at
end

--- The members that an object's schema declares, in its order: a list of { key, schema, required }.
function M.declared(s)
  local required, out = {}, {}
  for _, key in ipairs(type(s.required) == "table" and s.required or {}) do
    required[key] = true
  end
  for i, key in ipairs(type(s.properties) == "table" and core.json.keys(s.properties) or {}) do
    out[i] = { key = key, schema = s.properties[key], required = required[key] or false }
  end
  return out
end

-- The declared parameters of a tool, or nil.
local function properties_of(tool)
  local properties = tool and type(tool.parameters) == "table" and tool.parameters.properties
  return type(properties) == "table" and properties or nil
end

--- True if the tool declares this parameter (or, with `plural`, an array with its plural as name).
function M.declares(tool, key, plural)
  local properties = properties_of(tool)
  return not properties or properties[plural and M.plural(tool, key) or key] ~= nil
end

--- The tool's parameters in the order of their definition; nil if the order is unknown.
function M.ordered_parameters(tool)
  local properties, of = properties_of(tool), tool and tool.parameters
  if not properties then
    return nil
  end
  local names = core.json.keys(properties)
  if #names > 1 and not (getmetatable(properties) or {}).order then -- a host's plain table: only its lists have an order
    return type(of.required) == "table" and #of.required == #names and of.required or nil
  end
  return names
end

--- The declared name of an array parameter that a text calls by its singular.
function M.plural(tool, key)
  local properties = properties_of(tool)
  if not properties or properties[key] ~= nil then
    return key
  end
  for _, name in ipairs { key .. "s", key .. "es", (key:gsub("y$", "ies")) } do
    if properties[name] ~= nil and has(M.types(tool, name, "json").mask, core.ARRAY) then
      return name
    end
  end
  return key
end

--- single(tool, key): the parameter for a value without a name: `key` if the tool declares it, else the tool's only parameter, else `key`.
function M.single(tool, key)
  local properties = properties_of(tool)
  if not properties or properties[key] ~= nil then
    return key
  end
  local declared = M.declared(tool.parameters)
  return #declared == 1 and declared[1].key or key
end

local undeclared = {
  json = { mask = ANY, declared = false },
  any_json = { mask = ANY + core.QUOTED_STRING, declared = false },
  string = { mask = core.STRING, declared = false },
}

--- The types that a parameter's value may have: { mask, declared, array = mask of the items if it can be an array but not a
-- string, else nil }. Without a schema the syntax decides: "json", "any_json" or "string".
function M.types(tool, key, rule)
  if not tool then
    return undeclared[rule]
  end
  local cache = tool.types
  if not cache then
    cache = {}
    tool.types = cache
  end
  local found = cache[key]
  if found == nil then
    local mask, array
    if tool.compiled then
      mask, array = tool.compiled:types(key)
    end
    found = mask and { mask = mask, declared = true, array = array } or false
    if found then -- names that a response invents are not cached
      cache[key] = found
    end
  end
  return found or undeclared[rule]
end

-- Parts of a tool that are made on first use: `compiled`, its schema in the core; `parameters` and `definition`, decoded.
-- Tools read from JSON text store where in the text these are.
local parts = {}
local lazy = {
  __index = function(tool, key)
    local part = parts[key]
    local value = part and part(tool)
    if value ~= nil then
      tool[key] = value
    end
    return value
  end,
}

--- decode(text): decodes tool definitions from JSON text, with all digits of numbers that a Lua number would change; or nil and a message.
function M.decode(text)
  local value = core.json.decode(text)
  if value == nil then -- cJSON says where the text ends, and accepts what is nearly JSON
    return core.tools_json(text)
  end
  return value
end

--- set(text): the words of a text, each true.
function M.set(text)
  local out = {}
  for word in text:gmatch "%S+" do
    out[word] = true
  end
  return out
end

--- A copy of the schema without some keywords, and with others.
function M.with(s, without, more)
  local list = {}
  for _, key in ipairs(core.json.keys(s)) do
    list[#list + 1] = not without[key] and { key, s[key] } or nil
  end
  for _, pair in ipairs(more or {}) do
    list[#list + 1] = pair
  end
  return core.json.object(list)
end

-- The keywords that contain schemas: by name, in a list, one.
local named = M.set "properties patternProperties dependentSchemas $defs definitions"
local listed, one_schema = M.set "anyOf oneOf allOf prefixItems", M.set "items additionalProperties contains propertyNames not if then else"

--- parts(s, change): the schema with each schema in its keywords replaced by change(part, keyword, name or place in a list); nil: without
-- it.
function M.parts(s, change)
  local list = {}
  for i, key in ipairs(core.json.keys(s)) do
    local value = s[key]
    local kind = core.json.kind(value)
    if named[key] and kind == "object" then
      local members = {}
      for _, name in ipairs(core.json.keys(value)) do
        local one = change(value[name], key, name)
        members[#members + 1] = one ~= nil and { name, one } or nil
      end
      value = core.json.object(members)
    elseif listed[key] and kind == "array" then
      local items = core.json.array()
      for place, item in ipairs(value) do
        items[#items + 1] = change(item, key, place - 1)
      end
      value = items
    elseif one_schema[key] and kind == "object" then
      value = change(value, key)
    end
    list[i] = { key, value }
  end
  return core.json.object(list)
end

-- The type or types under JSON Schema's names, nil if one is unknown; and true if that differs from what was given.
local function known_type(given)
  if type(given) == "string" then
    local known = core.schema_type(given)
    return known, known ~= given
  end
  local out, other = core.json.array(), false
  for i, name in ipairs(type(given) == "table" and given or {}) do
    local known = type(name) == "string" and core.schema_type(name) or nil
    if not known then
      return nil, true
    end
    out[i], other = known, other or known ~= name
  end
  return other and out or given, other
end

--- known_types(s): a tool's schema with JSON Schema's type names in place of other common ones ("OBJECT", "dict", "float"). Unknown
-- types are left out. Also returns true if the result differs from `s`; without such names it is `s` itself.
function M.known_types(s)
  local changed = false
  local function known(at)
    if core.json.kind(at) ~= "object" then
      return at
    end
    local out = M.parts(at, known)
    local name, other = known_type(at.type)
    if at.type == nil or not other then
      return out
    end
    changed = true
    if at.nullable == true and type(name) == "string" then -- Gemini's
      name = core.json.array { name, "null" }
    end
    local list = {}
    for _, key in ipairs(core.json.keys(out)) do
      list[#list + 1] = key ~= "type" and { key, out[key] } or name ~= nil and { key, name } or nil
    end
    return core.json.object(list)
  end
  local out = known(s)
  return changed and out or s, changed
end

local function decoded(name)
  return function(tool)
    local first = rawget(tool, name .. "_first")
    return first and M.decode(tool.text:sub(first, rawget(tool, name .. "_last")))
  end
end
parts.definition = decoded "definition"

local parameters = decoded "parameters"
function parts.parameters(tool)
  return (M.known_types(parameters(tool)))
end

function parts.compiled(tool)
  local first = rawget(tool, "parameters_first")
  local text
  if first then
    text = tool.text:sub(first, rawget(tool, "parameters_last"))
  elseif tool.parameters then
    text = core.json.encode(tool.given or tool.parameters) -- with the types that are not known, which are noted
  end
  return text and core.schema(text) or false
end

--- Adds an index by name to { list } of tools; returns it.
function M.index(tools)
  local names = {}
  tools.by_name = {}
  for i, tool in ipairs(tools.list) do
    names[i], tools.by_name[tool.name] = tool.name, setmetatable(tool, lazy)
  end
  tools.names = core.tool_names(names)
  return tools
end

--- The mask of a value without a schema.
function M.mask_undeclared(rule)
  return undeclared[rule].mask
end

--- The mask of a type by its name: all types for an unknown name, and for "json", which means that the text is JSON.
function M.mask_named(name)
  return bits[name] or (name == "json" and ANY + core.QUOTED_STRING + core.SAID_JSON) or ANY
end

M.follow, M.bits = follow, bits

return M
