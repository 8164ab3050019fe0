--- Marks against echoes: the host draws a random word, which becomes part of a prompted format's openers and closers. Text that a model
-- only repeats lacks it.

local lists = require "sluice.lists"
local reword = require "sluice.compile.reword"
local word = require "sluice.word"

local M = {}

-- The description with this mark in its openers and closers; nil and a message if it has no place for one.
local function marked(description, mark)
  if type(mark) ~= "string" or not mark:find "^[%w_-]+$" or #mark > 64 then
    return nil, "a mark is a word of at most 64 letters, digits, '-' and '_'"
  elseif not description.marked then
    return nil, ("%s has no place for a mark: its script has no field `marked`"):format(description.name)
  end
  local others = {}
  for _, form in ipairs(description.marked) do
    others[(form:gsub("{[^{}]*}", ""))] = form:gsub("{([^{}]*)mark([^{}]*)}", "%1" .. mark .. "%2")
  end
  local out = lists.copy(description, { blocks = lists.map(description.blocks, function(block, i)
    local used = {}
    local own = reword.node(block, others, used) -- further forms of calls that have no place for a mark are text
    return (i == description.written or next(used) or not word.with(block, "gives", "name")) and own or nil
  end), special = lists.map(description.special or {}, function(token) return not others[token] and token or nil end) }) -- the model's
  out.prompt = type(out.prompt) == "string" and reword.text(out.prompt, others) or out.prompt
  return out
end

--- kept(most, make): the function make(key, ...), which keeps its last results by their keys.
function M.kept(most, make)
  local made, keys = {}, {}
  return function(key, ...)
    if not made[key] then
      local result, message = make(key, ...)
      if not result then
        return nil, message
      end
      made[key], keys[#keys + 1] = result, key
      if #keys > most then
        made[table.remove(keys, 1)] = nil
      end
    end
    return made[key]
  end
end

--- plan.for_mark: a function from a mark, and maybe tools, to the plan for them, or nil and a message.
function M.plans(plan, make)
  local for_mark = M.kept(16, function(mark)
    local description, message = marked(plan.syntax, mark)
    if not description then
      return nil, message
    end
    local made = make(description)
    made.mark = mark
    local bare = lists.some(lists.joined(made.opener_list, made.line_openers), function(opener)
      return not (opener:find(mark, 1, true) or made.thinks[opener]) and opener
    end)
    if bare then
      return nil, ("%s cannot be marked: `%s` may begin a call, and `marked` does not name it"):format(plan.syntax.name, bare)
    end
    return made
  end)
  return function(mark, tools)
    local made, message = for_mark(mark)
    return tools and made and made.for_tools and made.for_tools[tools] or made, message
  end
end

return M
