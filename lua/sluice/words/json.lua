--- json { each =, name =, args =, id =, ... }: a call as a JSON object. docs/vocabulary.md has the options. The second entry of a member
-- says what it must be; its default is a value or a function of the call's number.
-- answers: for one script, action_json: names whose arguments are text for the user. Its agents end with a call of "Final Answer", which a
-- host would have to look for among the calls.

local check = require "sluice.check"
local json = require("sluice.core").json
local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local notation = require "sluice.constrain.notation"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"
local notations = require "sluice.notations"

local one_member = check.record({ check.text, check.one_of("string", "number", "object", "string?", "number?", "object?"),
  default = function() end }, { { 1, 'must be { "key", "string", default = }' } })

local object = word.leaf("json", { each = check.spellings, name = check.spellings, args = check.spellings, id = check.spellings,
  think = check.texts, answers = check.texts, raw = check.text, python = check.flag, strict = check.flag, anywhere = check.flag,
  members = check.list_of(one_member) })
object.gives, object.any_arguments = "name", true

local function spellings(value, default)
  return type(value) == "table" and value or { value or default }
end

-- An object around calls: a hidden word.
local outer, outer_end = word.wrapper "member", word.leaf "member_end"

function object.build(class, given)
  local out = word.options_of(class, given)
  local keys, is_array = {}, nil
  for i, path in ipairs(spellings(out.each)) do
    local key, star = path:match "^([^.*]*)%.?(%*?)$"
    if not key or path ~= key .. (key ~= "" and star ~= "" and "." or "") .. star or is_array ~= nil and is_array ~= (star ~= "") then
      word.fail(class, ('the option \'each\' must be "*", "key.*" or "key", not "%s"'):format(path))
    end
    keys[i], is_array = key ~= "" and key or nil, star ~= ""
  end
  local around = keys[1] and { keys = keys, think = out.think, members = out.members, anywhere = out.anywhere }
  out.each = nil
  if around then
    out.think, out.members = nil, nil
  end
  local meant = { [spellings(out.name, "name")[1]] = true, [spellings(out.args, "arguments")[1]] = true,
    [spellings(out.id, "")[1]] = true }
  for _, one in ipairs(out.members or {}) do -- those that mean nothing else go to `extra`
    out.extra = out.extra or {}
    out.extra[#out.extra + 1] = not meant[one[1]] and { one[1], one.default ~= nil and json.encode(one.default) or nil } or nil
  end
  if spellings(out.name, "name")[1] == spellings(out.args, "arguments")[1] then
    word.fail(class, "the options 'name' and 'args' are the same member")
  end
  local inside = word.node(class, out)
  if is_array then -- calls in brackets
    inside = word.classes.list.of(class, { "[", word.maker(word.classes.calls) { inside, between = ", " }, "]" })
  end
  if around then
    around[1] = inside
    return word.make(outer, around)
  end
  return inside
end

function object:first(rest, firsts)
  firsts:add("{", { rest = rest, anywhere = self.anywhere })
end

-- The members that mean something: each key with its purposes, sorted.
local function fields_of(self, plan)
  local list, by_key = {}, {}
  local function note(keys, purpose, value)
    for _, key in ipairs(keys) do
      if not by_key[key] then
        by_key[key] = { key = key }
        list[#list + 1] = by_key[key]
      end
      by_key[key][purpose] = value
    end
  end
  note(self.name == "*" and {} or spellings(self.name, "name"), "name", true)
  note(self.args == "*" and {} or spellings(self.args, "arguments"), "arguments", true)
  note(self.think or {}, "reasoning", true)
  note(spellings(self.id), "id", true)
  for _, pair in ipairs(self.extra or {}) do
    for i, known in ipairs(plan.extra) do
      note(known[1] == pair[1] and { pair[1] } or {}, "extra", i)
    end
  end
  for _, one in ipairs(self.members or {}) do
    note({ one[1] }, "required", one[2])
  end
  table.sort(list, function(a, b) -- `pairs` has no order
    return a.key < b.key
  end)
  return list
end

function object:parse(plan, rest)
  local p, enders, loop = plan.program, follow.laters(rest):all(plan.opener_list), rest and rest.node.loop
  enders:add(loop and loop.between and loop.between.text == "\n" and "\n{" or "") -- a call on the next line
  p:add("object", { a = p:put("objects", {
    enders = #enders > 0 and p:set(enders) or nil, python = self.python,
    fields = fields_of(self, plan), name_as_key = self.name == "*", arguments_required = self.strict == true,
    some_required = lists.some(self.members or {}, function(one)
      return one[2] ~= nil
    end), flat = self.args == "*", scalar = self.raw, answers = self.answers,
    arguments_optional = self.strict == false or self.raw ~= nil or self.answers ~= nil or self.args == "*" or self.think ~= nil,
    anywhere = self.anywhere, brace_follows = lists.some(follow.firsts(rest), function(entry) -- the brace of an object around this one
      return entry.text:sub(1, 1) == "}"
    end),
  }) })
end

-- The members in the order in which they are written: key, the field of the call ("name", "arguments", "id" or "extra"), default, kind;
-- and their fields by key.
local function members_of(self)
  local name, args, id = spellings(self.name, "name")[1], spellings(self.args, "arguments")[1], spellings(self.id)[1]
  local fields, list, own = { [name] = "name", [args] = "arguments", [id or ""] = "id" }, {}, {}
  for i, one in ipairs(self.members or { { name }, args ~= "*" and { args } or nil, { id } }) do
    own[one[1] or ""] = fields[one[1]] or "extra"
    list[i] = one[1] and { key = one[1], field = own[one[1]], optional = (one[2] or ""):find "%?$" ~= nil, kind = one[2],
      default = one.default }
  end
  return list, own
end

function object:write(call, out)
  call:use_all()
  local list, members, own = {}, members_of(self)
  for _, one in ipairs(members) do
    local value = call[one.field]
    if one.field == "extra" then
      value = value and value[one.key]
    end
    if value == nil and not one.optional then
      value = one.default
    end
    if type(value) == "function" then
      value = value(call.index)
    end
    list[#list + 1] = value ~= nil and { one.key, value } or nil
  end
  for _, key in ipairs(self.args == "*" and json.keys(call.arguments) or {}) do -- but for those whose place is behind the object
    list[#list + 1] = not (own[key] or word.with(call.plan.syntax.blocks, "key", key)) and { key, call.arguments[key] } or nil
  end
  local whole = json.object(self.name == "*" and { { call.name, call.arguments } } or list)
  out[#out + 1] = self.python and notations.python.write(whole) or json.encode(whole, ", ", ": ")
end

function object:tree(context)
  local parameters, definitions = context:parameters_apart()
  local members, required = {}, json.array()
  local function add(key, schema, always)
    members[#members + 1] = { key, schema }
    required[#required + 1] = always and key or nil
  end
  local list, own = members_of(self)
  local schemas = { name = json.object { { "const", context.call.name } }, arguments = parameters,
    id = json.object { { "type", "string" }, { "minLength", 1 } } }
  for _, one in ipairs(self.name ~= "*" and list or {}) do
    local extra = one.kind and json.object { { "type", (one.kind:gsub("%?$", "")) } } or json.object()
    if self.args ~= "*" or one.field ~= "extra" then
      add(one.key, schemas[one.field] or extra, one.field == "name" or one.field == "arguments"
        or one.default ~= nil and not one.optional)
    end
  end
  for _, member in ipairs(self.args == "*" and context:members() or {}) do
    if not (own[member.key] or word.with(context.plan.syntax.blocks, "key", member.key)) then
      add(member.key, member.schema, member.required)
    end
  end
  if self.name == "*" then
    add(context.call.name, parameters, true)
  end
  local whole = json.object(lists.joined({ { "type", "object" }, { "properties", json.object(members) }, { "required", required },
    { "additionalProperties", false } }, definitions))
  if self.python then
    return tree.own(notation.value(whole, whole, notation.of(notations.python)))
  end
  return tree.json(whole, context.call.name)
end

outer.first = object.first
function outer.enter() end
function outer.last() end

function outer_end.first(_, rest, firsts)
  firsts:add("}", { rest = rest })
end

-- The members with a given value.
local function fixed_of(self)
  return lists.map(self.members or {}, function(one)
    return one.default and { key = one[1], value = one.default } or nil
  end)
end

function outer:parse(plan, rest)
  local p = plan.program
  local fields = lists.joined(fixed_of(self), lists.map(self.keys, function(key) return { key = key, calls = true } end),
    lists.map(self.think or {}, function(key) return { key = key, reasoning = true } end))
  local spec = { fields = fields, anywhere = self.anywhere }
  local number = p:put("objects", spec)
  p:add("member", { a = number })
  plan:emit(self[1], follow.cons(word.make(outer_end, {}), rest))
  p:add("member_end", { a = number })
  spec.out = p:here()
end

local function opener(self)
  return "{" .. lists.join(fixed_of(self), function(one)
    return ("%s: %s, "):format(json.encode(one.key), json.encode(one.value))
  end) .. json.encode(self.keys[1]) .. ": "
end

function outer:write(call, out)
  out[#out + 1] = opener(self)
  self[1]:write(call, out)
  out[#out + 1] = "}"
end

function outer:tree(context)
  return tree.seq { tree.lit(opener(self)), self[1]:tree(context), tree.lit "}" }
end

function object:rule()
  return self.python and "The arguments are a Python dict: strings in quotes, True, False, None." or nil
end

return object
