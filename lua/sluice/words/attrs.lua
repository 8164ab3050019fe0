--- attrs { name = s.name(), path = s.value { key = "path" }, ... }: attributes of a tag, quoted or not, in any order. docs/vocabulary.md
-- says what each holds. Of `type`, the tool's schema wins for strings.
-- entities: for two scripts, bolt and dyad, as of value: in attributes dyad alone decodes them.

local check = require "sluice.check"
local core = require "sluice.core"
local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local schema = require "sluice.schema.types"
local tree = require "sluice.constrain.tree"
local values = require "sluice.constrain.values"
local word = require "sluice.word"

local json = core.json

local attrs = word.leaf("attrs", { entities = check.flag, type = function(value)
  local good = type(value) == "table" and type(value[1]) == "string" and (value[2] == nil or type(value[2]) == "table")
  for spelling, name in pairs(good and value[2] or {}) do
    good = good and type(spelling) == "string" and (name == "json" or schema.bits[name] ~= nil)
  end
  return not good and 'must be { "attribute", { spelling = a type of JSON Schema, or "json" } }; an attribute '
    .. 'of this name is written { { "type", s.name() } }' or nil
end })
attrs.header = true

local allowed = lists.set "name key id value match"

function attrs.build(class, given)
  if type(given) ~= "table" or word.is_node(given) then
    word.fail(class, "expected attributes: { name = s.name() }")
  end
  local out = { names = {}, entities = given.entities, typed = given.type }
  local function add(attribute, node, item)
    if type(attribute) ~= "string" or attribute == "" then
      word.fail(class, 'expected { "attribute", s.name() }', item)
    elseif not word.is_node(node) or not allowed[node.word] or node.word == "value" and not node.key or node.word == "match" and node.gives
      or node.word == "key" and node.pattern or node.is or node.json or node.trim or node.line or node.entities then
      word.fail(class, ("the attribute '%s' must hold s.name(), s.key(), s.id(), s.value { key = ... } or s.match(pattern, text), without "
        .. "other options: `entities` is one of s.attrs"):format(attribute), item)
    end
    out[#out + 1], out.names[#out.names + 1] = node, attribute
  end
  for i, pair in ipairs(given) do
    add(type(pair) == "table" and pair[1], type(pair) == "table" and pair[2], i)
  end
  for attribute, node in pairs(given) do
    if type(attribute) == "string" and not word.options(class)[attribute] then
      if out[1] then
        word.fail(class, 'several attributes need an order: { { "a", ... }, { "b", ... } }')
      end
      add(attribute, node)
    end
  end
  word.check_options(class, { entities = given.entities, type = given.type })
  if not out[1] and not out.typed then
    word.fail(class, "needs at least one attribute: { name = s.name() }")
  end
  return out
end

function attrs:parse(plan, rest)
  local p, asks = plan.program, false
  local list = lists.map(self, function(node, i)
    asks = asks or node.gives ~= nil
    return { name = self.names[i], what = node.word,
      key = node.word == "value" and node.key or nil,
      pattern = node.word == "name" and (p:pattern(node.pattern) or core.BARE_NAME) or nil }
  end)
  if self.typed then
    local types, spellings = {}, {}
    for name in pairs(schema.bits) do
      spellings[name] = name
    end
    for spelling, name in pairs(lists.copy(spellings, self.typed[2])) do -- else it is "json"
      types[#types + 1] = { text = spelling, mask = schema.bits[name] or core.ANY_TYPE + core.QUOTED_STRING + core.SAID_JSON }
    end
    list[#list + 1] = { name = self.typed[1], what = "type", types = types }
  end
  p:add("attributes", { a = p:put("attributes", { follow = p:set(follow.texts(follow.firsts(rest))), list = list, asks = asks,
    entities = self.entities }) })
end

--- The attribute that holds a word which gives this: the name or the key.
function attrs:attribute_of(what)
  return lists.some(self, function(node, i)
    return node.gives == what and self.names[i]
  end)
end

local escaped = { ["&"] = "&amp;", ['"'] = "&quot;", ["<"] = "&lt;", [">"] = "&gt;" }

-- The text of a name, a key, or a parameter's value in quotes; nil if the call lacks the parameter.
local function text_of(self, node, call)
  local piece, is_value = {}, node.word == "value"
  if is_value and call.arguments[node.key] == nil then
    return nil
  end
  node:write(call, piece)
  local text = piece[1]
  if node.word ~= "match" and (not is_value or self.entities) then
    text = text:gsub(is_value and '[&"<>]' or '[&"]', escaped)
  end
  if is_value and text:find '[">\r\n]' then
    call:refuse("the value of %s cannot be written in an attribute", node.key)
  end
  return text
end

-- The attribute with a value's type; "" if there is none.
local function type_of(self, kind)
  local text
  for spelling, name in pairs(self.typed and self.typed[2] or {}) do
    if name == kind or name == "json" and not text and kind ~= "string" then
      text = spelling
    end
  end
  text = text or kind
  return not self.typed and "" or self.typed[1] == "" and text or (' %s="%s"'):format(self.typed[1], text)
end

function attrs:write(call, out)
  for i, node in ipairs(self) do
    local text = text_of(self, node, call)
    out[#out + 1] = text and text ~= "" and (' %s="%s"'):format(self.names[i], text) or nil
  end
  out[#out + 1] = type_of(self, json.kind(call.value))
end

function attrs:tree(context)
  local out = {}
  for i, node in ipairs(self) do
    if node.word == "value" then
      local of, required = context:named(node.key)
      context.used[node.key] = true
      local one = of ~= nil and tree.seq { tree.lit((' %s="'):format(self.names[i])), values.in_attribute(of, context, node.key),
        tree.lit '"' } or tree.empty
      out[i] = (required or of == nil) and one or tree.opt(one)
    elseif node.word == "id" then
      out[i] = tree.seq { tree.lit((' %s="'):format(self.names[i])), node.tree(), tree.lit '"' }
    else
      local text = text_of(self, node, { name = context.call.name, key = context.key, index = context.call.index })
      out[i] = text ~= "" and context:counted((' %s="%s"'):format(self.names[i], text)) or tree.empty
    end
  end
  out[#out + 1] = tree.lit(type_of(self, context.kind == "integer" and "number" or context.kind))
  return tree.seq(out)
end

return attrs
