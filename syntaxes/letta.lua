--- A JSON object with a function and its parameters; the inner thoughts are one of them. Origin: MemGPT and Letta, local models.

local call = s.json { name = "function", args = { "params", "arguments" }, think = { "inner_thoughts" }, strict = false }

return s.syntax {
  api = 3, name = "letta", aliases = { "memgpt" }, family = "agent",
  origin = "letta-ai/letta (MemGPT)",
  source = "https://github.com/letta-ai/letta/blob/main/letta/local_llm/llm_chat_completion_wrappers/airoboros.py",
  blocks = { call, { s.any { "```json\n", "```\n" }, call, "\n```" } },
  options = { max_calls = 1 },
  examples = { {
    text = '{"function": "search", "params": {"inner_thoughts": "Cats.", "query": "cats"}}',
    calls = { { name = "search", arguments = s.ordered { { "inner_thoughts", "Cats." }, { "query", "cats" } } } },
  } },
}
