--- A JSON array of calls at the start of the message, ✂️🐱, then Markdown for the chat. Anything before the delimiter that is not
-- a valid call is reported, and never chat. Without a delimiter the whole message is Markdown, streamed at once.
-- Origin: Meowstik, docs/05-tool-call-schema.md; its list of types is used if no tools are given.

local action = {
  name = "type", args = "parameters", id = "id",
  members = { { "type", "string" }, { "id", "string", default = function(n) return ("call-%03d"):format(n) end },
    { "operation", "string", default = "" }, { "parameters", "object" }, { "priority", "number?", default = 0 } },
}

local function with(options)
  for key, value in pairs(action) do
    options[key] = value
  end
  return s.json(options)
end

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
  api = 3, name = "scissors_cat",
  origin = "Meowstik", source = "https://github.com/jasonbender-c3x/Meowstik",
  call = { at = "start", s.section { with { each = "*" }, with {}, s.any { "\n\n✂️🐱\n\n", "✂🐱" } } },
  options = { calls = "whole" },
  tools = names [[:api_call,file_ingest,file_upload,search,web_search,custom,terminal_execute
    gmail_:list,read,send,search drive_:list,read,create,update,delete,search
    calendar_:list,events,create,update,delete docs_:read,create,append,replace
    sheets_:read,write,append,create,clear tasks_:list,get,create,update,complete,delete]],
  examples = { {
    text = '[{"type": "search", "id": "s1", "operation": "Find a", "parameters": {"query": "a"}}]\n\n✂️🐱\n\n',
    calls = { { name = "search", id = "s1", extra = { operation = "Find a" }, arguments = { query = "a" } } },
  }, {
    text = "[]\n\n✂️🐱\n\nHere's your answer...", content = "Here's your answer...", calls = {},
  } },
}
