--- Functionary v3.2: the recipient on a line of its own, then JSON; "all" is the user.
-- Models: functionary v3.2.

local s = require "sluice.syntax"

local lpeg = require "lpeg"

local name = (lpeg.R("az", "AZ", "09") + lpeg.S "_.-")^1 * -1

return s.syntax {
  api = 1,
  name = "functionary_v32",
  models = { "functionary-small-v3.2", "functionary-medium-v3.2" },
  source = "https://huggingface.co/meetkai/functionary-small-v3.2",
  blocks = {
    { s.at_line(), s.optional ">>>", s.name { pattern = name }, s.exact "\n", s.arguments() },
    { ">>>", s.name { pattern = name }, s.exact "\n", s.arguments() },
    { s.at_line(), s.optional ">>>", "all\n", s.text() },
  },
  between = ">>>",
  stop = { "<|eot_id|>" },
  examples = {
    {
      text = 'get_weather\n{"city": "Paris"}',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
