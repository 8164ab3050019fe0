--- One shell command in a code fence with its own language word: an example in a ```bash fence is not run.
-- Origin: mini-swe-agent, from version 2. Its first version has ```bash: bash_fence.

return s.syntax {
  api = 3, name = "bash_block", family = "agent",
  origin = "SWE-agent/mini-swe-agent",
  source = "https://github.com/SWE-agent/mini-swe-agent/blob/main/src/minisweagent/models/utils/actions_text.py",
  call = {
    at = "line", s.name "bash", { exact = true, "```mswea_bash_command\n" }, s.value { key = "command", trim = true },
    { exact = true, "\n```" },
  },
  values = { default = "string" },
  options = { max_calls = 1 },
  tools = { "bash" },
  examples = {
    { text = "```mswea_bash_command\nls -la\n```", calls = { { name = "bash", arguments = { command = "ls -la" } } } },
  },
}
