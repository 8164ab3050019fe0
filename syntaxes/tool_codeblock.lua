--- A fence with a line for the tool's name, and each argument between its own line and END_ARG. Words in any case.
-- Origin: Continue's system-message tools.

local s = require "sluice.syntax"

local x = s.exact
local fence = s.any_case "```tool"
local open = s.any { { fence, "\n", s.any_case "TOOL_NAME", ": " }, { fence, "\n", s.any_case "TOOLNAME", ": " },
  { s.any_case "TOOL_NAME", ": " }, { s.any_case "TOOLNAME", ": " }, write = 1 }
local argument = s.any { { s.any_case "BEGIN_ARG", ": " }, { s.any_case "BEGINARG", ": " }, write = 1 }

return s.syntax {
  api = 2,
  name = "tool_codeblock", family = "agent",
  origin = "continuedev/continue",
  source = "https://github.com/continuedev/continue/tree/main/core/tools/systemMessageTools/toolCodeblocks",
  call = {
    at = "line", open, s.name(), x "\n",
    s.parameters { argument, s.key(), x "\n", s.value(), "\n", s.any { s.any_case "END_ARG", s.any_case "ENDARG", write = 1 }, "\n" },
    s.recoverable "```",
  },
  between = "\n",
  examples = {
    {
      text = "```tool\nTOOL_NAME: read_file\nBEGIN_ARG: filepath\na.ts\nEND_ARG\n```",
      calls = { { name = "read_file", arguments = { filepath = "a.ts" } } },
    },
  },
}
