--- Reads a tool's JSON schema: the types that a parameter's value may have.

local core = require "sluice.core"
local lists = require "sluice.lists"

local json = core.json
local M = {}

--- The bits of the types by their names.
M.bits = { null = core.NULL, integer = core.INTEGER, number = core.NUMBER + core.INTEGER, boolean = core.BOOLEAN,
  object = core.OBJECT, array = core.ARRAY, string = core.STRING }
local ANY = core.ANY_TYPE

--- The schema at which a `$ref` points: a JSON Pointer into the tool's parameters.
function M.follow(root, ref)
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
  local required = lists.set(type(s.required) == "table" and s.required or {})
  return lists.map(type(s.properties) == "table" and json.keys(s.properties) or {}, function(key)
    return { key = key, schema = s.properties[key], required = required[key] or false }
  end)
end

--- The declared parameters of a tool, or nil.
function M.properties_of(tool)
  local properties = tool and type(tool.parameters) == "table" and tool.parameters.properties
  return type(properties) == "table" and properties or nil
end

--- The declared name of an array parameter that a text calls by its singular; nil if that is its name.
function M.plural(tool, key)
  local properties = M.properties_of(tool)
  if properties and properties[key] == nil then
    return lists.some({ key .. "s", key .. "es", (key:gsub("y$", "ies")) }, function(name)
      return properties[name] ~= nil and lists.has(M.types(tool, name, "json"), core.ARRAY) and name
    end)
  end
end

--- The masks of a value without a schema: see `types`.
M.undeclared = { json = ANY, any_json = ANY + core.QUOTED_STRING, string = core.STRING }

--- types(tool, key, rule): the mask of the types that a parameter's value may have; and that of the items if it can be an array but not a
-- string. Without a schema the syntax decides: "json", "any_json" or "string".
function M.types(tool, key, rule)
  local mask, array
  if tool and tool.compiled then
    mask, array = tool.compiled:types(key)
  end
  return mask or M.undeclared[rule], array
end

-- Parts of a tool that are made on first use: `compiled`, its schema in the core; `parameters` and `definition`, decoded.
-- Tools read from JSON text store where in the text these are.
local made = {}
local lazy = {
  __index = function(tool, key)
    tool[key] = made[key] and made[key](tool)
    return rawget(tool, key)
  end,
}

--- decode(text): decodes tool definitions from JSON text, with all digits of numbers that a Lua number would change; or nil and a message.
function M.decode(text)
  local value = json.decode(text)
  if value == nil then -- cJSON says where the text ends, and accepts what is nearly JSON
    return core.tools_json(text)
  end
  return value
end

--- A copy of the schema without some keywords, and with others.
function M.with(s, without, more)
  return json.object(lists.joined(lists.map(json.keys(s), function(key)
    return not without[key] and { key, s[key] } or nil
  end), more or {}))
end

-- The keywords that contain schemas: by name, in a list, one.
local named = lists.set "properties patternProperties dependentSchemas $defs definitions"
local listed = lists.set "anyOf oneOf allOf prefixItems"
local one_schema = lists.set "items additionalProperties contains propertyNames not if then else"

--- parts(s, change): the schema with each schema in its keywords replaced by change(part, keyword, name or place in a list); nil: without
-- it.
function M.parts(s, change)
  return json.object(lists.map(json.keys(s), function(key)
    local value = s[key]
    local kind = json.kind(value)
    if named[key] and kind == "object" then
      local out = json.object(lists.map(json.keys(value), function(name)
        local one = change(value[name], key, name)
        return one ~= nil and { name, one } or nil
      end))
      return { key, (getmetatable(value) or {}).order and out or setmetatable(out, nil) } -- a host's table has no order
    elseif listed[key] and kind == "array" then
      return { key, json.array(lists.map(value, function(item, place)
        return change(item, key, place - 1)
      end)) }
    end
    return { key, one_schema[key] and kind == "object" and change(value, key) or value }
  end))
end

--- known_types(s): a tool's schema with JSON Schema's type names in place of other common ones ("OBJECT", "dict", "float"). Unknown
-- types are left out.
function M.known_types(s)
  if json.kind(s) ~= "object" then
    return s
  end
  local given, other = type(s.type) == "table" and s.type or { s.type }, false
  local names = json.array(lists.map(given, function(name)
    local one = type(name) == "string" and core.schema_type(name) or nil
    other = other or one ~= name and (type(name) == "string" or given == s.type)
    return one
  end))
  if #names < #given then
    names = nil
  elseif given ~= s.type then
    names = s.nullable == true and json.array { names[1], "null" } or names[1] -- Gemini's
  end
  local out = M.parts(s, M.known_types)
  return not other and out or json.object(lists.map(json.keys(out), function(key)
    return key ~= "type" and { key, out[key] } or names ~= nil and { key, names } or nil
  end))
end

-- The JSON text of a part of a tool; nil if it was not read from text, or lacks the part.
local function text_of(tool, name)
  local first = rawget(tool, name .. "_first")
  return first and tool.text:sub(first, rawget(tool, name .. "_last"))
end

function made.definition(tool)
  local text = text_of(tool, "definition")
  return text and M.decode(text)
end

function made.parameters(tool)
  local text = text_of(tool, "parameters")
  return text and M.known_types(M.decode(text))
end

function made.compiled(tool) -- with the types that are not known, which are noted
  local text = text_of(tool, "parameters") or tool.parameters and json.encode(tool.given or tool.parameters)
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

return M
