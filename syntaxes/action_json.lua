--- A fenced JSON object with an action and its input, which need not be an object; the action `Final Answer` is for the user.
-- Origin: LangChain's structured chat; Dify also reads it without a fence.

local function action(each)
  return s.json { each = each, name = "action", args = "action_input", raw = "input", answers = { "Final Answer", "final_answer" } }
end

return s.syntax {
  api = 3, name = "action_json", family = "agent",
  origin = "LangChain, Dify",
  source = "https://github.com/langchain-ai/langchain/blob/master/libs/langchain/langchain_classic/agents/structured_chat/output_parser.py",
  blocks = {
    { at = "indent", s.opt "Action:\n", s.any { "```json\n", "```\n" }, s.any { action(), s.also(action "*") }, s.opt "\n```" },
    { at = "indent", "Action:\n", action() },
    { at = "line", "Thought: ", s.think(), "\n" },
    { at = "line", action() },
  },
  between = "\n",
  stop_words = { "\nObservation:" },
  examples = { {
    text = 'Action:\n```json\n{"action": "search", "action_input": {"query": "cats"}}\n```',
    calls = { { name = "search", arguments = { query = "cats" } } },
  }, {
    text = 'Action:\n```\n{"action": "Final Answer", "action_input": "Two cats."}\n```', calls = {}, content = "Two cats.",
  } },
}
