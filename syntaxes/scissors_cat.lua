--- A JSON array of calls at the start of the message, ✂️🐱, then Markdown for the chat. Anything before the delimiter that is not
-- a valid call is reported, and never chat. Without a delimiter the whole message is Markdown, streamed at once.
-- Origin: Meowstik, docs/05-tool-call-schema.md; its list of types is used if no tools are given.

local function call(each)
  return s.json {
    each = each, name = "type", args = "parameters", id = "id",
    members = { { "type", "string" }, { "id", "string", default = function(n) return ("call-%03d"):format(n) end },
      { "operation", "string", default = "" }, { "parameters", "object" }, { "priority", "number?", default = 0 } },
  }
end

return s.syntax {
  api = 3, name = "scissors_cat", family = "section", -- in `auto` any message that begins with a bracket would wait
  origin = "Meowstik", source = "https://github.com/jasonbender-c3x/Meowstik",
  call = { at = "start", s.section { call "*", call(), s.any { "\n\n✂️🐱\n\n", "✂🐱" } } },
  options = { calls = "whole" },
  tools = { "api_call", "file_ingest", "file_upload", "search", "web_search", "custom", "terminal_execute", "gmail_list", "gmail_read",
    "gmail_send", "gmail_search", "drive_list", "drive_read", "drive_create", "drive_update", "drive_delete", "drive_search",
    "calendar_list", "calendar_events", "calendar_create", "calendar_update", "calendar_delete", "docs_read", "docs_create", "docs_append",
    "docs_replace", "sheets_read", "sheets_write", "sheets_append", "sheets_create", "sheets_clear", "tasks_list", "tasks_get",
    "tasks_create", "tasks_update", "tasks_complete", "tasks_delete" },
  examples = { {
    text = '[{"type": "search", "id": "s1", "operation": "Find a", "parameters": {"query": "a"}}]\n\n✂️🐱\n\n',
    calls = { { name = "search", id = "s1", extra = { operation = "Find a" }, arguments = { query = "a" } } },
  }, {
    text = "[]\n\n✂️🐱\n\nHere's your answer...", content = "Here's your answer...", calls = {},
  } },
}
