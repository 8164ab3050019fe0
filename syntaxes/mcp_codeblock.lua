--- A fence with the name of an MCP server and a JSON-RPC request.
-- Origin: NextChat, and its forks.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "mcp_codeblock", family = "agent",
  origin = "ChatGPTNextWeb/NextChat",
  source = "https://github.com/ChatGPTNextWeb/NextChat/blob/main/app/mcp/utils.ts",
  call = {
    "```json:mcp:", s.extra { key = "server", default = "default" }, "\n",
    s.member { "params", s.object { name = "name", arguments = "arguments", arguments_optional = true },
      fixed = { { "method", "tools/call" } } },
    s.recoverable "\n```",
  },
  max_calls = 1,
  examples = {
    {
      text = '```json:mcp:default\n{"method": "tools/call", "params": {"name": "search", "arguments": {"query": "cats"}}}\n```',
      calls = { { name = "search", arguments = { query = "cats" } } },
    },
  },
}
