--- One JSON object: thoughts, a headline, the tool's name and its arguments.
-- Origin: frdel/agent-zero.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "agent_zero", family = "agent",
  origin = "frdel/agent-zero",
  source = "https://github.com/frdel/agent-zero/blob/main/python/helpers/extract_tools.py",
  call = {
    s.optional { s.any { "~~~json\n", "```json\n" }, write = false },
    s.object { name = "tool_name", arguments = "tool_args", reasoning = { "thoughts" }, extra = { { "headline" } }, anywhere = true },
    s.optional { s.any { "\n~~~", "\n```" }, write = false },
  },
  max_calls = 1,
  examples = {
    {
      text = '{"tool_name": "response", "tool_args": {"text": "Hello"}}',
      calls = { { name = "response", arguments = { text = "Hello" } } },
    },
    {
      text = '{"thoughts": ["First.", "Then."], "tool_name": "response", "tool_args": {"text": "Hello"}}',
      calls = { { name = "response", arguments = { text = "Hello" } } }, reasoning = "First.\nThen.",
    },
  },
}
