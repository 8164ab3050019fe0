--- Works around a bug in LuaJIT's compiler.
--
-- The 2.1 betas for x64 since September 2021 compile `next` to code that may lose the upper half of a pointer: the process crashes,
-- rarely, while a table is traversed (LuaJIT issue 829, fixed in April 2022). Debian 12 and its Neovim ship such a build. No version
-- number shows whether the fix is included, so on all of these betas the library's modules and the scripts are interpreted.
--
-- sluice/init.lua requires this before the other modules.

local M = {}

local jit = rawget(_G, "jit")

--- True if this LuaJIT may have the bug.
M.faulty = type(jit) == "table" and jit.version_num == 20100 and jit.arch == "x64"

--- keep(chunk) -> chunk: excludes a loaded function, and the functions in it, from compilation if that may go wrong.
function M.keep(chunk)
  if M.faulty then
    jit.off(chunk, true)
  end
  return chunk
end

-- Does the same for this library's modules that the other searchers of `require` find.
local function searcher(name)
  for _, other in ipairs(name:find "^sluice%." and package.loaders or {}) do
    local found = other ~= searcher and other(name)
    if type(found) == "function" then
      return debug.getinfo(found, "S").what == "C" and found or M.keep(found)
    end
  end
end

if M.faulty and debug then
  jit.off(true, true)
  local registry = debug.getregistry()
  if not registry["sluice.searcher"] then -- else this module is loaded again: two searchers would call each other
    registry["sluice.searcher"] = searcher
    table.insert(package.loaders, 1, searcher)
  end
end

return M
