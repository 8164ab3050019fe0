--- One shell command in a ```bash fence: like bash_block, but with the common language word. Only its name selects it, never
-- `auto`: an example in such a fence looks the same. For another word, inherit in the same way.
-- Origin: mini-swe-agent, version 1, and others.

return inherit("bash_block", {
  api = 3, name = "bash_fence", family = "fence",
  origin = "SWE-agent/mini-swe-agent, version 1",
  literals = { mswea_bash_command = "bash" },
  examples = {
    { text = "```bash\nls -la\n```", calls = { { name = "bash", arguments = { command = "ls -la" } } } },
  },
})
