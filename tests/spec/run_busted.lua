--- Runs busted in any Lua, with the arguments of the command line. Temporary files go to $SLUICE_TEMPORARY, a folder that
-- run.sh removes.

local folder, count = os.getenv "SLUICE_TEMPORARY", 0

if folder then
  function os.tmpname() -- luacheck: ignore 122
    count = count + 1
    local path = ("%s/%d"):format(folder, count)
    assert(io.open(path, "w")):close()
    return path
  end
end

-- busted and the specs also traverse tables, and compiling that may crash LuaJIT (lua/sluice/luajit.lua): so `next` is interpreted here.
if require("sluice.luajit").faulty then
  local following = next
  function next(t, key) -- luacheck: ignore 121
    return following(t, key)
  end
  jit.off(next)
  function pairs(t) -- luacheck: ignore 121
    return next, t, nil
  end
end

require "busted.runner" { standalone = false }
