--- args(), args "python", args { quote =, python =, raw = }: all arguments, as one object that has its own end.

local check = require "sluice.check"
local json = require("sluice.core").json
local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local notation = require "sluice.constrain.notation"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"
local notations = require "sluice.notations"

local args = word.leaf("args", { quote = check.text, python = check.flag, raw = check.text })
args.gives, args.any_arguments = "arguments", true

function args.build(class, given)
  if type(given) == "string" and given ~= "python" then
    word.fail(class, 'there is no such notation; use "python" or { quote =, python =, raw = }')
  end
  return given == "python" and { python = true } or word.options_of(class, given)
end

function args:first(rest, firsts)
  if self.python then
    firsts.open = true
    return
  end
  firsts:add("{", { rest = rest, arguments = true })
  firsts:add('"', { rest = rest, arguments = true })
end

-- The closers of the call, or of its section: literals up to a required one. Before another literal a call was cut.
local function closers_of(chain)
  local list = follow.list()
  while chain do
    local found = not chain.node.loop and follow.firsts(follow.cons(chain.node))
    list:all(found and follow.texts(found) or {})
    chain = (not found or found.ends) and chain.rest or nil
  end
  return list
end

function args:parse(plan, rest)
  local p, enders = plan.program, follow.laters(rest)
  local closers = closers_of(rest)
  if #enders == 0 then -- they end the block: the turn's end can follow; words may be anything
    closers = plan.syntax.stop or {}
    for _, text in ipairs(closers) do
      enders:add(#text > 2 and text:find "^[^%w%s]" and text or "")
    end
  end
  enders:all(plan.opener_list)
  local spec = { closers = p:set(closers), enders = #enders > 0 and p:set(enders) or nil,
    quote = self.quote, kwargs = self.python, python = self.python }
  p:add("arguments", { a = p:put("arguments", spec) })
  if self.raw then
    local out = p:add "jump"
    spec.raw = p:here()
    word.make(word.classes.value, { key = self.raw, trim = true, unquoted = true, single = true }):parse(plan, rest)
    out.a = p:here()
  end
end

function args:write(call, out)
  local how = (self.python or self.quote) and notations.of(self.quote, self.python)
  if self.python then
    out[#out + 1] = lists.join(json.keys(call.arguments), function(key)
      if not key:match "^[%a_\128-\255][%w_\128-\255]*$" then
        call:refuse("'%s' is not a Python keyword", key)
      end
      return key .. "=" .. how.write(call.arguments[key])
    end, ", ")
  else
    out[#out + 1] = how and how.write(call.arguments) or json.encode(call.arguments, ", ", ": ")
  end
  call:use_all()
end

function args:tree(context)
  local schema = context.root
  if not (self.python or self.quote) then
    return context:json(schema, "arguments_" .. context.call.name)
  end
  local form = notation.of(notations.of(self.quote, self.python), self.quote)
  if not self.python then
    return tree.own(notation.value(schema, schema, form))
  end
  return tree.own(notation.kwargs(context:members(), schema, form))
end

function args:rule()
  local strings = self.quote and ("between %s, without escapes"):format(self.quote) or "in quotes"
  if self.python then
    return ("Arguments are Python keyword arguments: strings %s, lists and dicts as literals, True, False, None."):format(strings)
  end
  return self.quote and ("Strings are written %s; keys are bare; everything else is JSON."):format(strings) or nil
end

return args
