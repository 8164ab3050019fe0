--- Resolves paths that models write, and refuses those that leave their root.

local core = require "sluice.core"

---@class sluice.paths
local M = {}

-- Resolves the existing part of an absolute path; also returns the rest.
local function resolve(path)
  local rest = ""
  while true do
    local real = core.real_path(path)
    if real then
      return real, rest
    end
    local parent, last = path:match "^(.*)/([^/]+)$"
    if not parent then
      return nil
    end
    rest = "/" .. last .. rest
    path = parent == "" and "/" or parent
  end
end

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
  local joined = base == "/" and "" or base
  for part in path:gmatch "[^/]+" do
    joined = part == "." and joined or joined .. "/" .. part
  end
  local real, rest = resolve(joined == "" and "/" or joined)
  if not real or (real ~= base and real:sub(1, #base + 1) ~= base .. "/" and base ~= "/") then
    return nil, ("%s leads out of %s"):format(path, root), "refused"
  end
  -- a dangling link does not exist for real_path, but opening it follows it
  if rest ~= "" and core.is_link(real .. rest:match "^/[^/]+") then
    return nil, ("%s is a dangling link"):format(path), "refused"
  end
  return real .. rest
end

return M
