--- One JSON object: thoughts, a headline, the tool's name and its arguments. Origin: frdel/agent-zero.

local call = s.json { anywhere = true, name = "tool_name", args = "tool_args", think = { "thoughts" },
  members = { { "headline" }, { "tool_name" }, { "tool_args" } } }

return s.syntax {
  api = 3, name = "agent_zero", family = "agent",
  origin = "frdel/agent-zero", source = "https://github.com/frdel/agent-zero/blob/main/python/helpers/extract_tools.py",
  blocks = { call, { "~~~json\n", call, "\n~~~" }, { "```json\n", call, "\n```" } },
  options = { max_calls = 1 },
  examples = { {
    text = '{"tool_name": "response", "tool_args": {"text": "Hello"}}',
    calls = { { name = "response", arguments = { text = "Hello" } } },
  }, {
    text = '{"thoughts": ["First.", "Then."], "tool_name": "response", "tool_args": {"text": "Hello"}}',
    calls = { { name = "response", arguments = { text = "Hello" } } }, reasoning = "First.\nThen.",
  } },
}
