--- Thoughts and a command in a JSON object, in a fence or not. Origin: AutoGPT, classic.

local call = s.json { each = "command", args = { "args", "arguments" }, anywhere = true, strict = false }

return s.syntax {
  api = 3, name = "autogpt", family = "agent",
  origin = "Significant-Gravitas/AutoGPT",
  source = "https://github.com/Significant-Gravitas/AutoGPT/tree/master/classic (prompt_strategies/one_shot.py)",
  blocks = { call, { s.any { "```json\n", "```\n" }, call, "\n```" } },
  options = { max_calls = 1 },
  examples = { {
    text = '{"command": {"name": "search", "args": {"query": "cats"}}}',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
