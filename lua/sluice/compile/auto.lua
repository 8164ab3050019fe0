--- The syntax `auto`, which combines others. At a literal, a block is tried with each syntax that has one beginning with it, on the same
-- held bytes. The first syntax that announces a call is chosen, and parses the rest of the response alone. Until then the literals of all
-- members are searched for: reasoning, end-of-turn tokens and others. join.lua computes what the members have in common.

local core = require "sluice.core"
local by_names = require "sluice.compile.by_names"
local roles = require "sluice.compile.roles"
local join = require "sluice.compile.join"

local M = {}

-- for_tools of a plan: compiles members that depend on tools' names for these tools. Nil if there are none.
local function for_tools(name, members, uncounted)
  local asks = false
  for _, plan in ipairs(members) do
    asks = asks or join.by_names(plan)
  end
  return asks and by_names.cache(function(tools)
    local own = {}
    for i, plan in ipairs(members) do
      own[i] = join.by_names(plan) and plan.for_tools(tools, not plan.code) or plan
    end
    return M.plan(name, own, uncounted)
  end) or nil
end

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
    fence_text = joined.fence_text, bare = joined.bytes, defaults = {},
  }
  plan.prompt_opens = roles.prompt_opens(joined.pairs)
  plan.many = core.many { format = format, count = #plan.names, text = at.text, reasoning = at.reasoning,
    bare = with_sets(joined.bare) }
  plan.format = format
end

-- Fields of a plan that are made on first use: streams with tools may use another plan's.
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

-- A member's plan for a stream with these tools (or nil), if its openers are made from their names and were not joined.
local function of_tools(plan, tools)
  return tools and plan.for_tools and not join.by_names(plan) and plan.for_tools(tools, true) or plan
end

--- auto.plan(name, plans[, uncounted]): the plan of `auto` for these members. `uncounted`: all are the library's own.
function M.plan(name, plans, uncounted)
  local members, names = join.members(plans)
  return plan_of({ names = names, syntax = { name = name, blocks = {} }, for_tools = for_tools(name, members, uncounted),
    member = function(number, tools)
      return of_tools(members[number], tools)
    end }, uncounted, function()
    return join.join(members)
  end)
end

return M
