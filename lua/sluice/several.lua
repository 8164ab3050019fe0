--- The plans of `auto`: which syntaxes it includes.
--
-- Functions take the registry first, and `how`: its functions, and its planned(registry, entry, later).

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

-- ---- Plans --------------------------------------------------------------------------------

-- As several.plan, without its cache.
local function made(self, name, how)
  how[name == "auto" and "models" or "settle"](self)
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
  return require("sluice.compile.auto").plan(name, plans, ours)
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
