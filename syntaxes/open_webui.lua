--- A JSON object with a list of calls; an empty list means that no call is needed. Origin: Open WebUI's default, prompted function calling.

local call = s.any {
  s.json { each = "tool_calls.*", args = "parameters", strict = false, anywhere = true },
  s.json { args = "parameters", strict = false, anywhere = true },
}

return s.syntax {
  api = 3, name = "open_webui", family = "agent",
  origin = "open-webui/open-webui", source = "https://github.com/open-webui/open-webui/blob/main/backend/open_webui/utils/middleware.py",
  blocks = { call, { s.any { "```json\n", "```\n" }, call, "\n```" } },
  examples = {
    {
      text = '{"tool_calls": [{"name": "search", "parameters": {"query": "cats"}}]}',
      calls = { { name = "search", arguments = { query = "cats" } } },
    },
    { text = '{"tool_calls": []}', calls = {} },
  },
}
