--- The `tool_calls` of OpenAI's messages as text: the arguments are JSON in a string. Origin: shims for models without tools.

local P, S, C, Cg, Cp, Ct = lpeg.P, lpeg.S, lpeg.C, lpeg.Cg, lpeg.Cp, lpeg.Ct

local blank, text = S " \t\r\n"^0, (P "\\" * 1 + (1 - P '"'))^0
local colon, comma = blank * ":" * blank, blank * "," * blank
local scalar, none = '"' * text * '"' + (1 - S ",{}[] \t\r\n")^1, P "null" + '""' + "[]" + "{}"
local plain = (P '"id"' + '"type"' + '"index"' + '"role"' + '"object"' + '"created"' + '"model"' + '"description"') * colon * scalar
  + '"' * (1 - P '"')^1 * '"' * colon * none
local id = '"id"' * colon * '"' * Cg(C((1 - S '"\\')^0), "id") * '"'
local name = P '"name"' * colon * '"' * Cg(Cp(), "at") * Cg(C(text), "name") * '"'
local head = Ct(blank * ((id + plain) * comma)^0 * ('"function"' * colon * "{" * blank * (plain * comma)^0)^-1 * name * comma * -1)
local before = s.match(blank * (plain * comma)^0 * C(P(1)^1)^-1 * -1, "") -- what it captures is told
local others = s.match((comma * plain)^0 * comma^-1 * blank * C((1 - S "{}")^1)^-1 * -1, "")
local behind = s.match((comma * plain)^0 * blank * -1, "")

local calls = { "[", s.calls {
  "{", s.match(head, function(call)
    if (call.id or ""):find '["\\%c]' then
      return nil, "the id has characters that JSON escapes"
    end
    return ('"id": "%s", "type": "function", "function": {"name": "%s", '):format(call.id or "call_" .. call.index, call.name)
  end), s.any { '"arguments": ', s.also '"arguments" :' }, s.args(), "}", others,
  s.also { s.any { '"id": "', '"id":"', '"id" : "' }, s.id(), '"', others }, "}", between = ", ",
}, "]" }
local message = { at = "line", "{", before, s.any { '"tool_calls": ', s.also '"tool_calls" :' }, calls, behind, "}" }

return s.syntax {
  api = 3, name = "openai_json", family = "agent",
  origin = "prompts that show OpenAI's message format", source = "https://platform.openai.com/docs/guides/function-calling",
  blocks = {
    message, { at = "line", calls },
    { at = "line", s.any { "```json\n", "```\n" }, s.any { message, calls }, "\n```" },
  },
  examples = { {
    text = '{"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": {"query": "cats"}}}]}',
    calls = { { name = "search", id = "c1", arguments = { query = "cats" } } },
  } },
}
