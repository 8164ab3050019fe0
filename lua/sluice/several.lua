--- The plans of `auto`: which syntaxes it includes, and what the library knows of its own before they are loaded.
--
-- Functions take the registry first, and `how`: its functions, and its planned(registry, entry, later).

local installed = require "sluice.installed"

local M = {}

--- several.family_of(entry): the family that a syntax belongs to.
function M.family_of(entry)
  return entry.description.family or "model"
end

-- The names of the syntaxes of a family in load order; nil if there are none.
local function family(self, name)
  local out = {}
  for _, known in ipairs(self.order) do
    out[#out + 1] = M.family_of(self.by_name[known]) == name and known or nil
  end
  return out[1] and out
end

-- The plans of these names, each of a syntax or of a family; or nil, a message, and true if a script has an error.
local function named_plans(self, names, how)
  local plans, seen = {}, {}
  local function take(plan)
    if plan and not seen[plan] then
      seen[plan] = true
      plans[#plans + 1] = plan
    end
  end
  for each in names:gmatch "[^,]+" do
    local members = not self.by_name[each] and family(self, each)
    for _, known in ipairs(members or {}) do
      take(how.planned(self, self.by_name[known], true) or nil) -- scripts with errors are left out
    end
    if not members then
      local plan, message, broken = how.plan(self, each)
      if not plan or plan.names then
        return nil, message or "auto takes names of syntaxes and families", broken
      end
      take(plan)
    end
  end
  return plans
end

-- ---- The library's own syntaxes, before they are loaded -------------------------------------

-- The carried join of the library's family "model", if that family consists of exactly these unchanged syntaxes; else nil.
local function carried_join(self)
  local sum
  if self.system.embedded then
    sum = select(2, self.system.embedded())
  end
  local carried = sum and require "sluice.parse.carried" -- large, so loaded only here
  if not carried or carried.sum ~= sum then
    return nil
  elseif self.pending then
    return carried.joined
  end
  local names, there = carried.joined.names, family(self, "model") or {}
  local same = #names == #there
  for _, name in ipairs(same and names or {}) do
    local entry = self.by_name[name]
    same = same and entry and entry.ours and M.family_of(entry) == "model"
  end
  return same and carried.joined or nil
end

-- Loads one of these syntaxes and returns its plan, without a program. Raises on failure.
local function own_plan(self, name, how)
  if not self.own[name] then
    if self.pending then
      installed.one(self, name, how.load_file)
    end
    local plan, message = how.planned(self, self.by_name[name], true)
    self.own[name] = plan or error(message, 0)
  end
  return self.own[name]
end

--- several.settle(registry): call it before adding a script that is not the library's. Open streams may still need scripts of the
-- library, and must get the current ones.
function M.settle(self)
  local load_rest = self.load_rest
  self.load_rest = nil
  if load_rest then
    load_rest()
  end
end

-- The plan of "auto" from this join.
local function plan_of_own(self, joined, how)
  local function member(name)
    return own_plan(self, name, how)
  end
  function self.load_rest()
    for _, name in ipairs(joined.names) do
      member(name)
    end
  end
  return require("sluice.parse.auto").joined("auto", joined, member)
end

-- ---- Plans --------------------------------------------------------------------------------

-- As several.plan, without its cache.
local function made(self, name, how)
  local joined = name == "auto" and carried_join(self)
  if joined then
    return plan_of_own(self, joined, how)
  elseif self.pending then
    installed.settle(self, how.load_file)
  end
  local plans, message, broken = {}, nil, nil
  if name ~= "auto" then
    plans, message, broken = named_plans(self, name:sub(6), how)
  elseif family(self, "model") then
    plans = named_plans(self, "model", how)
  end
  if not plans then
    return nil, message, broken
  elseif #plans == 0 then
    return nil, ("there are no syntaxes for '%s'"):format(name)
  end
  local ours = true
  for _, plan in ipairs(plans) do
    local entry = self.by_name[plan.syntax.name]
    ours = ours and entry.ours and entry.outline == plan
  end
  return require("sluice.parse.auto").plan(name, plans, ours)
end

--- several.plan(registry, name, how): the plan of "auto", for all syntaxes of the family "model", or of "auto:NAME,NAME..." for syntaxes
-- and families of these names. Cached until a script is loaded. Returns nil, a message, and true if a script has an error, on failure.
function M.plan(self, name, how)
  local plan, message, broken = self.autos[name], nil, nil
  if not plan then
    plan, message, broken = made(self, name, how)
    self.autos[name] = plan
  end
  return plan, message, broken
end

return M
