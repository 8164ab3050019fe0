--- A fenced JSON object with an action and its input, which need not be an object; the action `Final Answer` is for the user.
-- Origin: LangChain's structured chat; Dify also reads it without a fence.

local s = require "sluice.syntax"

local call = s.object { name = "action", arguments = "action_input", scalar = "input", answers = { "Final Answer", "final_answer" } }

return s.syntax {
  api = 2,
  name = "action_json", family = "agent",
  origin = "LangChain, Dify",
  source = "https://github.com/langchain-ai/langchain/blob/master/libs/langchain/langchain_classic/agents/structured_chat/output_parser.py",
  blocks = {
    { at = "indent", s.optional "Action:\n", s.any { "```json\n", "```\n" }, s.any { call, s.array(call), write = 1 }, s.optional "\n```" },
    { at = "indent", "Action:\n", call },
    { at = "line", "Thought: ", s.reasoning(), "\n" },
    { at = "line", call },
  },
  between = "\n",
  stop_words = { "\nObservation:" },
  examples = {
    {
      text = 'Action:\n```json\n{"action": "search", "action_input": {"query": "cats"}}\n```',
      calls = { { name = "search", arguments = { query = "cats" } } },
    },
    {
      text = 'Action:\n```\n{"action": "Final Answer", "action_input": "Two cats."}\n```', calls = {}, content = "Two cats.",
    },
  },
}
