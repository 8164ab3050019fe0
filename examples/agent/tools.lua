--- The tools of the example agent: the definition that the model sees, and a Lua function that runs it. A function receives the
-- decoded arguments and returns text, or raises a message for the model.

local sluice = require "sluice"

local M = {}

local weather = { Paris = "rain, 12 degrees", Oslo = "snow, -3 degrees" }

M.get_weather = {
  description = "The weather in a city now.",
  parameters = { type = "object", properties = { city = { type = "string" } }, required = sluice.json.array { "city" } },
  run = function(arguments)
    return weather[arguments.city] or error("nothing is known of " .. arguments.city, 0)
  end,
}

M.add = {
  description = "The sum of two numbers.",
  parameters = { type = "object", properties = { a = { type = "number" }, b = { type = "number" } },
    required = sluice.json.array { "a", "b" } },
  run = function(arguments)
    return tostring(arguments.a + arguments.b)
  end,
}

M.read_file = {
  description = "The text of a file below the current folder.",
  parameters = { type = "object", properties = { path = { type = "string" } }, required = sluice.json.array { "path" } },
  run = function(arguments)
    local path = assert(sluice.paths.within(".", arguments.path)) -- never outside the folder
    local file <close> = assert(io.open(path, "rb"))
    return file:read(10000) or ""
  end,
}

return M
