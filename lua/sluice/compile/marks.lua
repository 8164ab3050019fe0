--- Marks against echoes: the host draws a random word, which becomes part of a prompted format's openers and closers. Text that a model
-- only repeats lacks it.

local follow = require "sluice.compile.follow"
local reword = require "sluice.compile.reword"
local word = require "sluice.word"

local M = {}

local KEPT = 16

-- The description with this mark in its openers and closers; nil and a message if it has no place for one.
local function marked(description, mark)
  if type(mark) ~= "string" or not mark:find "^[%w_-]+$" or #mark > 64 then
    return nil, "a mark is a word of at most 64 letters, digits, '-' and '_'"
  elseif not description.marked then
    return nil, ("%s has no place for a mark: its script has no field `marked`"):format(description.name)
  end
  local others, out = {}, {}
  for _, form in ipairs(description.marked) do
    others[(form:gsub("{[^{}]*}", ""))] = form:gsub("{([^{}]*)mark([^{}]*)}", "%1" .. mark .. "%2")
  end
  for k, v in pairs(description) do
    out[k] = v
  end
  out.blocks, out.special = {}, {}
  for i, block in ipairs(description.blocks) do
    out.blocks[i] = reword.node(block, others)
  end
  for _, token in ipairs(description.special or {}) do
    out.special[#out.special + 1] = not others[token] and token or nil -- with a mark it is no longer a token of the model
  end
  out.template = type(out.template) == "string" and reword.text(out.template, others) or out.template
  return out
end

--- plan.for_mark: a function from a mark, and maybe tools, to the plan for them, or nil and a message. The last ones are kept.
function M.plans(plan, make)
  local kept = {}
  local function for_mark(mark)
    for i, one in ipairs(kept) do
      if one.mark == mark then
        table.insert(kept, 1, table.remove(kept, i))
        return one
      end
    end
    local description, message = marked(plan.syntax, mark)
    if not description then
      return nil, message
    end
    local made = make(description)
    made.mark = mark
    local thoughts = {} -- openers of blocks that hold no call
    for _, block in ipairs(description.blocks) do
      local list = word.has(block, "think") and not word.has(block, "name") and follow.texts(follow.firsts(follow.cons(block)))
      for _, text in ipairs(list or {}) do
        thoughts[text] = true
      end
    end
    for _, list in ipairs { made.opener_list, made.line_openers } do
      for _, opener in ipairs(list) do
        if not (opener:find(mark, 1, true) or thoughts[opener]) then
          return nil, ("%s cannot be marked: `%s` may begin a call, and `marked` does not name it"):format(plan.syntax.name, opener)
        end
      end
    end
    table.insert(kept, 1, made)
    kept[KEPT + 1] = nil
    return made
  end
  return function(mark, tools)
    local made, message = for_mark(mark)
    return tools and made and made.for_tools and made.for_tools(tools) or made, message
  end
end

return M
