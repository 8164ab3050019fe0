--- Resolves paths that models write, and refuses those that leave their root.

local core = require "sluice.core"

---@class sluice.paths
local M = {}

--- within(root, path): returns the absolute path of `path` inside the folder `root`, links resolved; the file itself
-- need not exist. Returns nil, a message and a code for paths that leave the root (`..`, absolute paths, links to outside), and for
-- invalid ones (NUL bytes, backslashes, an empty string).
---@param root string a folder
---@param path string
---@return string? absolute nil on error
---@return string? message
---@return string? code "not_found": there is no such root; "refused": anything else
function M.within(root, path)
  if type(root) ~= "string" or type(path) ~= "string" then
    error("paths.within: expected two strings", 2)
  end
  local base, message = core.real_path(root)
  if not base then
    return nil, message, "not_found"
  end
  if path == "" or path:find "[%z\\]" or path:find "^/" or path:find "^%a:" or ("/" .. path .. "/"):find("/../", 1, true) then
    return nil, ("%q must be a relative path, without .., backslashes and NUL bytes"):format(path), "refused"
  end
  local at, inside = base, base == "/" and "/" or base .. "/"
  for part in path:gmatch "[^/]+" do
    local next_at = part == "." and at or (at == "/" and "" or at) .. "/" .. part
    local real = core.real_path(next_at) -- nil: nothing is there, or a link that leads nowhere, which opening it would follow
    if real and (real .. "/"):sub(1, #inside) ~= inside or not real and core.is_link(next_at) then
      return nil, ("%s leads out of %s"):format(path, root), "refused"
    end
    at = real or next_at
  end
  return at
end

return M
