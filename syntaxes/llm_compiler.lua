--- A numbered plan of Python calls, one a line, up to `join()`. Origin: LLMCompiler.

local P, R, Cg, Cp, Ct = lpeg.P, lpeg.R, lpeg.Cg, lpeg.Cp, lpeg.Ct

local name = R("az", "AZ", "__") * (R("az", "AZ", "09") + lpeg.S "_-")^0
local head = Ct(R "09"^0 * "." * P " "^0 * Cg(Cp(), "at") * Cg(name, "name") * -1)

-- One way for each first digit, so that other lines are text at once.
local numbers = {}
for digit = 1, 9 do
  numbers[digit] = { tostring(digit), s.match(head, function(call)
    local first, others = ("%d"):format(call.index):match "^(.)(.*)$"
    if first == tostring(digit) then
      return ("%s. %s"):format(others, call.name)
    end
  end) }
end

return s.syntax {
  api = 3, name = "llm_compiler", family = "agent",
  origin = "SqueezeAILab/LLMCompiler, LangGraph",
  source = "https://github.com/SqueezeAILab/LLMCompiler/blob/main/src/llm_compiler/output_parser.py",
  blocks = {
    { at = "indent", s.any(numbers), "(", s.args "python", ")" },
    { at = "indent", "Thought: ", s.think(), "\n" },
  },
  between = "\n",
  stop = { "<END_OF_PLAN>" },
  stop_words = { "<END_OF_PLAN>" },
  examples = { {
    text = "1. search(query='cats')\n2. join()",
    calls = { { name = "search", arguments = { query = "cats" } }, { name = "join", arguments = {} } },
  } },
}
