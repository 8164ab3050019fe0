--- match(pattern, write, opens): what an LPeg pattern matches, up to the next literal. docs/vocabulary.md has what it captures, and what
-- `write` is. opens: a list of texts, one of which begins it: needed where it is the first word of a block.

local check = require "sluice.check"
local json = require("sluice.core").json
local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local schema = require "sluice.schema.types"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local match = word.leaf "match"

function match.build(class, pattern, write, opens)
  local wrong, raw = opens ~= nil and check.texts(opens), word.pattern(class, pattern, "first argument")
  if wrong then
    word.fail(class, "its third argument " .. wrong)
  elseif type(write) ~= "string" and type(write) ~= "function" then
    word.fail(class, "needs what to write as its second argument: a text, or a function of the call")
  end
  return { pattern = raw, written = write, opens = opens, gives = type(write) == "function" and "name" or nil,
    any_arguments = type(write) == "function" }
end

function match:first(rest, firsts)
  if not self.opens then
    firsts:unknown()
  end
  for _, text in ipairs(self.opens or {}) do
    firsts:add(text, { rest = rest, node = self })
  end
end

function match:parse(plan, rest)
  local p = plan.program
  p:add(self.gives and "header" or "shape", { a = p:set(follow.texts(follow.firsts(rest))), b = p:pattern(self.pattern) })
end

--- Its text for a call, and the keys of the arguments in it; nil and why it cannot be written.
function match:text_for(call)
  if type(self.written) == "string" then
    return (self.written:gsub("{(%a+)}", { name = call.name, index = ("%d"):format(call.index) }))
  end
  return self.written(word.seen(call))
end

function match:write(call, out)
  local text, keys = self:text_for(call)
  if not text then
    call:refuse("%s", keys or "the header cannot carry these arguments")
  end
  for _, key in ipairs(keys or {}) do
    call.used[key] = true
  end
  out[#out + 1] = text
end

function match:tree(context)
  local all = json.object(lists.map(schema.declared(context.root), function(member) return { member.key, "x" } end))
  local text, keys = self:text_for(setmetatable({ arguments = all }, { __index = context.call }))
  for _, key in ipairs(text and keys or {}) do
    if all[key] then
      tree.refuse("the parameter '%s', which a function writes", key)
    end
  end
  return context:counted(text or tree.refuse("%s", keys or "a header that a function writes"))
end

return match
