local s = require "sluice.syntax"

return s.syntax {
  api = 1,
  name = "functools",
  call = { "functools", s.array(s.object()) },
}
