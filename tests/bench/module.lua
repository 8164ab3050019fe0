--- Measures what a 4-byte chunk of an argument costs a Lua host, with `feed` and `each`, compared with an empty Lua function.
-- usage: LUA_PATH=... LUA_CPATH=... lua tests/bench/module.lua (tests/bench/module.sh BUILD runs it in Lua 5.4 and LuaJIT)

local sluice = require "sluice"

local text = '<tool_call>\n{"name": "f", "arguments": {"a": "' .. ("abcdefgh ijklmnop "):rep(4000) .. '"}}\n</tool_call>'
local chunks = {}
for i = 1, #text, 4 do
  chunks[#chunks + 1] = text:sub(i, i + 3)
end

local taken = 0
local function take(piece)
  taken = taken + #piece
end

local ways = {
  { "a function", function(chunk)
    take(chunk)
  end },
  { "stream:feed", function(chunk, stream)
    for event in stream:feed(chunk) do
      if event.type == "arguments" then
        take(event.text)
      end
    end
  end },
  { "stream:each", function(chunk, stream, handlers)
    stream:each(chunk, handlers)
  end },
}

local floor
for _, way in ipairs(ways) do
  local stream, handlers = sluice.stream "hermes", { arguments = take }
  local run, best = way[2], math.huge
  for _ = 1, 10 do
    stream:reset()
    local start = os.clock()
    for _, chunk in ipairs(chunks) do
      run(chunk, stream, handlers)
    end
    best = math.min(best, (os.clock() - start) / #chunks * 1e9)
  end
  floor = floor or best
  print(("%-12s %6.0f ns a chunk, %5.1f times the function"):format(way[1], best, best / floor))
end
