--- A JSON array of calls at the start of the message, ✂️🐱, then Markdown for the chat. Anything before the delimiter that is not
-- a valid call is reported, and never chat. Without a delimiter the whole message is Markdown, streamed at once.
-- Origin: Meowstik, docs/05-tool-call-schema.md; its list of types is used if no tools are given.

local s = require "sluice.syntax"

local call = s.object {
  name = "type", arguments = "parameters", id = "id",
  order = { "type", "id", "operation", "parameters", "priority" },
  extra = { { "operation" }, { "priority", "0" } },
  required = { type = "string", id = "string", operation = "string", parameters = "object", priority = "number?" },
  defaults = { operation = "", id = function(n) return ("call-%03d"):format(n) end },
}

local function names(list)
  local out = {}
  for prefix, rest in list:gmatch "(%S-):(%S+)" do
    for name in rest:gmatch "[^,]+" do
      out[#out + 1] = prefix .. name
    end
  end
  return out
end

return s.syntax {
  api = 2,
  name = "scissors_cat",
  origin = "Meowstik",
  source = "https://github.com/jasonbender-c3x/Meowstik",
  call = { at = "start", s.section { s.array(call), call, close = { "\n\n✂️🐱", "✂🐱" }, after = "\n\n" } },
  reserved_section = true, trim = true,
  options = { calls = "whole" },
  tools = names [[:api_call,file_ingest,file_upload,search,web_search,custom,terminal_execute
    gmail_:list,read,send,search drive_:list,read,create,update,delete,search
    calendar_:list,events,create,update,delete docs_:read,create,append,replace
    sheets_:read,write,append,create,clear tasks_:list,get,create,update,complete,delete]],
  examples = {
    {
      text = '[{"type": "search", "id": "s1", "operation": "Find a", "parameters": {"query": "a"}}]\n\n✂️🐱\n\n',
      calls = { { name = "search", id = "s1", extra = { operation = "Find a" }, arguments = { query = "a" } } },
    },
    {
      text = "[]\n\n✂️🐱\n\nHere's your answer...", content = "Here's your answer...", calls = {},
    },
  },
}
