--- A JSON object with a list of calls; an empty list means that no call is needed.
-- Origin: Open WebUI's default, prompted function calling.

local s = require "sluice.syntax"

local call = s.object { name = "name", arguments = "parameters", arguments_optional = true, anywhere = true }

return s.syntax {
  api = 2,
  name = "open_webui", family = "agent",
  origin = "open-webui/open-webui",
  source = "https://github.com/open-webui/open-webui/blob/main/backend/open_webui/utils/middleware.py",
  call = {
    s.optional { s.any { "```json\n", "```\n" }, write = false },
    s.any { s.member { "tool_calls", s.array(call), anywhere = true }, call },
    s.optional { "\n```", write = false },
  },
  examples = {
    {
      text = '{"tool_calls": [{"name": "search", "parameters": {"query": "cats"}}]}',
      calls = { { name = "search", arguments = { query = "cats" } } },
    },
    { text = '{"tool_calls": []}', calls = {} },
  },
}
