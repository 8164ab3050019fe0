--- Reads tool definitions in every common form: OpenAI's, Anthropic's, MCP's, Gemini's, Bedrock's, and plain lists of functions. All hosts
-- use it. Anything else is refused with the tool's name, so that a tool never silently loses its parameters.

local core = require "sluice.core"
local lists = require "sluice.lists"
local nearest = require "sluice.nearest"
local schema = require "sluice.schema.types"

local json = core.json
local M = {}

local function object(value)
  return type(value) == "table" and json.kind(value) == "object" and value or nil
end

-- True for arrays; a Lua host's empty plain table is one too.
local function list(value)
  return type(value) == "table" and (json.kind(value) == "array" or next(value) == nil) and value or nil
end

-- Members under which an object may hold a list of tools: a request, MCP's result of tools/list, Gemini's declarations.
local wrappers = { "tools", "functions", "functionDeclarations", "function_declarations" }

-- The list in such an object, or nil.
local function wrapped(value)
  local config = object(value) and object(value.toolConfig)
  return object(value) and value.name == nil and lists.some(wrappers, function(key)
    return list(value[key])
  end) or config and list(config.tools)
end

local list_keywords = { "required", "enum", "examples", "anyOf", "oneOf", "allOf", "prefixItems" }

-- The schema with lists where a Lua host has an empty table for one.
local function with_lists(s)
  if not object(s) then
    return s
  end
  local out = schema.parts(s, with_lists)
  for _, key in ipairs(list_keywords) do
    local value = out[key]
    out[key] = type(value) == "table" and next(value) == nil and not getmetatable(value) and json.array() or value
  end
  return out
end

-- Members that hold a tool's parameters: OpenAI's and plain functions', Anthropic's, MCP's, Gemini's.
local schemas = { "parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema" }

local known = lists.set(schemas)

-- Other common names: a tool with one of these would lose its parameters.
local unsupported = { "properties", "schema", "params", "args", "arguments", "inputs", "input", "args_schema", "parameter_definitions",
  "json_schema", "function_schema" }

-- Members that may be schemas, but not of parameters.
local results = lists.set "outputSchema output_schema response returns"

-- Is it a schema of an object, or does it have one where a tool has its parameters?
local function has_parameters(value)
  return object(value) and (value.type == "object" or value.properties ~= nil or lists.some(schemas, function(key)
    return value[key] ~= nil and value[key] ~= json.null
  end))
end

-- True if both are schemas, and not equal.
local function differ(one, other)
  return one and other and not require("sluice.render").same(one, other)
end

-- The schema of a tool's parameters, or nil if it has none; false and a message if it cannot be found.
local function parameters_of(tool)
  local first, given, from
  for _, key in ipairs(schemas) do
    local found = key == "inputSchema" and object(tool[key]) and tool[key].json or tool[key] -- Bedrock's
    found = with_lists(list(found) and #found == 0 and json.object() or found) -- [] is written by hosts that turn {} into it
    local one = object(found) and schema.known_types(found)
    if differ(first, one) then
      return false, ("it has '%s' and '%s', which differ"):format(from, key)
    elseif one then
      first, given, from = first or one, given or found, from or key
    elseif found ~= nil and found ~= json.null and found ~= true then
      return false, ("its '%s' must be a JSON schema, which is an object"):format(key)
    end
  end
  if first then
    return first, given
  end
  local other = lists.some(unsupported, function(key)
    return tool[key] ~= nil and tool[key] ~= json.null and key
  end)
  for key, value in pairs(other and {} or tool) do
    local meant = type(key) == "string" and nearest(key, known)
    if meant and meant ~= key then
      return false, ("it has '%s'; the nearest is '%s'"):format(key, meant)
    end
    other = other or not results[key] and has_parameters(value) and key
  end
  if other then
    return false, ("it has '%s'; parameters are read from 'parameters' (OpenAI), 'input_schema' (Anthropic) or 'inputSchema' (MCP)")
      :format(other)
  end
end

-- Kinds of tools that have a name and parameters. Others are built into a server.
local plain_kinds = { ["function"] = true, custom = true }

-- One tool: { name, description, parameters, definition }, the last in OpenAI's form; or nil and a message.
local function tool_of(item, number)
  if not object(item) and not (type(item) == "table" and item.name) then
    return nil, ("tool %d is not an object"):format(number)
  end
  local inner = object(item["function"]) or object(item.toolSpec) or item
  if type(inner.name) ~= "string" or inner.name == "" then
    return nil, ("tool %d has no name"):format(number)
  end
  local function refuse(why)
    return nil, ("tool %d, '%s': %s"):format(number, inner.name, why)
  end
  local parameters, given = parameters_of(inner)
  if parameters ~= false and inner ~= item then
    local beside, why = parameters_of(item)
    if differ(parameters, beside) then
      parameters, given = false, "it has two different schemas: next to its name and outside of that object"
    elseif parameters == nil and beside ~= nil then
      parameters, given = false, beside and "its parameters stand beside the object with its name, not in it" or why
    end
  end
  local good, why = pcall(json.encode, { parameters or false })
  if parameters == false or not good then
    return refuse(good and given or why)
  elseif parameters == nil and inner == item and type(item.type) == "string" and not plain_kinds[item.type] then
    return refuse(("a tool of the type '%s' has no parameters"):format(item.type))
  end
  local description = type(inner.description) == "string" and inner.description or nil
  local definition = item
  if item["function"] == nil or (inner.parameters == nil and parameters) then
    definition = json.object { { "type", "function" }, { "function", json.object { { "name", inner.name },
      { "description", description }, { "parameters", parameters } } } }
  end
  return { name = inner.name, description = description, parameters = parameters, given = given, definition = definition }
end

--- tools.read(value): decoded tool definitions as { list, by_name, ... } (see schema.types.index); each { name, description, parameters,
-- definition }. Returns nil and a message if they are invalid.
function M.read(value)
  value = wrapped(value) or value
  if type(value) ~= "table" or not list(value) then
    return nil, "the tools are not an array"
  end
  local out = { list = {} }
  local function add(items)
    for _, item in ipairs(items) do
      local inner = wrapped(item) -- Gemini's tools are lists of declarations
      local tool, message
      if inner then
        tool, message = add(inner)
      else
        tool, message = tool_of(item, #out.list + 1)
        out.list[#out.list + 1] = tool
      end
      if not tool then
        return nil, message
      end
    end
    return true
  end
  local good, message = add(value)
  return good and schema.index(out), message
end

--- tools.read_text(text): the same from JSON text. For tools in OpenAI's form only their places in the text are recorded; grammars and
-- prompts decode what they need.
function M.read_text(text)
  local places = core.tools_places(text)
  if places then
    return schema.index { list = places }
  end
  local value, message = schema.decode(text)
  if value == nil or object(value) and next(value) == nil then -- {} is a list only as a table of Lua
    return nil, message or "the tools are not an array"
  end
  return M.read(value)
end

--- tools.notes(tools): what cannot be checked of the tools' schemas, and names given twice: a list of { tool, pointer, message }.
function M.notes(tools)
  local out, named = json.array(), {}
  local function note(tool, pointer, message)
    out[#out + 1] = json.object { { "tool", tool.name }, { "pointer", pointer }, { "message", message } }
  end
  for _, tool in ipairs(tools and tools.list or {}) do
    if named[tool.name] then
      note(tool, "", "an earlier tool has the same name: calls are checked against this one")
    end
    named[tool.name] = true
    local compiled, i = tool.compiled, 0
    while compiled do
      local pointer, message = compiled:note(i)
      if not pointer then
        break
      end
      note(tool, pointer, message)
      i = i + 1
    end
  end
  return out
end

return M
