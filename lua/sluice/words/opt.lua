--- opt(x): may be absent, which is no repair. Written, unless the call lacks a parameter that it holds.
-- `also` and `lost` are the same but for one property each, and are made here by opt.kind.

local follow = require "sluice.compile.follow"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

-- The node with the key of a fixed parameter inside, if any.
local function fixed_in(node)
  return word.find(node, function(at)
    return at.word == "value" and at.key
  end)
end

--- Defines a word that may be absent.
local function kind(name)
  local class = word.wrapper(name)

  function class.build(self, given)
    local out = word.words_of(self, given)
    if out[1].word == "value" and out[1].key then -- nothing before it says that it is there
      out[1] = word.copy(out[1], { present = true })
    end
    return out
  end

  function class:first(rest, firsts)
    if not (firsts.passed and self.unwritten) then -- a sign between two parameters does not stand for the closer before it
      firsts:walk(self:enter(rest))
    end
    firsts.passed = firsts.passed or self.recover or false
    firsts.lacks = firsts.lacks or firsts.passed
    return true
  end

  function class:parse(plan, rest, before)
    local p, only, list, exact = plan.program, #self == 1 and self[1], nil, nil
    local left = not self.recover and rest and rest.node.word == "value" and before and before:last()
    if left and not left.exact and left.text:find "%s$" then
      word.refuse(self, "without it the white space of %s would be part of the value: put that behind it", word.quoted(left.text))
    end
    local firsts = follow.firsts(self:enter(nil))
    local set = not firsts.open and not firsts.ends and #firsts > 0 and p:set(follow.texts(firsts)) or nil
    if only and only.body then
      list, exact = { only:body() }, only.exact
    elseif only and only.plain then
      list, exact = only:plain()
    end
    if set and list and not (exact and only.body and only.text:match "\n$") then
      return p:add("maybe", { a = p:set(list), exact = exact, recover = self.recover })
    end
    local start = p:add("choice", { a = set, exact = set and firsts[1].node and firsts[1].node.exact, recover = self.recover })
    word.Wrapper.parse(self, plan, rest, before)
    p:add "commit"
    start.b = p:here()
  end

  function class:write(call, out, behind)
    local held, leaves = fixed_in(self), not self.recover and #self == 1 and self[1].body and call.plan.leaves -- for `sluice check`
    if not (held and call.arguments[held.key] == nil or leaves and leaves()) then
      word.Wrapper.write(self, call, out, behind)
    end
  end

  function class:tree(context)
    local held = fixed_in(self)
    local schema, required
    if held then
      schema, required = context:named(held.key)
      context.used[held.key] = true
      if schema == nil then
        return tree.empty
      end
    end
    local inside = context:sequence(self)
    return (required or not held) and inside or tree.opt(inside)
  end

  return class
end

local opt = kind "opt"
opt.kind = kind
return opt
