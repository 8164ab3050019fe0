--- A command's name and its parameters as tags inside <execute>; thinking and the answer have tags of their own.
-- Origin: Josh-XT/AGiXT.

local s = require "sluice.syntax"
local lpeg = require "lpeg"

return s.syntax {
  api = 2,
  name = "agixt", family = "agent",
  origin = "Josh-XT/AGiXT",
  source = "https://github.com/Josh-XT/AGiXT/blob/main/agixt/Interactions.py",
  reasoning = { open = "<thinking>\n", close = "\n</thinking>\n\n" },
  call = {
    "<execute>\n", "<name>", s.name { pattern = lpeg.P(1)^1 }, "</name>\n",
    s.parameters { "<", s.key(), ">", s.value { trim = true }, "</", s.backref "key", ">\n" },
    s.optional "</execute>",
  },
  between = "\n",
  ignored_tokens = { "<answer>", "</answer>" },
  stop_words = { "</execute>" },
  default_type = "string",
  marked = { "<execute{ mark}>", "</execute{ mark}>" },
  examples = {
    {
      text = "<execute>\n<name>Web Search</name>\n<query>cats</query>\n</execute>",
      calls = { { name = "Web Search", arguments = { query = "cats" } } },
    },
  },
}
