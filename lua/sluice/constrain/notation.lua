--- Trees for values of a schema in other notations: JSON for engines without it, Python literals, and a format's own quotes.

local json = require("sluice.core").json
local lists = require "sluice.lists"
local schema = require "sluice.schema.types"
local together = require "sluice.constrain.together"
local tree = require "sluice.constrain.tree"

local lit, seq, alt, rep, refuse = tree.lit, tree.seq, tree.alt, tree.rep, tree.refuse

local M = {}

local integer = tree.term("INTEGER", "-?(0|[1-9][0-9]*)", [["-"? ("0" | [1-9] [0-9]{0,15})]])
local natural = tree.term("NATURAL", "(0|[1-9][0-9]*)", [["0" | [1-9] [0-9]{0,15}]])
local positive = tree.term("POSITIVE", "[1-9][0-9]*", "[1-9] [0-9]{0,15}")
local number = tree.term("NUMBER", "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?",
  [["-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,3})?]])
local json_char = tree.term("CHAR", [[([^"\\\x00-\x1f]|\\(["\\\/bfnrt]|u[0-9a-fA-F]{4}))]],
  [=[[^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})]=])
local json_string = tree.term("STRING", [["([^"\\\x00-\x1f]|\\(["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"]],
  [=["\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""]=])
local python_string = tree.term("PYSTRING", [['([^'\\\x00-\x1f]|\\([nrt'\\]|x[01][0-9a-f]))*']],
  [=["'" ([^'\\\x00-\x1F] | "\\" ([nrt'\\] | "x" [01] [0-9a-f]))* "'"]=])
local python_char = tree.term("PYCHAR", [[([^'\\\x00-\x1f]|\\([nrt'\\]|x[01][0-9a-f]))]],
  [=[[^'\\\x00-\x1F] | "\\" ([nrt'\\] | "x" [01] [0-9a-f])]=])
local word = tree.term("WORD", "[A-Za-z_][A-Za-z0-9_]*", "[A-Za-z_] [A-Za-z0-9_]*")

--- JSON as calls have it.
function M.json()
  return {
    string = json_string, char = json_char, quote = '"', item = ", ", key = ": ",
    text = function(value)
      return json.encode(value, ", ", ": ")
    end,
    name = json.encode, any_name = json_string,
  }
end

--- A notation of sluice.notations; quote: a format's own quotes, or nil.
function M.of(how, quote)
  local n = { string = python_string, char = python_char, quote = "'", item = how.item, key = how.key, text = how.write,
    name = how.name, any_name = python_string }
  if quote then
    function n.limited(limits)
      return seq { lit(quote), tree.raw(limits), lit(quote) }
    end
    n.string = n.limited()
    n.any_name = how.words and n.string or alt { word, n.string }
  end
  return n
end

-- The keywords that an engine's own JSON Schema implements correctly, found by trying each (tests/engines).
local common = [[type properties required additionalProperties patternProperties items prefixItems minItems maxItems enum const anyOf
  oneOf allOf $ref $defs definitions minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern]]
local taken = { lark = lists.set(common .. " minProperties maxProperties"), ["structural-tag"] = lists.set(common),
  -- what `value` below supports
  gbnf = lists.set [[type properties required additionalProperties items minItems maxItems enum const anyOf oneOf allOf $ref $defs
    definitions minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength]] }

-- True if a pattern covers the whole text: ^ and $ at its ends and nowhere else.
local function is_whole(pattern)
  local plain = pattern:gsub("\\.", "x"):gsub("%[%^?%]?[^%]]*%]", "x")
  return plain:find "^%^[^%^%$]*%$$" and not plain:gsub("%b()", ""):find("|", 1, true)
end

-- Refuses combinations of keywords that XGrammar implements only separately.
local function refuse_for_xgrammar(s)
  local ranged
  for _, key in ipairs { "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum" } do
    ranged = ranged or s[key] ~= nil
    if s[key] ~= nil and s.type == "integer" and json.number(s[key]) % 1 ~= 0 then
      refuse("a '%s' of an integer that is not whole", key)
    end
  end
  local factor = s.multipleOf ~= nil and json.number(s.multipleOf)
  if s.pattern ~= nil and not is_whole(s.pattern) then
    refuse "a 'pattern' without ^ and $ around the whole"
  elseif s.prefixItems ~= nil and s.maxItems ~= nil and s.maxItems < #s.prefixItems then
    refuse "'prefixItems' beyond 'maxItems'"
  elseif s.patternProperties ~= nil and (s.additionalProperties ~= false or lists.some(json.keys(s.patternProperties), function(pattern)
    return not is_whole(pattern)
  end)) then -- it matches whole keys, and allows no others
    refuse "'patternProperties' without ^ and $ around the whole, or without 'additionalProperties': false"
  elseif s.pattern ~= nil and (s.minLength ~= nil or s.maxLength ~= nil) then
    refuse "a 'pattern' with a limited length"
  elseif s.properties ~= nil and #json.keys(s.properties) > 0 and (s.patternProperties ~= nil
    or s.additionalProperties ~= nil and s.additionalProperties ~= false) then -- it takes declared names for additional ones
    refuse "additional members next to declared ones"
  elseif factor and (ranged or s.type ~= "integer" or factor ~= math.floor(factor)) then
    refuse "'multipleOf' of anything but a plain integer"
  end
  for _, value in ipairs(s.enum ~= nil and s.enum or {}) do
    if type(value) == "table" and json.kind(value) ~= "number" then -- it writes these without white space
      refuse "an 'enum' of lists or objects"
    end
  end
end

-- llguidance counts members only if all are required.
local function refuse_for_llguidance(s)
  for _, member in ipairs((s.minProperties ~= nil or s.maxProperties ~= nil) and schema.declared(s) or {}) do
    if not member.required then
      refuse "the number of members if some are optional"
    end
  end
end

local refuse_for = { lark = refuse_for_llguidance, ["structural-tag"] = refuse_for_xgrammar, gbnf = function() end }

-- Refuses a schema whose own keywords the target cannot express.
local function check(s, target, root)
  refuse_for[target](s)
  for _, key in ipairs(json.keys(s)) do
    if not taken[target][key] and key:sub(1, 2) ~= "x-" then
      refuse("'%s'", key)
    elseif key == "$ref" and schema.follow(root, s[key]) == nil then
      refuse("the unresolved reference '%s'", tostring(s[key]))
    end
  end
end

--- Refuses a schema that the target's engine does not implement correctly.
function M.check(s, target, root)
  if json.kind(s) ~= "object" then
    return s
  end
  check(s, target, root)
  return schema.parts(s, function(part)
    return M.check(part, target, root)
  end)
end

-- The least of a number, if that is all its bounds say; others are refused. whole: of an integer, from 0 or 1.
local function bound(s, whole)
  local positive_only = whole and s.exclusiveMinimum == 0
  for _, key in ipairs { "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum" } do
    local simple = whole and key == "minimum" and (s[key] == 0 or s[key] == 1) or positive_only and key == "exclusiveMinimum"
    if s[key] ~= nil and not simple then
      refuse("'%s' of a number", key)
    end
  end
  return positive_only and 1 or s.minimum
end

--- A node for the values that match a schema. `root`: the schema that its references point into; n: the notation.
-- Stays in one piece: a short function for each kind of schema, which call each other.
function M.value(s, root, n)
  n.rules = n.rules or {}

  local value

  local function any()
    n.any = n.any or tree.rule("value", function(rule)
      local items = rep(rule, 0, nil, lit(n.item))
      local members = rep(seq { n.any_name, lit(n.key), rule }, 0, nil, lit(n.item))
      return alt { seq { lit "{", members, lit "}" }, seq { lit "[", items, lit "]" }, n.string, number, lit(n.text(true)),
        lit(n.text(false)), lit(n.text(json.null)) }
    end)
    return n.any
  end

  local function object(at)
    local list = lists.map(schema.declared(at), function(member)
      return { seq { lit(n.name(member.key) .. n.key), value(member.schema) }, member.required }
    end)
    together.refuse_undeclared(at)
    local more = at.additionalProperties
    if #list == 0 and more ~= false then
      local member = seq { n.any_name, lit(n.key), type(more) == "table" and value(more) or any() }
      return seq { lit "{", rep(member, 0, nil, lit(n.item)), lit "}" }
    elseif more == true or type(more) == "table" then
      refuse "'additionalProperties' next to declared members"
    end
    return seq { lit "{", tree.commas(list, lit(n.item)), lit "}" }
  end

  local function array(at)
    local item = at.items ~= nil and value(at.items) or any()
    return seq { lit "[", rep(item, at.minItems or 0, at.maxItems, lit(n.item)), lit "]" }
  end

  local function text(at)
    if n.limited and (at.minLength or at.maxLength) then
      return n.limited { min = at.minLength, max = at.maxLength }
    elseif at.minLength or at.maxLength then
      return seq { lit(n.quote), rep(n.char, at.minLength or 0, at.maxLength), lit(n.quote) }
    end
    return n.string
  end

  local kinds = {
    string = text, object = object, array = array,
    integer = function(at)
      local least = bound(at, true)
      return least == 0 and natural or least == 1 and positive or integer
    end,
    number = function(at)
      bound(at, false)
      return number
    end,
    boolean = function()
      return alt { lit(n.text(true)), lit(n.text(false)) }
    end,
    null = function()
      return lit(n.text(json.null))
    end,
  }

  local function one(at)
    local ways = lists.joined(lists.map(at.enum or at.const ~= nil and { at.const } or {}, function(item)
      return lit(n.text(item))
    end), lists.map(at.anyOf or {}, value))
    local kind = at.type or at.properties ~= nil and "object" or at.items ~= nil and "array" or nil
    return #ways > 0 and alt(ways) or kind and kinds[kind](at) or any()
  end

  function value(at)
    if at == false then
      refuse "a schema that no value matches"
    elseif type(at) ~= "table" then
      return any()
    end
    check(at, "gbnf", root)
    if at["$ref"] ~= nil then
      local target = schema.follow(root, at["$ref"])
      if not n.rules[target] then
        tree.rule(tostring(at["$ref"]):match "[^/]*$", function(rule)
          n.rules[target] = rule
          return value(target)
        end)
      end
      return n.rules[target]
    end
    return one(at)
  end

  return value(s)
end

--- Keyword arguments: key=value, in the order of the schema.
function M.kwargs(members, parameters, n)
  return tree.commas(lists.map(members, function(member)
    return { seq { lit(member.key .. "="), M.value(member.schema, parameters, n) }, member.required }
  end), lit(n.item))
end

return M
