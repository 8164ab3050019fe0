--- Files that a host names in the place of a syntax. Each is loaded as a script is; the last of them are kept, since a host may name
-- thousands (templates of models), and an engine holds a limited amount of memory.

local M = {}

local KEPT = 64

-- Forgets an entry of the registry, unless another is its dialect. Aliases go back to those who have them, too.
local function forget(registry, entry)
  local by_name, place = registry.by_name, nil
  for i, name in ipairs(registry.order) do
    if by_name[name].parent == entry then
      return
    end
    place = by_name[name] == entry and i or place
  end
  table.remove(registry.order, place)
  registry.by_path[entry.path], registry.autos = nil, {}
  for name, found in pairs(by_name) do
    by_name[name] = found ~= entry and found or nil
  end
  for _, name in ipairs(registry.order) do
    for _, alias in ipairs(by_name[name].description.aliases or {}) do
      by_name[alias] = by_name[alias] or by_name[name]
    end
  end
end

--- visitors.add(registry, entry, passing): notes that this entry was loaded from a file that was named, and forgets the one that was
-- loaded first if there are too many. `passing`: no other file has its name, so that it can be forgotten.
function M.add(registry, entry, passing)
  local visitors = registry.visitors
  entry.passing = passing or nil
  visitors[#visitors + 1] = entry
  local oldest = #visitors > KEPT and table.remove(visitors, 1)
  if oldest and oldest.passing and registry.by_name[oldest.name] == oldest then
    forget(registry, oldest)
  end
end

return M
