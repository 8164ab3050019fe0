--- Thought, Action, Action Input, each on a line; the input is JSON or text. Final Answer is for the user.
-- Origin: the ReAct paper, as LangChain, CrewAI, LlamaIndex, Qwen-Agent and Dify read it.

local count = s.match((lpeg.S " *" + lpeg.R "09")^0 * -1, "") -- "Action 1:", "**Action**:"
local colon = s.any { ":", s.also { { exact = true, "\n" }, ":" } } -- on this line: "Action" may also begin a sentence

return s.syntax {
  api = 3, name = "react", family = "agent",
  origin = "LangChain, CrewAI, LlamaIndex, Qwen-Agent, Dify", source = "https://arxiv.org/abs/2210.03629",
  blocks = {
    { at = "indent", s.any { "Action", "**Action" }, count, colon, s.any { " ", "\n", "** " }, s.name((1 - lpeg.P "\n")^1 * -1),
      s.any { "\nAction Input: ", "\n**Action Input:** ",
        { s.any { "\nAction Input", "\n**Action Input" }, count, s.any { ": ", ":** " } } },
      s.args { raw = "input" }, s.also "\nObservation:" },
    { at = "indent", "Action", count, colon, s.name((1 - lpeg.S "[]\n(`'\"=")^1 * -1), "[", s.args { raw = "input" },
      { exact = true, "]\n" } },
    { at = "indent", s.any { "Final Answer: ", "**Final Answer:** ", "Answer: " }, s.text() },
    { at = "indent", s.any { "Thought", "**Thought" }, count, s.any { ": ", ":** " }, s.think(), "\n" },
  },
  repair_name = function(name) -- without marks, and a description in parentheses, which has no arguments
    local at = name:find "[%(%[{]" or #name + 1
    local known = not name:find("[=:{%[\"']", at) and name:sub(1, at - 1) or name
    return (known:gsub("^[*%s`]+", ""):gsub("[*%s`]+$", ""))
  end,
  options = { max_calls = 1, fences = "text" },
  stop_words = { "\nObservation" },
  examples = { {
    text = 'Action: search\nAction Input: {"query": "cats"}',
    calls = { { name = "search", arguments = { query = "cats" } } },
  }, {
    text = "Thought: I know it.\nFinal Answer: 42", calls = {}, reasoning = "I know it.", content = "42",
  } },
}
