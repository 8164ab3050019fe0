--- A fence with the name of an MCP server and a JSON-RPC request. Origin: NextChat, and its forks.

return s.syntax {
  api = 3, name = "mcp_codeblock", family = "agent",
  origin = "ChatGPTNextWeb/NextChat", source = "https://github.com/ChatGPTNextWeb/NextChat/blob/main/app/mcp/utils.ts",
  call = {
    "```json:mcp:", s.capture("server", "default"), "\n",
    s.json { each = "params", members = { { "method", default = "tools/call" } } },
    "\n```",
  },
  options = { max_calls = 1 },
  examples = { {
    text = '```json:mcp:default\n{"method": "tools/call", "params": {"name": "search", "arguments": {"query": "cats"}}}\n```',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
