--- MiroThinker: the server, the tool and JSON arguments in tags. The server is in the call's `extra`.
-- Models: MiroThinker. Cline has the same tag for MCP servers.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "mirothinker_mcp", aliases = { "mcp_tool", "mirothinker" },
  models = { "MiroThinker" },
  origin = "MiroMindAI/MiroThinker, Cline",
  source = "https://github.com/MiroMindAI/MiroThinker/blob/main/apps/miroflow-agent/src/utils/parsing_utils.py",
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = {
    "<use_mcp_tool>\n",
    "<server_name>", s.extra { key = "server", default = "default" }, "</server_name>\n",
    "<tool_name>", s.name(), "</tool_name>\n",
    "<arguments>\n", s.arguments(), s.recoverable "\n</arguments>", "\n",
    s.recoverable "</use_mcp_tool>",
  },
  between = "\n\n",
  stop = { "<|im_end|>" },
  marked = { "<use_mcp_tool{ mark}>", "</use_mcp_tool{ mark}>" },
  examples = {
    {
      text = '<use_mcp_tool>\n<server_name>default</server_name>\n<tool_name>get_weather</tool_name>\n<arguments>\n{"city": "Paris"}\n'
        .. "</arguments>\n</use_mcp_tool>",
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
