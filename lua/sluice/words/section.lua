--- section { json { each = "*" }, json(), any { "✂️🐱\n", "✂🐱" } }: the start of the message is reserved for a list of calls, or one
-- call, up to a closer (the first is written); anything else in it is markup. Without a closer there is no section.
-- section: for one script, scissors_cat: what precedes its delimiter must never reach the chat, so it cannot be read as text between calls.

local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local section = word.wrapper "section"

function section.build(class, given)
  local out = word.words_of(class, given)
  local closer = out[3] or {}
  if #out ~= 3 or not (closer.body or closer.plain and closer:plain()) then
    word.fail(class, "expected a list of calls, a call, and a literal or s.any of literals, which closes it")
  end
  out[2], out[3], out.closer = word.classes.calls.alone(out[2]), nil, closer
  return out
end

-- Its closers without white space.
local function closers_of(self)
  return self.closer.body and { self.closer:body() } or self.closer:plain()
end

function section:first(rest, firsts)
  for _, text in ipairs(lists.joined({ "[", "{", "```" }, closers_of(self))) do
    firsts:add(text, { rest = rest })
  end
end

function section:parse(plan)
  local p = plan.program
  local spec = { close = p:set(closers_of(self)), after = select(3, follow.parts(self.closer:last().text)) }
  local number = p:put("sections", spec)
  p:add("section", { a = number })
  local stop = p:here()
  p:add("section_end", { a = number })
  for i, field in ipairs { "array", "object" } do
    spec[field] = p:here()
    plan:emit(self[i], nil)
    p:add("commit", { a = stop })
  end
  spec.out = p:here()
end

function section:write(call, out)
  self[1]:write(call, out)
  self.closer:write(call, out)
end

function section:tree(context)
  return tree.seq { self[1]:tree(context), tree.lit(self.closer:last().text) }
end

return section
