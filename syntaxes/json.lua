local s = require "sluice.syntax"

local call = s.object { name = { "name", "function" }, arguments = { "arguments", "parameters" } }

return s.syntax {
  api = 1,
  name = "json",
  call = s.any { call, s.array(call), write = 2 },
}
