--- A server, one of its tools, and JSON arguments, each in a tag. Origin: MiroThinker; Cline has the same tag for MCP servers.

return s.syntax {
  api = 3, name = "mcp_tool", aliases = { "mirothinker" }, family = "agent",
  models = { "MiroThinker" },
  origin = "MiroMindAI/MiroThinker, Cline",
  source = "https://github.com/MiroMindAI/MiroThinker/blob/main/apps/miroflow-agent/src/utils/parsing_utils.py",
  think = { "<think>\n", "\n</think>\n\n" },
  call = {
    "<use_mcp_tool>\n",
    "<server_name>", s.capture("server", "default"), "</server_name>\n",
    "<tool_name>", s.name(), "</tool_name>\n",
    "<arguments>\n", s.args(), "\n</arguments>\n",
    "</use_mcp_tool>",
  },
  between = "\n",
  marked = { "<use_mcp_tool{ mark}>", "</use_mcp_tool{ mark}>" },
  examples = { {
    text = "<use_mcp_tool>\n<server_name>default</server_name>\n<tool_name>search</tool_name>\n<arguments>\n"
      .. '{"query": "cats"}\n</arguments>\n</use_mcp_tool>',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
