--- calls { ..., between = x, separate = true }: one or more calls. Written: each call; with `separate` each in its own block.

local check = require "sluice.check"
local core = require "sluice.core"
local follow = require "sluice.compile.follow"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local calls = word.wrapper("calls", { separate = check.flag, between = check.type("must be a literal or a word", "string", "table") })

function calls.build(class, given)
  local out = word.words_of(class, given)
  out.between = out.between and word.as_node(out.between, class)
  return out
end

--- One call where the other alternatives of `any` hold several.
function calls.alone(node)
  return word.make(calls, { node, once = true, place = node.place })
end

-- The chain inside: after the last word the loop begins again.
function calls:enter(rest)
  return follow.chain_of(self, 1, self.once and rest or follow.cons(word.classes.again.of(self), rest))
end

function calls:many()
  return not (self.once or self.separate)
end

function calls.last() end

function calls:parse(plan, rest)
  local p, list, kinds = plan.program, follow.list(), {}
  local between = self.between and follow.firsts(follow.cons(self.between))
  local body, exits = follow.firsts(follow.chain_of(self, 1)), follow.firsts(rest)
  local function add(firsts, kind)
    list:all(follow.texts(firsts or {}))
    for i = #kinds + 1, #list do
      kinds[i] = kind
    end
  end
  if not self.once then
    add(between, core.BETWEEN)
    add(body, core.BODY)
  end
  add(exits, core.EXIT)
  local in_json, first = body.seen["{"] ~= nil and #body == 1 and body[1].node == nil, between and between[1] or { text = "" }
  local spec = {
    follow = #list > 0 and p:set(list, kinds) or nil, must_close = not exits.ends,
    closers = #exits > 0 and p:set(follow.texts(exits)) or nil, starts = #body > 0 and p:set(follow.texts(body)) or nil,
    once = self.once, open = body.open, in_json = in_json,
    array = in_json and not (self.once or exits.ends) and first.text:sub(1, 1) == ",",
  }
  local number = p:put("calls", spec)
  local loop = self.once and rest or follow.cons(word.classes.again.of(self), rest)
  p:add "calls"
  spec.call = p:here()
  p:add("call", { a = number })
  word.Wrapper.parse(self, plan, loop)
  p:add("call_end", { a = number })
  spec.bad = p:here()
  p:add("call_bad", { a = number })
  if self.between then
    spec.between_at = p:here()
    p:add("between_end", { a = number })
    plan:emit(self.between, follow.chain_of(self, 1, loop))
    p:add("commit", { a = spec.between_at })
  end
  spec.out = p:here()
end

function calls:write(call, out)
  for i, one in ipairs(self:many() and call.all or { call }) do
    if i > 1 and self.between then
      self.between:write(one, out)
    end
    word.Wrapper.write(self, one, out)
  end
end

function calls:tree(context)
  if not (context.each and self:many()) then
    return context:sequence(self)
  end
  return tree.rep(context.each(self), 1, context.most, self.between and self.between:tree(context) or tree.empty)
end

return calls
