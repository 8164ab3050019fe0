--- params { ..., between = ", ", nested = "item" }: zero or more parameters, in the order of the arguments. Values that the schema declares
-- as strings are never read as nested ones.

local check = require "sluice.check"
local core = require "sluice.core"
local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local values = require "sluice.constrain.values"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local json = core.json

local params = word.wrapper("params", { nested = check.text, between = check.text })
params.gives, params.any_arguments = "arguments", true

-- A missing closer is recovered: the literal after a value is `lost`. Before `same` it cannot be: `</` alone says nothing.
function params.build(class, given)
  local out = word.words_of(class, given)
  local between = out.between and word.ending(word.as_node(out.between, class))
  out.between, out.separator = nil, between
  for i = 2, #out do
    local closes = out[i - 1].word == "value" and out[i].body and out[i]:body() ~= "" and not out[i].exact
    if closes and not (out[i + 1] and out[i + 1].word == "same") then
      out[i] = word.make(word.classes.lost, { out[i], place = out[i].place })
    end
  end
  if between and between:body() ~= "" then
    out[#out + 1] = word.make(word.classes.also, { between }) -- read after each; written between two
  end
  return out
end

function params:first(rest, firsts)
  firsts:walk_loop(follow.chain_of(self, 1, follow.cons(word.classes.again.of(self), rest)), self)
  return true
end

function params.enter() end
function params.written()
  return {}
end

function params:parse(plan, rest)
  local p, loop = plan.program, follow.cons(word.classes.again.of(self), rest)
  local openers, exits = follow.firsts(follow.chain_of(self, 1)), follow.firsts(rest)
  local list, spec = follow.texts(openers), { open_ended = openers.open }
  list:all(follow.texts(exits, true))
  for _, text in ipairs(list) do
    if text:find "^%s" then
      word.refuse(self, "white space before %s is skipped: what begins or follows a parameter begins with a sign", word.quoted(text))
    end
  end
  if #exits == 0 and follow.literal_right(rest) then
    word.refuse(self, "only white space ends the call after it: end the block with a literal that is not white space")
  end
  spec.set = p:set(list)
  local stops, roles = follow.list(list), {}
  for _, text in ipairs(follow.laters(follow.chain_of(self, 1))) do
    if not stops.seen[text] then
      stops:add(text)
      roles[#stops] = core.OWN
    end
  end
  follow.laters(rest, stops):all(plan.opener_list) -- a new block ends this one
  for i in ipairs(stops) do
    roles[i] = i <= #openers and core.OPENS or i <= #list and core.FOLLOWS or roles[i] or 0
  end
  spec.stops = p:set(stops, roles)
  local ends = lists.map(stops, function(text, i) return roles[i] ~= core.OPENS and text or nil end)
  spec.ends = p:set(ends)
  local number = p:put("loops", spec)
  p:add("params", { a = number })
  local next_at = p:here()
  local head = p:add("params_next", { a = number })
  spec.body = p:here()
  word.Wrapper.parse(self, plan, loop)
  head.c = p:here()
  p:add("params_back", { a = number, b = next_at })
  spec.out = p:here()
end

-- True if a word of the chain, or one inside, writes this parameter.
local function writes(chain, key)
  local at = chain and chain.node
  return at and (at.key == key or writes(follow.chain_of(at.written and #at > 0 and at:written() or at, 1, chain.rest), key))
end

function params:write(call, out, behind)
  local first = true
  call.loop = self.nested and self or nil
  for _, key in ipairs(json.keys(call.arguments)) do
    if not (call.used[key] or writes(behind, key)) then
      call.used[key], call.key = true, key
      local value = call.arguments[key]
      local repeated = call.plan.syntax.repeated_is_array and json.kind(value) == "array" and #value > 0 and not self.nested
      for _, one in ipairs(repeated and value or { value }) do
        out[#out + 1] = not first and self.separator and self.separator.text or nil
        call.value, first = one, false
        word.Wrapper.write(self, call, out)
      end
    end
  end
end

--- The members or items of a value, each as a parameter.
function params:write_nested(call, value, out)
  local key, is_object = call.key, json.kind(value) == "object"
  for i, member in ipairs(is_object and json.keys(value) or value) do
    call.key, call.value = is_object and member or self.nested, value[is_object and member or i]
    word.Wrapper.write(self, call, out)
  end
  call.key = key
end

function params:tree(context)
  local list, typed = {}, word.find(self, function(node, parent)
    return node.typed and not parent.unwritten
  end)
  for _, member in ipairs(context:members()) do
    if member.schema == false and member.required then
      tree.refuse "a schema that no value matches"
    elseif not (context.used[member.key] or writes(context.behind, member.key)) and member.schema ~= false then
      context.used[member.key] = true
      local function one(schema, kind)
        local made = context:with({ key = member.key, schema = schema, kind = kind, loop = self.nested and self or nil }):sequence(self)
        return tree.ends_blank(made) and tree.refuse_no_end(tree.ends_blank(made)) or made -- another parameter could begin in it
      end
      local ways = values.ways(member, context, one, typed, context.plan.syntax.repeated_is_array and not self.nested)
      list[#list + 1] = { tree.alt(ways), member.required }
    end
  end
  return tree.commas(list, self.separator and self.separator:tree(context))
end

function params:rule(syntax)
  if self.nested then
    return ("A string is written as it is: no quotes, no escapes. Numbers, true, false and null are JSON. The members of an object"
      .. " are elements inside it, the items of an array elements named `%s`."):format(self.nested)
  end
  return (word.with(self, "json") and "Every value is JSON, a string too."
    or "A string is written as it is: no quotes, no escapes. Every other value is JSON.")
    .. (word.with(self, "line") and " Each value is on one line." or "")
    .. (syntax.repeated_is_array and " A list is its parameter repeated, once for each item." or "")
end

return params
