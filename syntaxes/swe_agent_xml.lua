--- A discussion, and one shell command in <command> tags. Origin: SWE-agent, its XML thought and action parser.

return s.syntax {
  api = 3, name = "swe_agent_xml", family = "agent",
  origin = "SWE-agent/SWE-agent", source = "https://github.com/SWE-agent/SWE-agent/blob/main/sweagent/tools/parsing.py",
  call = { s.name "bash", "<command>\n", s.value { key = "command", trim = true }, "\n</command>" },
  values = { default = "string" },
  options = { max_calls = 1 },
  tools = { "bash" },
  examples = { {
    text = "<command>\nls -la\n</command>", calls = { { name = "bash", arguments = { command = "ls -la" } } },
  } },
}
