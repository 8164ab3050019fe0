--- MiroThinker: the server, the tool and JSON arguments in tags. The server is in the call's `extra`.
-- Models: MiroThinker. Cline has the same tag for MCP servers.

return s.syntax {
  api = 3, name = "mirothinker_mcp", aliases = { "mcp_tool", "mirothinker" },
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
  between = "\n\n",
  stop = { "<|im_end|>" },
  marked = { "<use_mcp_tool{ mark}>", "</use_mcp_tool{ mark}>" },
  examples = { {
    text = '<use_mcp_tool>\n<server_name>default</server_name>\n<tool_name>get_weather</tool_name>\n<arguments>\n{"city": "Paris"}\n'
      .. "</arguments>\n</use_mcp_tool>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
