--- The `tool_calls` of OpenAI's messages as text: the arguments are JSON in a string. Origin: shims for models without tools.

local P, S, C, Cg, Cp, Ct = lpeg.P, lpeg.S, lpeg.C, lpeg.Cg, lpeg.Cp, lpeg.Ct

local colon, text = S " \t\r\n"^0 * ":" * S " \t\r\n"^0, (P "\\" * 1 + (1 - P '"'))^0
local id = '"id"' * colon * '"' * Cg(C(text), "id") * '"'
local name = P '"name"' * colon * '"' * Cg(Cp(), "at") * Cg(C(text), "name") * '"'
local head = Ct((id + (1 - P '"name"'))^0 * name * (1 - S "{}")^0 * -1)
local others = s.match((1 - S "{}")^0 * -1, "")

local calls = { "[", s.calls {
  "{", s.match(head, function(call)
    return ('"id": "%s", "type": "function", "function": {"name": "%s", '):format(call.id or "call_" .. call.index, call.name)
  end), '"arguments": ', s.args(), "}", others, "}", between = ", ",
}, "]" }
local fence, fence_end = s.also(s.any { "```json\n", "```\n" }), s.also "\n```"

return s.syntax {
  api = 3, name = "openai_json", family = "agent",
  origin = "prompts that show OpenAI's message format", source = "https://platform.openai.com/docs/guides/function-calling",
  blocks = {
    { at = "line", fence, "{", s.match((1 - P '"tool_calls"')^0 * -1, ""), '"tool_calls": ', calls, others, "}", fence_end },
    { at = "line", fence, calls, fence_end },
  },
  examples = { {
    text = '{"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": {"query": "cats"}}}]}',
    calls = { { name = "search", id = "c1", arguments = { query = "cats" } } },
  } },
}
