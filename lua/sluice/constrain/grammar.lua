--- Tool definitions to a grammar that makes a model write the format: the same words, constrained instead of read.
--
-- The grammar says the form that `render` writes, with the tools' names as constants and every value typed by its
-- schema. What it cannot say is refused with a sentence.

local core = require "sluice.core"
local forms = require "sluice.forms"
local gbnf = require "sluice.constrain.gbnf"
local lark = require "sluice.constrain.lark"
local notation = require "sluice.constrain.notation"
local render = require "sluice.write.render"
local schema = require "sluice.schema.types"
local structural = require "sluice.constrain.structural"
local tree = require "sluice.constrain.tree"
local vocabulary = require "sluice.syntax"

local json = core.json
local lit, seq, alt, refuse = tree.lit, tree.seq, tree.alt, tree.refuse
local M = {}

-- ---- Schemas -------------------------------------------------------------------------------

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

-- ---- Words ---------------------------------------------------------------------------------

-- A number that stands for the number of the call, in what is rendered.
local INDEX = 7654321
local digits = tree.term("DIGITS", "[0-9]{1,4}", "[0-9]{1,4}")

-- Text with that number, as a node.
local function counted(text)
  local out = {}
  while true do
    local from, to = text:find "765432[01]"
    if not from then
      break
    end
    out[#out + 1] = lit(text:sub(1, from - 1))
    out[#out + 1] = digits
    text = text:sub(to + 1)
  end
  out[#out + 1] = lit(text)
  return seq(out)
end

local line = tree.term("LINE", [[[^ \t\r\n]([^\r\n]*[^ \t\r\n])?]], [=[[^ \t\r\n] ([^\r\n]* [^ \t\r\n])?]=])
local item_line = tree.term("ITEM", [=[[^ \t\r\n\]^-]([^\r\n]*[^ \t\r\n])?]=], [=[[^ \t\r\n\]^-] ([^\r\n]* [^ \t\r\n])?]=])
local header = tree.term("HEADER", [=[[^ \t\r\n\]]([^\r\n\]]*[^ \t\r\n\]])?]=], [=[[^ \t\r\n\]] ([^\r\n\]]* [^ \t\r\n\]])?]=])

local kinds = { "null", "boolean", "integer", "number", "object", "array", "string" }
local bits = { null = core.NULL, boolean = core.BOOLEAN, integer = core.INTEGER, number = core.NUMBER, object = core.OBJECT,
  array = core.ARRAY, string = core.STRING }

local function has(node, word)
  return vocabulary.find(node, word) ~= nil
end

-- Can writing it be refused for a value, so that the next alternative is tried?
local function may_refuse(node)
  return vocabulary.find(node, function(at)
    return at.word == "items" or (at.word == "value" and (at.inline or at.to_line_end or at.multiline_only))
  end) ~= nil
end

local write

local function sequence(node, c)
  local out, i = {}, 1
  while i <= #node do
    local part = node[i]
    if part.word == "literal" and node[i + 1] and node[i + 1].word == "backref" then -- together they end a text
      local text, behind = part.text .. (node[i + 1].what == "key" and c.key or c.call.name), node[i + 2]
      i = i + 1
      if behind and behind.word == "literal" then
        text, i = text .. behind.text, i + 1
      end
      out[#out + 1] = lit(text)
    else
      out[#out + 1] = write(part, c)
    end
    i = i + 1
  end
  return seq(out)
end

-- A value as JSON: one node a schema.
local function as_json(s, c, name)
  local node = c.json_nodes[s]
  if not node then
    node = tree.json(alone(s, c.root), c.style, name)
    c.json_nodes[s] = node
  end
  return node
end

-- A schema that allows values of this kind only.
local function of_kind(s, kind)
  if s.enum ~= nil then
    local values = json.array()
    for _, value in ipairs(s.enum) do
      local k = json.kind(value)
      if k == kind or (k == "number" and kind == "integer") then
        values[#values + 1] = value
      end
    end
    return json.object { { "type", kind }, { "enum", values } }
  end
  local list = { { "type", kind } }
  for _, key in ipairs(json.keys(s)) do
    if key ~= "type" then
      list[#list + 1] = { key, s[key] }
    end
  end
  return json.object(list)
end

-- What a schema asks of the strings that it allows: nil where any will do, else { min, max, pattern }; and the values of
-- an enum. Refuses what cannot be said of text.
local function strings_of(s, root, depth)
  if type(s) ~= "table" then
    return nil
  elseif depth > 32 then
    refuse "a schema that refers to itself, as text"
  elseif s["$ref"] ~= nil then
    return strings_of(schema.follow(root, s["$ref"]), root, depth + 1)
  end
  local given = s.enum or (s.const ~= nil and json.array { s.const })
  if given then
    return nil, given
  end
  for _, key in ipairs { "not", "if", "dependentSchemas" } do
    if s[key] ~= nil then
      refuse("'%s'", key)
    end
  end
  local list = s.anyOf or s.oneOf or s.allOf
  if list then
    if s.allOf and #list > 1 then
      refuse "'allOf' of several"
    end
    local limits, values, plain = nil, json.array(), false
    for _, item in ipairs(list) do
      if schema.allows(schema.mask_of(root, item), core.STRING) then
        local l, v = strings_of(item, root, depth + 1)
        limits, plain = l or limits, plain or not (l or v)
        for _, value in ipairs(v or {}) do
          values[#values + 1] = value
        end
      end
    end
    if plain then
      return nil
    elseif limits and #list > 1 then
      refuse "a text that is limited in one of several ways"
    end
    return limits, #values > 0 and values or nil
  end
  if s.minLength or s.maxLength or s.pattern then
    return { min = s.minLength, max = s.maxLength, pattern = s.pattern }
  end
end

-- A value as bare text: strings as they are, everything else as JSON. text: what a string on one line is.
local function as_text(s, c, text, one_line)
  local mask = schema.mask_of(c.root, s)
  local function whole(of)
    if one_line and (schema.allows(mask, core.OBJECT) or schema.allows(mask, core.ARRAY)) then
      return tree.own(notation.value(of, c.root, notation.json(c.style)))
    end
    return as_json(of, c, c.key)
  end
  local limits, given
  if schema.allows(mask, core.STRING) or s.enum or s.const ~= nil then
    limits, given = strings_of(s, c.root, 0)
  else
    return whole(s)
  end
  if given then
    local ways = {}
    for i, value in ipairs(given) do
      ways[i] = lit(type(value) == "string" and value or json.encode(value, c.style.item, c.style.key))
    end
    for _, item in ipairs(s.anyOf or s.oneOf or {}) do
      if not schema.allows(schema.mask_of(c.root, item), core.STRING) then
        ways[#ways + 1] = whole(item)
      end
    end
    return alt(ways)
  elseif limits and text then
    refuse "the length or pattern of a string that is one line"
  elseif limits and mask ~= core.STRING then
    refuse "a text that is limited in one of several ways"
  end
  return text or tree.raw(limits)
end

local attribute_text = tree.term("ATTRIBUTE", [=[[^"&<>\r\n]*]=], [=[[^"&<>\r\n]*]=])

-- A parameter's value as an attribute.
local function in_attribute(s, c, key)
  local mask = schema.mask_of(c.root, s)
  if schema.allows(mask, core.OBJECT) or schema.allows(mask, core.ARRAY) then
    refuse("a value of '%s' that is no text, in an attribute", key)
  end
  return as_text(s, setmetatable({ key = key }, { __index = c }), attribute_text, true)
end

-- Whole lines, none of which begins with this character.
local function lines_without(c)
  local escaped = c:gsub("[%]%^%-\\]", "\\%0")
  return tree.term("LINES", ("(([^\\n%s][^\\n]*)?\\n)*"):format(escaped),
    ("(([^\\n%s] [^\\n]*)? \"\\n\")*"):format(gbnf.class { c }))
end

local words = {}

function words.literal(node)
  return lit(node.text)
end

words.sequence, words.exact, words.calls = sequence, sequence, sequence

-- The schema of a parameter that the script names; nil where the tool has none of this name. And is it required?
local function named(key, c)
  local parameters = parameters_of(c.tool)
  local s = type(parameters.properties) == "table" and parameters.properties[key] or nil
  for _, name in ipairs(json.kind(parameters.required) == "array" and parameters.required or {}) do
    if name == key then
      return s, true
    end
  end
  return s, false
end

-- What holds parameters by name is written where the call has them.
local function wrapped(node, c)
  local holds = vocabulary.find(node, function(at)
    return at.key and (at.word == "value" or at.word == "block_text")
  end)
  local s
  local required = true
  if holds then
    s, required = named(holds.key, c)
    c.used[holds.key] = true
    if s == nil then
      return tree.empty
    end
  end
  local inside = sequence(node, c)
  return required and inside or tree.opt(inside)
end
words.recoverable = wrapped

function words.optional(node, c)
  return node.write == false and tree.empty or wrapped(node, c)
end

function words.pattern(node, c)
  return counted(type(node.text) == "function" and node.text(c.call) or node.text)
end

function words.any(node, c)
  local ways = {}
  for _, i in ipairs(render.alternatives(node)) do
    local ok, result = pcall(write, node[i], c)
    if ok then
      ways[#ways + 1] = result
      if not may_refuse(node[i]) then
        break
      end
    elseif type(result) ~= "table" or not result.no_way then
      error(result, 0)
    end
  end
  return alt(ways)
end

-- This alternative carries no value of this schema.
local function no_way()
  error({ no_way = true, refusal = "no form carries this value" }, 0)
end

function words.name(node, c)
  if node.is and node.is ~= c.call.name then
    error({ no_way = true, refusal = ("the tool '%s'"):format(c.call.name) }, 0)
  end
  return node.is and tree.empty or lit(c.call.name)
end

function words.key(_, c)
  return lit(c.key)
end

function words.backref(node, c)
  return lit(node.what == "key" and c.key or c.call.name)
end

local id_text = tree.term("ID", "[A-Za-z0-9_-]{1,64}", "[A-Za-z0-9_-]{1,64}")

function words.id()
  return id_text
end

function words.attributes(node, c)
  local out = {}
  local call = { name = c.call.name, index = INDEX, key = c.key }
  for i, pair in ipairs(node.list) do
    if pair[2].word == "value" then
      local s, required = named(pair[2].key, c)
      c.used[pair[2].key] = true
      local one = s ~= nil and seq { lit((' %s="'):format(pair[1])), in_attribute(s, c, pair[2].key), lit '"' } or tree.empty
      out[i] = (required or s == nil) and one or tree.opt(one)
    else
      out[i] = counted(render.attribute(pair, call, c.kind == "integer" and "number" or c.kind))
    end
  end
  return seq(out)
end

function words.header(node, c)
  local text, keys = node.render(c.call)
  if not text then
    refuse("%s", keys or "the header")
  end
  return counted(text)
end

local spelt_out = { type = true, items = true, minItems = true, maxItems = true, properties = true, required = true,
  additionalProperties = true, ["$defs"] = true, definitions = true }

-- The items' schema of an array whose items are written one by one; refuses what that cannot say.
local function items_spelt(s, c)
  for _, key in ipairs(json.keys(s)) do
    if not spelt_out[key] then
      refuse("'%s' of a list whose items are written one by one", key)
    end
  end
  local item = schema.items_of(c.root, s)
  if type(item) ~= "table" then
    refuse("an array whose items have no schema ('%s')", c.key)
  end
  return item
end

-- The elements of a value: members or items, each as a parameter.
local function elements(s, c, mask)
  local loop, ways = c.loop, {}
  local function child(key, at)
    local inner = setmetatable({ key = key, schema = at }, { __index = c })
    return sequence(loop, inner)
  end
  if schema.allows(mask, core.OBJECT) then
    for _, key in ipairs(json.keys(s)) do
      if not spelt_out[key] then
        refuse("'%s' of an object in elements", key)
      end
    end
    local members, list, all_optional = schema.declared(s), {}, true
    if #members == 0 or (s.additionalProperties ~= false and s.additionalProperties ~= nil) then
      refuse("an object whose members are not declared ('%s')", c.key)
    end
    for i, member in ipairs(members) do
      list[i] = { child(member.key, member.schema), member.required }
      all_optional = all_optional and not member.required
    end
    ways[#ways + 1] = tree.commas(list)
    if all_optional then
      ways[#ways + 1] = lit "{}"
    end
  end
  if schema.allows(mask, core.ARRAY) then
    local item = items_spelt(s, c)
    local least = s.minItems or 0
    ways[#ways + 1] = tree.rep(child(loop.nested, item), math.max(least, 1), s.maxItems)
    if least == 0 then
      ways[#ways + 1] = lit "[]"
    end
  end
  return ways
end

function words.value(node, c)
  local s = c.schema
  if node.key then
    local properties = parameters_of(c.tool).properties
    s = type(properties) == "table" and properties[node.key] or json.object { { "type", "string" } }
    c.used[node.key] = true
  end
  local mask = schema.mask_of(c.root, s)
  if c.loop and not s.enum and s.const == nil and (schema.allows(mask, core.OBJECT) or schema.allows(mask, core.ARRAY)) then
    while s["$ref"] ~= nil do
      s = schema.follow(c.root, s["$ref"])
      if type(s) ~= "table" then
        refuse "a reference that leads nowhere"
      end
      c.depth = (c.depth or 0) + 1
      if c.depth > 32 then
        refuse "a schema that refers to itself, in elements"
      end
    end
    local ways = elements(s, c, mask)
    for _, kind in ipairs(kinds) do
      if kind ~= "object" and kind ~= "array" and schema.allows(mask, bits[kind]) then
        ways[#ways + 1] = as_text(of_kind(s, kind), c)
      end
    end
    return alt(ways)
  end
  if node.lines then
    if strings_of(s, c.root, 0) or select(2, strings_of(s, c.root, 0)) or mask ~= core.STRING then
      refuse("a schema of '%s', whose lines are written one by one", node.key)
    end
    return lines_without(node.lines)
  end
  if node.multiline_only then
    if not schema.allows(mask, core.STRING) or s.enum then
      no_way()
    end
    return tree.raw()
  elseif node.inline then
    local text = as_text(s, c, header, true)
    if not node.after_name then
      return text
    end
    return alt { seq { lit " ", text }, tree.empty }
  elseif node.to_line_end then
    return as_text(s, c, s.minLength and s.minLength > 0 and line or tree.opt(line), true)
  end
  return as_text(s, c)
end

function words.items(node, c)
  local mask = schema.mask_of(c.root, c.schema)
  if not schema.allows(mask, core.ARRAY) or type(schema.items_of(c.root, c.schema)) ~= "table" then
    no_way()
  end
  local item = items_spelt(c.schema, c)
  local inner = setmetatable({ key = c.key }, { __index = c })
  local text = seq { lit(node.prefix or ""), as_text(item, inner, item_line, true), lit "\n" }
  return tree.rep(text, c.schema.minItems or 0, c.schema.maxItems)
end

local whole_line = tree.term("WHOLE", "[^\\r\\n]*", "[^\\r\\n]*")

function words.block_text(node, c)
  if not node.prefix then
    no_way()
  end
  local s = named(node.key, c)
  c.used[node.key] = true
  if s ~= nil and (strings_of(s, c.root, 0) or select(2, strings_of(s, c.root, 0)) or schema.mask_of(c.root, s) ~= core.STRING) then
    refuse("a schema of '%s', whose lines are written one by one", node.key)
  end
  return tree.rep(seq { lit(node.prefix), whole_line, lit "\n" }, 0)
end

function words.fence()
  return lit "```"
end

function words.carried()
  no_way()
end

function words.extra(node)
  if not node.default then
    refuse("what stands at '%s'", node.key)
  end
  return lit(node.default)
end

function words.member(node, c)
  return seq { lit(render.member_opener(node, c.style)), sequence(node, c), lit "}" }
end

function words.parameters(node, c)
  local list = {}
  local typed, lists = has(node, "type"), has(node, "items") or node.nested
  for _, member in ipairs(schema.declared(parameters_of(c.tool))) do
    local key = member.key
    if not c.used[key] then
      local at = type(member.schema) == "table" and member.schema or json.object()
      local function one(of, kind)
        local inner = setmetatable({ key = key, schema = of, kind = kind, loop = node.nested and node or nil }, { __index = c })
        return sequence(node, inner)
      end
      local mask, ways = schema.mask_of(c.root, at), {}
      local repeated = c.plan.syntax.repeated_is_array and not lists and schema.allows(mask, core.ARRAY)
      if typed then
        for _, kind in ipairs(kinds) do
          if schema.allows(mask, bits[kind]) and not (kind == "integer" and schema.allows(mask, core.NUMBER)) then
            ways[#ways + 1] = one(mask == bits[kind] and at or of_kind(at, kind), kind)
          end
        end
      elseif repeated then
        local item = items_spelt(at, setmetatable({ key = key }, { __index = c }))
        local least = at.minItems or 0
        ways[1] = tree.rep(one(item), math.max(least, 1), at.maxItems)
        if least == 0 then
          ways[2] = one(json.object { { "const", json.array() } })
        end
        for _, kind in ipairs(kinds) do
          if kind ~= "array" and schema.allows(mask, bits[kind]) then
            ways[#ways + 1] = one(of_kind(at, kind), kind)
          end
        end
      else
        ways[1] = one(at)
      end
      list[#list + 1] = { alt(ways), member.required }
    end
  end
  return tree.commas(list)
end

function words.arguments(node, c)
  local s = parameters_of(c.tool)
  if node.kwargs then
    return tree.own(notation.kwargs(s, notation.python(render.python), function(key)
      if not key:match "^[%a_][%w_]*$" then
        refuse("the parameter '%s', which is no keyword of Python", key)
      end
    end))
  elseif node.quote then
    return tree.own(notation.value(s, s, notation.quoted(node.quote, function(value)
      return render.quoted(value, node.quote)
    end)))
  end
  return as_json(s, c, "arguments_" .. c.call.name)
end

local function constant(value)
  return json.object { { "const", value } }
end

function words.object(node, c)
  local parameters = parameters_of(c.tool)
  local definitions, members, required = {}, {}, json.array()
  if has_reference(parameters) then
    local list = {}
    for _, key in ipairs(json.keys(parameters)) do
      if key == "$defs" or key == "definitions" then
        definitions[#definitions + 1] = { key, parameters[key] }
      else
        list[#list + 1] = { key, parameters[key] }
      end
    end
    parameters = json.object(list)
  end
  local name_key, argument_key = render.first_key(node.name, "name"), render.first_key(node.arguments, "arguments")
  if argument_key == "*" then
    local flat = { { name_key, constant(c.call.name) } }
    required[1] = name_key
    for _, member in ipairs(schema.declared(parameters)) do
      flat[#flat + 1] = { member.key, member.schema }
      required[#required + 1] = member.required and member.key or nil
    end
    members = flat
  elseif node.name_as_key then
    members, required[1] = { { c.call.name, parameters } }, c.call.name
  else
    local fields, always = { [name_key] = constant(c.call.name), [argument_key] = parameters },
      { [name_key] = true, [argument_key] = true }
    local order = node.order or { name_key, argument_key }
    local id_key = render.first_key(node.id)
    if id_key then
      fields[id_key] = json.object { { "type", "string" }, { "minLength", 1 } }
      always[id_key] = node.defaults and node.defaults[id_key] ~= nil
      if not node.order then
        order = { name_key, argument_key, id_key }
      end
    end
    for _, pair in ipairs(node.extra or {}) do
      local kind = node.required and node.required[pair[1]]
      fields[pair[1]] = kind and json.object { { "type", (kind:gsub("%?$", "")) } } or json.object()
      always[pair[1]] = node.defaults and node.defaults[pair[1]] ~= nil
    end
    for _, key in ipairs(order) do
      members[#members + 1] = { key, fields[key] }
      required[#required + 1] = always[key] and key or nil
    end
  end
  local list = { { "type", "object" }, { "properties", json.object(members) }, { "required", required },
    { "additionalProperties", false } }
  for _, pair in ipairs(definitions) do
    list[#list + 1] = pair
  end
  local whole = json.object(list)
  if node.python then
    return tree.own(notation.value(whole, whole, notation.python(render.python)))
  end
  return tree.json(whole, c.style, c.call.name)
end

function write(node, c)
  local word = words[node.word]
  if not word then
    refuse("the word '%s'", tostring(node.word))
  end
  return word(node, c)
end

-- ---- Blocks --------------------------------------------------------------------------------

local function context(plan, tool, json_nodes)
  local style = plan.syntax.json or {}
  return { plan = plan, tool = tool, root = parameters_of(tool), used = {}, json_nodes = json_nodes,
    call = { name = tool.name, index = INDEX, arguments = json.object(), used = {} },
    style = { item = style.item or ", ", key = style.key or ": " } }
end

-- The format writes certain parameters only: may a call of this tool be valid?
local function fits_form(plan, tool)
  local list = forms.of(plan.syntax)
  for _, form in ipairs(list or {}) do
    if not form.name or form.name == tool.name then
      for _, key in ipairs(parameters_of(tool).required or {}) do
        if not form.keys[key] then
          refuse("the parameter '%s' of '%s', for which it has no place", key, tool.name)
        end
      end
      return true
    end
  end
  return list == nil
end

local function one_of(node, plan, tools, json_nodes, part)
  local ways, why = {}, nil
  for _, tool in ipairs(tools) do
    local block = part == write and render.block_for(plan.syntax, tool.name) or node
    local ok, result
    if fits_form(plan, tool) then
      ok, result = pcall(part, block, context(plan, tool, json_nodes))
    else
      ok, result = false, { no_way = true, refusal = ("the tool '%s', which it has not"):format(tool.name) }
    end
    if ok then
      ways[#ways + 1] = result
    elseif type(result) == "table" and result.no_way then
      why = why or result
    else
      error(result, 0)
    end
  end
  if why and (#ways == 0 or why.refusal:find "^the tool") then
    error(why, 0)
  end
  return alt(ways)
end

local block

-- A block that holds several calls: what is around them stands once.
local function around(node, plan, tools, o)
  local function inner(at)
    return around(at, plan, tools, o)
  end
  if node.word == "calls" and not (node.separate_blocks or node.once) then
    local call = one_of(node, plan, tools, o.json_nodes, sequence)
    local between = node.between and write(node.between, context(plan, tools[1], o.json_nodes))
    return o.parallel and tree.rep(call, 1, nil, between or tree.empty) or call
  elseif node.word == "any" then
    return inner(render.written(node))
  elseif node.word == "member" then
    return seq { lit(render.member_opener(node, context(plan, tools[1], o.json_nodes).style)), inner(node[1]), lit "}" }
  elseif node.word == "section" then
    return seq { inner(node[1]), lit(node.close[1] .. (node.after or "")) }
  elseif node.word == "sequence" or node.word == "exact" or node.word == "recoverable"
    or (node.word == "optional" and node.write ~= false) then
    local out = {}
    for i = 1, #node do
      out[i] = inner(node[i])
    end
    return seq(out)
  end
  return write(node, context(plan, tools[1], o.json_nodes))
end

function block(plan, tools, o)
  local node = plan.syntax.blocks[1]
  if render.many(node) then
    return around(node, plan, tools, o), true
  end
  return one_of(node, plan, tools, o.json_nodes, write), false
end

-- The literals that a block begins with, whatever the tool; the first of them; and does it stand at the start of a line?
local function beginning(node)
  local texts, place = {}, nil
  local function walk(at)
    if at.word == "literal" then
      texts[#texts + 1] = at.text
      return true
    elseif at.word == "optional" and at.write == false then
      return true
    elseif at.word == "any" then
      return walk(render.written(at))
    elseif at.word == "header" or at.word == "pattern" then
      local text = at.word == "header" and at.render { name = "\1", index = 1 } or type(at.text) == "function"
        and at.text { name = "\1", index = 1 } or at.text
      texts[#texts + 1] = text and text:match "^[^\1]*" or nil
      return false
    elseif at.word == "sequence" or at.word == "exact" or at.word == "optional" or at.word == "recoverable" or at.word == "calls" then
      place = at.at or place
      for i = 1, #at do
        if not walk(at[i]) then
          return false
        end
      end
      return true
    elseif at.word == "section" then
      return walk(at[1])
    end
    return false
  end
  walk(node)
  return table.concat(texts), texts[1] or "", place
end

local function is_text(node)
  return has(node, "text") or has(node, "reasoning")
end

-- What tells a call from text, to a model that may write both; or a refusal.
local function trigger_of(plan)
  local blocks = plan.syntax.blocks
  local whole, first, place = beginning(blocks[1])
  local trigger = first:match "^(.-)%s*$"
  local frames = false
  for i = 2, #blocks do
    frames = frames or is_text(blocks[i])
  end
  if frames or trigger:match "^%w*$" then -- a word, or the frame of every message, says too little
    trigger = whole
  end
  if trigger == "" or trigger == "[" or trigger == "{" or place == "start" then
    refuse "text beside calls: nothing tells text from a call before it begins (ask for tool_choice \"required\")"
  end
  for i = 2, #blocks do
    if is_text(blocks[i]) and beginning(blocks[i]):sub(1, #trigger) == trigger then
      refuse "text beside calls: a message of text begins as a call does (ask for tool_choice \"required\")"
    end
  end
  return trigger, place == "line"
end

-- Takes the trigger off what a block begins with.
local function behind(node, trigger)
  local first = node.kind == "seq" and node[1] or node
  if first.kind ~= "lit" or first.text:sub(1, #trigger) ~= trigger then
    refuse "text beside calls: the block does not begin with its marker"
  end
  local out = { lit(first.text:sub(#trigger + 1)) }
  for i = 2, node.kind == "seq" and #node or 1 do
    out[i] = node[i]
  end
  return seq(out)
end

local rest = tree.term("ANYTHING", "(.|\\n)*", "[^\\x00]*")

-- Refuses what was asked for, not what the target lacks.
local function misuse(message, ...)
  error({ refusal = message:format(...), code = "bad_option" }, 0)
end

local known = { tool_choice = "string", parallel = "boolean", reasoning = "boolean", tokens = "any" }

local function settings(options)
  local o = { tool_choice = "auto", parallel = true, reasoning = false, tokens = "text" }
  for key, value in pairs(options or {}) do
    if not known[key] then
      misuse("there is no option '%s'; there is parallel, reasoning, tokens, tool_choice", tostring(key))
    elseif known[key] ~= "any" and type(value) ~= known[key] then
      misuse("the option '%s' is a %s", key, known[key])
    end
    o[key] = value
  end
  return o
end

-- Special tokens and how llguidance spells them.
local function special_tokens(plan, tokens)
  if tokens == "text" then
    return nil
  end
  local out = {}
  for _, token in ipairs(plan.syntax.special or {}) do
    local id = type(tokens) == "table" and tokens[token]
    if id then
      out[token] = ("<[%d]>"):format(id)
    elseif token:match "^<[^<>%s]+>$" then
      out[token] = token
    elseif tokens == "special" then
      refuse("the special token '%s', which has no <...> form: give its id, tokens = {[\"%s\"] = id}", token, token)
    end
  end
  return out
end

local targets = {
  lark = lark.write,
  gbnf = function(node)
    return gbnf.write(node, "root")
  end,
  ["structural-tag"] = structural.write,
}

--- The names of the targets, sorted.
M.targets = { "gbnf", "lark", "structural-tag" }

--- grammar(plan, tools, target[, options]) -> text; or nil, a sentence and a code. options: tool_choice ("auto",
-- "required" or a tool's name), parallel (false: one call), reasoning (true: it may stand before), tokens ("text",
-- "special", or a map from special tokens to their ids; lark only).
function M.grammar(plan, tools, target, options)
  local name = plan.syntax.name
  if not targets[target] then
    return nil, ("there is no target '%s'; there is %s"):format(tostring(target), table.concat(M.targets, ", ")), "bad_option"
  end
  local ok, result = pcall(function()
    local d = plan.syntax
    local o = settings(options)
    local list = tools and tools.list or {}
    if o.tool_choice ~= "auto" and o.tool_choice ~= "required" then
      list = { tools and tools.by_name[o.tool_choice] or misuse("there is no tool named %s", o.tool_choice) }
    end
    if #list == 0 then
      misuse "a grammar needs tools"
    elseif d.parse and not d.blocks[1] then
      refuse "a block that is read by hand"
    end
    o.json_nodes = {}
    o.parallel = o.parallel and not (d.max_calls and d.max_calls == 1)
    local calls, many = block(plan, list, o)
    local again = o.parallel and not many
    local body
    if o.tool_choice == "auto" then
      local trigger, at_line = trigger_of(plan)
      if at_line then
        local one = again and tree.rep(seq { calls, lit(d.between or "") }, 0) or tree.opt(seq { calls, rest })
        body = seq { lines_without(trigger:sub(1, 1)), one }
      else
        body = { kind = "free", trigger = trigger, again = again, behind(calls, trigger) }
      end
    else
      body = again and tree.rep(calls, 1, nil, lit(d.between or "")) or calls
    end
    if o.reasoning then
      local pair = plan.reasoning
      if not pair then
        refuse "reasoning, which the format has not"
      end
      body = seq { tree.opt { kind = "upto", open = pair.open, close = pair.close }, body }
    end
    return targets[target](body, target == "lark" and special_tokens(plan, o.tokens) or nil)
  end)
  if ok then
    return result
  elseif type(result) == "table" and result.code then
    return nil, result.refusal, result.code
  elseif type(result) == "table" and result.refusal then
    return nil, ("%s, %s: it cannot say %s"):format(name, target, result.refusal), "unsupported"
  end
  error(result, 0)
end

return M
