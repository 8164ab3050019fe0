--- Turns the words of a description into nodes of a tree. Used by sluice.constrain.grammar.

local core = require "sluice.core"
local gbnf = require "sluice.constrain.gbnf"
local notation = require "sluice.constrain.notation"
local writing = require "sluice.write.words"
local schema = require "sluice.schema.types"
local schema_text = require "sluice.constrain.schema_text"
local together = require "sluice.constrain.together"
local tree = require "sluice.constrain.tree"
local vocabulary = require "sluice.syntax"

local json = core.json
local parameters_of, has_reference, alone = schema_text.parameters_of, schema_text.has_reference, schema_text.alone
local lit, seq, alt, refuse = tree.lit, tree.seq, tree.alt, tree.refuse
local M = {}

-- A placeholder for the number of the call in rendered text.
local INDEX = 7654321
local digits = tree.term("DIGITS", "[0-9]{1,4}", "[0-9]{1,4}")

-- Text with that placeholder, as a node.
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

-- True if writing it can be refused for some values, so that the next alternative is tried.
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
      local text, following = part.text .. (node[i + 1].what == "key" and c.key or c.call.name), node[i + 2]
      i = i + 1
      if following and following.word == "literal" then
        text, i = text .. following.text, i + 1
      end
      out[#out + 1] = lit(text)
    else
      local following = part.word == "optional" and node[i + 1]
      local known = following and following.word == "literal" and setmetatable({ following = following.text }, { __index = c })
      out[#out + 1] = write(part, known or c)
    end
    i = i + 1
  end
  return seq(out)
end

-- A value as JSON: one node per schema.
local function as_json(s, c, name)
  local node = c.json_nodes[s]
  if not node then
    node = tree.json(alone(s, c.root), c.style, name)
    c.json_nodes[s] = node
  end
  return node
end

-- A schema that allows only values of this type.
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

-- The limits of a schema on strings: nil if any string is allowed, else { min, max, pattern }; and the values of an enum. Refuses
-- keywords that cannot be expressed for text.
local function strings_of(s, root, depth)
  if type(s) ~= "table" then
    return nil
  elseif depth > 32 then
    refuse "a schema that refers to itself, as text"
  elseif s["$ref"] ~= nil then
    if not together.only(s, { ["$ref"] = true }) then
      refuse "a reference with other keywords, as text"
    end
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
  if list and not together.only(s, { anyOf = s.anyOf, oneOf = not s.anyOf and s.oneOf, allOf = not (s.anyOf or s.oneOf) and s.allOf }) then
    refuse "alternatives with other keywords, as text"
  elseif list then
    if s.allOf and #list > 1 then
      refuse "'allOf' of several schemas"
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
      refuse "text with alternative limits"
    end
    return limits, #values > 0 and values or nil
  end
  if s.minLength or s.maxLength or s.pattern then
    return { min = s.minLength, max = s.maxLength, pattern = s.pattern }
  end
end

-- True if a string, written as bare text, would be read as a value of another allowed type.
local function is_another(text, mask)
  local value = json.decode(text)
  local kind = value ~= nil and json.kind(value)
  if kind == "number" then
    return schema.allows(mask, core.NUMBER) or schema.allows(mask, core.INTEGER)
  end
  return kind and kind ~= "string" and schema.allows(mask, bits[kind])
end

-- True if any number, boolean or null is allowed beside text, since text may be read as one. (For lists and objects beside text the
-- grammar is not exact: see docs/grammars.md.)
local function any_scalar(s, root, depth)
  if type(s) ~= "table" or depth > 32 then
    return true
  elseif s["$ref"] ~= nil then
    return any_scalar(schema.follow(root, s["$ref"]), root, depth + 1)
  end
  for _, item in ipairs(s.anyOf or s.oneOf or s.allOf or {}) do
    if not any_scalar(item, root, depth + 1) then
      return false
    end
  end
  for _, key in ipairs { "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum" } do
    if s[key] ~= nil then
      return false
    end
  end
  return true
end

-- A value as bare text: strings as they are, everything else as JSON. text: the node for strings on one line.
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
    for _, value in ipairs(given) do
      local written = type(value) == "string" and value or json.encode(value, c.style.item, c.style.key)
      if type(value) ~= "string" or not is_another(written, mask) then
        ways[#ways + 1] = lit(written)
      end
    end
    for _, item in ipairs(s.anyOf or s.oneOf or {}) do
      if not schema.allows(schema.mask_of(c.root, item), core.STRING) then
        ways[#ways + 1] = whole(item)
      end
    end
    return alt(ways)
  elseif limits and text then
    refuse "the length or pattern of a string on one line"
  elseif limits and mask ~= core.STRING then
    refuse "text with alternative limits"
  end
  if mask ~= core.STRING and not (any_scalar(s, c.root, 0)) then
    refuse "text beside numbers or other values of which only some are allowed"
  end
  return text or tree.raw(limits)
end

local attribute_text = tree.term("ATTRIBUTE", [=[[^"&<>\r\n]*]=], [=[[^"&<>\r\n]*]=])

-- A parameter's value as an attribute.
local function in_attribute(s, c, key)
  local mask = schema.mask_of(c.root, s)
  if schema.allows(mask, core.OBJECT) or schema.allows(mask, core.ARRAY) then
    refuse("a value of '%s' that is not text, in an attribute", key)
  end
  return as_text(s, setmetatable({ key = key }, { __index = c }), attribute_text, true)
end

-- Whole lines that do not begin with this character.
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

-- The schema of a parameter with a fixed key; nil if the tool does not have it. And true if it is required.
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

-- Words around parameters with fixed keys are optional if these are.
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
  for _, i in ipairs(writing.alternatives(node)) do
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

-- Raised if an alternative cannot carry values of this schema.
local function no_way()
  error({ no_way = true, refusal = "this value: no form carries it" }, 0)
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
      out[i] = counted(writing.attribute(pair, call, c.kind == "integer" and "number" or c.kind))
    end
  end
  return seq(out)
end

function words.header(node, c)
  local text, keys = writing.header(node, c.call)
  if not text then
    refuse("%s", keys or "the header")
  end
  return counted(text)
end
words.name_in_id = words.header

local spelt_out = { type = true, items = true, minItems = true, maxItems = true, properties = true, required = true,
  additionalProperties = true, ["$defs"] = true, definitions = true }

-- The items' schema of an array whose items are written one by one. Refuses keywords that such a list cannot express.
-- unknown: the schema of items without one.
local function items_spelt(s, c, unknown)
  for _, key in ipairs(json.keys(s)) do
    if not spelt_out[key] then
      refuse("'%s' of a list that is written item by item", key)
    end
  end
  local item = schema.items_of(c.root, s) or unknown
  if type(item) ~= "table" then
    refuse("an array whose items have no schema ('%s')", c.key)
  end
  return item
end

-- The elements of a value: each member or item as a parameter.
local function elements(s, c, mask, child)
  local loop, ways = c.loop, {}
  child = child or function(key, at)
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
    ways[#ways + 1] = s.maxItems ~= 0 and tree.rep(child(loop.nested, item), math.max(least, 1), s.maxItems) or nil
    if least == 0 then
      ways[#ways + 1] = lit "[]"
    end
  end
  return ways
end

-- The beginning of a text that is neither white space nor its end: an immediate end means that there is no text.
local function beginning(ends)
  local function class(list)
    return "[" .. list:gsub("[%]%^%-\\/]", "\\%0"):gsub("\n", "\\n") .. "]"
  end
  local c, second = ends:sub(1, 1), ends:sub(2, 2)
  local ways = { "[^" .. class(c):sub(2, -2) .. " \\t\\r\\n]", second ~= "" and class(c) or nil }
  local after = second ~= "" and "[^" .. class(second):sub(2, -2) .. "\\n]"
  return tree.term("BEGINNING", ("(%s%s)"):format(ways[1], after and "|" .. ways[2] .. after or ""),
    (("(%s%s)"):format(ways[1], after and " | " .. ways[2] .. " " .. after or ""):gsub("\\/", "/")))
end

function M.followed(s, c)
  while s["$ref"] ~= nil do
    s = schema.follow(c.root, s["$ref"])
    if type(s) ~= "table" then
      refuse "an unresolved reference"
    end
    c.depth = (c.depth or 0) + 1
    if c.depth > 32 then
      refuse "a schema that refers to itself, in elements"
    end
  end
  return s
end

function words.value(node, c)
  local s = c.schema
  if node.key then
    local properties = parameters_of(c.tool).properties
    s = type(properties) == "table" and properties[node.key] or json.object { { "type", "string" } }
    c.used[node.key] = true
  end
  local mask = schema.mask_of(c.root, s)
  if c.loop and (schema.allows(mask, core.OBJECT) or schema.allows(mask, core.ARRAY)) then
    if s.enum ~= nil then
      refuse("an 'enum' of lists or objects, in elements ('%s')", c.key)
    end
    s = M.followed(s, c)
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
      refuse("a schema of '%s', which is written line by line", node.key)
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
  local text = as_text(s, c)
  return text.kind == "raw" and node.present and c.following and seq { beginning(c.following), text } or text
end

function words.items(node, c)
  local mask = schema.mask_of(c.root, c.schema)
  if not schema.allows(mask, core.ARRAY) then
    no_way()
  end
  local item = items_spelt(c.schema, c, json.object { { "type", "string" } })
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
    refuse("a schema of '%s', which is written line by line", node.key)
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
    refuse("the field '%s' without a default", node.key)
  end
  return lit(node.default)
end

function words.member(node, c)
  return seq { lit(writing.member_opener(node, c.style)), sequence(node, c), lit "}" }
end

function words.parameters(node, c)
  local list = {}
  local typed, lists = has(node, "type"), has(node, "items") or node.nested
  for _, member in ipairs(schema_text.members_of(c.tool)) do
    local key = member.key
    if member.schema == false and member.required then
      refuse "a schema that no value matches"
    elseif not c.used[key] and member.schema ~= false then
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
        if schema.allows(schema.mask_of(c.root, item), core.ARRAY) and not together.only(item, {}) then -- an item could be the whole list
          refuse("a list of lists that is written item by item ('%s')", key)
        end
        local least = at.minItems or 0
        ways[1] = at.maxItems ~= 0 and tree.rep(one(item), math.max(least, 1), at.maxItems) or nil
        if least == 0 then
          ways[#ways + 1] = one(json.object { { "const", json.array() } })
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
    schema_text.members_of(c.tool)
    return tree.own(notation.kwargs(s, notation.python(writing.python), function(key)
      if not key:match "^[%a_][%w_]*$" then
        refuse("the parameter '%s', which is not a Python keyword", key)
      end
    end))
  elseif node.quote then
    return tree.own(notation.value(s, s, notation.quoted(node.quote, function(value)
      return writing.quoted(value, node.quote)
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
  local name_key, argument_key = writing.first_key(node.name, "name"), writing.first_key(node.arguments, "arguments")
  if argument_key == "*" then
    local flat = { { name_key, constant(c.call.name) } }
    required[1] = name_key
    for _, member in ipairs(schema_text.members_of(c.tool)) do
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
    local id_key = writing.first_key(node.id)
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
    return tree.own(notation.value(whole, whole, notation.python(writing.python)))
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

--- What a schema means for text: for constrain/values.lua.
M.values = { as_text = as_text, as_json = as_json, in_attribute = in_attribute, of_kind = of_kind, items_spelt = items_spelt, line = line,
  elements = elements, beginning = beginning, strings_of = strings_of, lines_without = lines_without, followed = M.followed, named = named, counted = counted }

M.write, M.sequence, M.has, M.lines_without, M.INDEX = write, sequence, has, lines_without, INDEX

return M
