--- 🛠️[name raw args] body 🛠️[/end]: a header on one line and a body, which may be anything except the end marker. Arguments:
-- raw_args and body. Later versions close a call without a body with " /]". U+FE0F in the marker is optional.
-- Origin: gregorriegler/simple-agent, docs/spec/emoji_bracket_tool_syntax.spec.md.

local s = require "sluice.syntax"
local lpeg = require "lpeg"

local header = {
  s.name { pattern = (1 - lpeg.S " \t]")^1 * -1 },
  s.value { key = "raw_args", inline = true, pattern = (1 - lpeg.P "]")^0 * -1 },
}

return s.syntax {
  api = 2,
  name = "emoji_bracket",
  fixed_parameters = { "raw_args", "body" },
  origin = "gregorriegler/simple-agent",
  source = "https://github.com/gregorriegler/simple-agent",
  call = {
    s.any { "🛠️[", "🛠[" },
    s.any {
      { header, s.exact " /]" },
      { header, "]\n", s.value { key = "body" }, s.any { "🛠️[/end]", "🛠[/end]" } },
      write = 2,
    },
  },
  between = "\n",
  default_type = "string",
  marked = { "🛠️[{mark }", "🛠[{mark }", "🛠️[/end{ mark}]", "🛠[/end{ mark}]" },
  examples = {
    {
      text = '🛠️[create-file hello.py]\nprint("Hello World")\n🛠️[/end]',
      calls = { { name = "create-file", arguments = s.ordered { { "raw_args", "hello.py" }, { "body", 'print("Hello World")\n' } } } },
    },
    {
      deviates = true,
      text = "🛠️[ls dir /]", calls = { { name = "ls", arguments = { raw_args = "dir", body = "" } } },
    },
  },
}
