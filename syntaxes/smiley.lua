local s = require "sluice.syntax"

local fourteen = s.alone(("😊"):rep(14))

return s.syntax {
  api = 1,
  name = "smiley",
  call = { fourteen, "\n", s.object { strict = true }, "\n", fourteen },
  between = "\n",
  options = { calls = "whole", repairs = false },
}
