--- Calls as shown in transcripts: `[Calling tool: f({...})]`, or with attributes. Models that have seen such transcripts
-- fall back to it.

local s = require "sluice.syntax"
local lpeg = require "lpeg"

local name = (lpeg.R("az", "AZ", "09") + lpeg.S "_.-:/")^1 * -1

return s.syntax {
  api = 2,
  name = "calling_tool_bracket",
  origin = "transcripts of tool use, as models imitate them",
  source = "https://github.com/waybarrios/vllm-mlx",
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  default_type = "string",
  blocks = {
    { "[Calling tool: ", s.name { pattern = name }, "(", s.exact(s.arguments()), ")]" },
    { '[Calling tool="', s.name { pattern = name }, '"', s.parameters { " ", s.key(), '="', s.value(), '"' }, "]" },
  },
  between = "\n",
  examples = {
    {
      text = '[Calling tool: get_weather({"city": "Paris"})]',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
    {
      deviates = true,
      text = '[Calling tool="get_weather" city="Paris"]',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
