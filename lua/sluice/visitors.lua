--- Script files that a host passes in place of a syntax's name. Each is loaded as a script; only the most recent ones are kept, since a
-- host may pass thousands (chat templates), and an engine's memory is limited.

local M = {}

local KEPT = 64

-- Removes an entry from the registry, unless it has a dialect. Its aliases go back to their previous owners.
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

--- visitors.add(registry, entry, passing): records an entry loaded from such a file, and removes the oldest one if there are too many.
-- `passing`: no other file uses its name, so it can be removed.
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
