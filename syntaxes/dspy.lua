--- Fields under headers: the next thought, the next tool's name, its arguments as JSON.
-- Origin: stanfordnlp/dspy, its ReAct module with the chat adapter.

return s.syntax {
  api = 3, name = "dspy", family = "agent",
  origin = "stanfordnlp/dspy", source = "https://github.com/stanfordnlp/dspy/blob/main/dspy/adapters/chat_adapter.py",
  blocks = {
    { "[[ ## next_tool_name ## ]]\n", s.name(), { exact = true, "\n" },
      "\n[[ ## next_tool_args ## ]]\n", s.args(), "\n\n", s.opt "[[ ## completed ## ]]" },
    { "[[ ## next_thought ## ]]\n", s.think() },
  },
  options = { max_calls = 1 },
  examples = { {
    text = '[[ ## next_tool_name ## ]]\nsearch\n\n[[ ## next_tool_args ## ]]\n{"query": "cats"}\n\n[[ ## completed ## ]]',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
