--- An action and its variables as JSON after [ACTION], in steps; or a plan of functions in tags, whose attributes are the parameters.
-- Origin: Microsoft's Semantic Kernel, its stepwise and its sequential planner.

local P, R, S, C, Cs, Cg, Cp, Ct = lpeg.P, lpeg.R, lpeg.S, lpeg.C, lpeg.Cs, lpeg.Cg, lpeg.Cp, lpeg.Ct

local blank, word = S " \t\r\n"^0, (R("az", "AZ", "09") + S "_.-")^1
local entity = P "&lt;" / "<" + P "&gt;" / ">" + P "&quot;" / '"' + P "&apos;" / "'" + P "&amp;" / "&"
local attribute = blank * Ct(C(word) * blank * "=" * blank * '"' * Cs((entity + (1 - P '"'))^0) * '"')
local head = Ct(Cg(Cp(), "at") * Cg(C(word), "name") * attribute^0 * blank * -1)

local action = s.json { name = "action", args = "action_variables" }
local step = s.match(head, function() return nil, "a plan is only read" end)

return s.syntax {
  api = 3, name = "semantic_kernel", family = "agent",
  origin = "microsoft/semantic-kernel", source = "https://github.com/microsoft/semantic-kernel (StepwisePlanner, SequentialPlanner)",
  blocks = {
    { "[ACTION]\n", s.any { action, { s.any { "```json\n", "```\n" }, action, "\n```" } } },
    { s.also "<plan>\n", "<function.", step, s.opt { 'setContextVariable="', s.capture("setContextVariable", ""), '"' }, -- its own
      s.opt { 'appendToResult="', s.capture("appendToResult", ""), '"' }, "/>" },
    { s.also "<plan>\n", "<function.", step, "/>" },
    { "[THOUGHT]\n", s.think(), "\n" },
    { s.any { "[FINAL ANSWER]\n", "[FINAL ANSWER] " }, s.text() },
  },
  between = "\n",
  ignore = { "<plan>", "</plan>" },
  stop_words = { "[OBSERVATION]" },
  examples = { {
    text = '[ACTION]\n{"action": "search", "action_variables": {"query": "cats"}}',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
