--- A fault of LuaJIT's compiler that the library keeps away from.
--
-- The 2.1 betas for x64 compile `next`, since September 2021, to code that may lose the upper half of a pointer: the process dies,
-- now and then, where a table is walked (LuaJIT issue 829, mended in April 2022). Debian 12 ships such a build, and its Neovim runs on
-- it. No version tells whether the mend is in, so on all of these betas the library's modules and the scripts are interpreted, except
-- the one that reads each chunk.
--
-- sluice/init.lua requires this before the other modules.

local M = {}

local jit = rawget(_G, "jit")

--- Whether this is a LuaJIT that may have the fault.
M.faulty = type(jit) == "table" and jit.version_num == 20100 and jit.arch == "x64"

-- What runs at each chunk, and does not walk tables.
local compiled = { ["sluice.stream"] = true }

--- keep(chunk) -> chunk: a function that Lua made of a text, so that neither it nor the functions in it are compiled where that may go
--- wrong.
function M.keep(chunk)
  if M.faulty then
    jit.off(chunk, true)
  end
  return chunk
end

-- What the other searchers of `require` find of this library is kept so, too.
local function searcher(name)
  if not name:find "^sluice%." or compiled[name] then
    return nil
  end
  for _, other in ipairs(package.loaders) do
    local found, more
    if other ~= searcher then
      found, more = other(name)
    end
    if type(found) == "function" then
      return debug.getinfo(found, "S").what == "C" and found or M.keep(found), more
    end
  end
end

if M.faulty and debug then
  jit.off(true, true)
  table.insert(package.loaders, 1, searcher)
end

return M
