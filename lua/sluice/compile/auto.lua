--- The syntax `auto`, which combines others. At a literal, a block is tried with each syntax that has one beginning with it, on the same
-- held bytes. The first syntax that announces a call is chosen, and parses the rest of the response alone. Until then the literals of all
-- members are searched for: reasoning, end-of-turn tokens and others. join.lua computes what the members have in common.

local core = require "sluice.core"
local roles = require "sluice.compile.roles"
local join = require "sluice.compile.join"

local M = {}

-- The candidates, with their required literals as sets.
local function with_sets(candidates)
  local out = {}
  for i, one in ipairs(candidates) do
    out[i] = one
    if one.literal then
      out[i] = {}
      for key, value in pairs(one) do
        out[i][key] = value
      end
      out[i].literal = core.set { one.literal }
    end
  end
  return out
end

-- Builds the core's objects for a plan.
local function build(plan, joined)
  local function set(kind) -- extra closers match after a block, and are not searched for
    return core.set(joined[kind].list, joined[kind].role, core.STRAY)
  end
  local at = {}
  for kind, lists in pairs(joined.at) do
    at[kind] = {}
    for i, candidates in ipairs(lists) do
      at[kind][i] = with_sets(candidates)
    end
  end
  local format = core.format {
    name = plan.syntax.name, several = true, special = joined.special and core.set(joined.special), text = set "text",
    reasoning = set "reasoning", closers = set "closers", pairs = joined.pairs, fence = core.set { "\n```" },
    fence_text = joined.fence_text, bare = joined.bytes, bare_at_line = joined.at_line, defaults = {},
  }
  plan.prompt_opens = roles.prompt_opens(joined.pairs)
  plan.many = core.many { format = format, count = #plan.names, text = at.text, reasoning = at.reasoning,
    bare = with_sets(joined.bare) }
  plan.format = format
end

-- Fields of a plan that are made on first use.
local made_late = { format = true, prompt_opens = true, many = true }

-- A plan with these fields, and the join that make(plan) returns.
local function plan_of(plan, uncounted, make)
  return setmetatable(plan, {
    __index = function(_, key)
      if made_late[key] and not rawget(plan, "format") then
        local _, message = core.counted(not uncounted, function()
          build(plan, make())
        end)
        if message then
          error(message, 0)
        end
      end
      return rawget(plan, key)
    end,
  })
end

--- auto.plan(name, plans[, uncounted]): the plan of `auto` for these members. `uncounted`: all are the library's own.
function M.plan(name, plans, uncounted)
  local members, names = join.members(plans)
  return plan_of({ names = names, syntax = { name = name, blocks = {} },
    member = function(number, tools) -- its openers may be made from the names of the tools
      local plan = members[number]
      return tools and plan.for_tools and plan.for_tools(tools, true) or plan
    end }, uncounted, function()
    return join.join(members)
  end)
end

return M
