--- Caches what is made from the names of the given tools.

local M = {}

local kept = 4 -- number of cached results

-- The tools' names.
local function names_of(tools)
  if not tools.name_list then
    local names = {}
    for i, tool in ipairs(tools.list) do
      names[i] = tool.name
    end
    tools.name_list = names
  end
  return tools.name_list
end

local function are_same(a, b)
  for i = 1, math.max(#a, #b) do
    if a[i] ~= b[i] then
      return false
    end
  end
  return true
end

--- by_names.cache(make) -> a function of tools that makes something from their names (`name_list`), and caches it as long as the tools
-- live, and for later tools with the same names: hosts send the same ones with each request.
function M.cache(make)
  local made, recent = setmetatable({}, { __mode = "k" }), {}
  return function(tools)
    if made[tools] then
      return made[tools]
    end
    local names, found = names_of(tools), nil
    for i, entry in ipairs(recent) do
      if are_same(entry.names, names) then
        found = table.remove(recent, i)
        break
      end
    end
    found = found or { names = names, plan = make(tools) }
    table.insert(recent, 1, found)
    recent[kept + 1] = nil
    made[tools] = found.plan
    return found.plan
  end
end

return M
