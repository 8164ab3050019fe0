--- section { json { each = "*" }, json(), close = { "✂️🐱", ... }, after = "\n" }: the start of the message is reserved for a list of calls,
-- or one call, up to one of these closers (the first is written); anything else in it is markup. Without a closer there is no section.
--
-- For one script, scissors_cat: what precedes its delimiter must never reach the chat, so it cannot be read as text between calls.

local check = require "sluice.check"
local follow = require "sluice.compile.follow"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local section = word.wrapper "section"
section.about = "the start of the message, reserved for calls up to a closer"
section.options = { close = check.texts, after = check.text }

local of_words = section.build
function section.build(class, given)
  local out = of_words(class, given)
  if #out ~= 2 or not out.close then
    word.fail(class, "expected a list of calls, a call, and `close`, a list of literals")
  end
  out[2], out.calls_only = word.classes.calls.alone(out[2]), true
  return out
end

-- Its closers without white space.
local function closers_of(self)
  local list = {}
  for i, text in ipairs(self.close) do
    list[i] = select(2, follow.parts(text))
  end
  return list
end

function section:first(rest, firsts)
  for _, list in ipairs { { "[", "{", "```" }, closers_of(self) } do
    for _, text in ipairs(list) do
      firsts:add(text, { rest = rest })
    end
  end
end

function section:enter(rest)
  return follow.chain_of(self, 1, rest)
end

function section:parse(plan)
  local p, spec = plan.program, { close = nil, after = self.after or "" }
  spec.close = p:set(closers_of(self))
  local number = p:put("sections", spec)
  p:add("section", { a = number })
  local stop = p:here()
  p:add("section_end", { a = number })
  for i, field in ipairs { "array", "object" } do
    spec[field] = p:here()
    plan:emit(self[i], nil)
    p:add("jump", { a = stop })
  end
  spec.out = p:here()
end

function section:write(call, out)
  self:write_all({ call }, out)
end

function section:write_all(calls, out)
  self[1]:write_all(calls, out)
  out[#out + 1] = self.close[1] .. (self.after or "")
end

--- The tree with what is inside it made by inner(node).
function section:tree_around(inner)
  return tree.seq { inner(self[1]), tree.lit(self.close[1] .. (self.after or "")) }
end

function section:tree(context)
  return self:tree_around(function(node)
    return node:tree(context)
  end)
end

return section
