--- A numbered plan of Python calls, one a line, up to `join()`. Origin: LLMCompiler.

local P, R, Cg, Cp, Ct = lpeg.P, lpeg.R, lpeg.Cg, lpeg.Cp, lpeg.Ct

local head = Ct(R "09"^0 * "." * P " "^0 * Cg(Cp(), "at") * Cg((R("az", "AZ", "09", "\128\255") + lpeg.S "_-.:/")^1, "name") * -1)

return s.syntax {
  api = 3, name = "llm_compiler", family = "agent",
  origin = "SqueezeAILab/LLMCompiler, LangGraph",
  source = "https://github.com/SqueezeAILab/LLMCompiler/blob/main/src/llm_compiler/output_parser.py",
  blocks = {
    { at = "indent", s.match(head, function(call)
      return ("%d. %s"):format(call.index, call.name)
    end, { "1", "2", "3", "4", "5", "6", "7", "8", "9" }), s.any { "(", s.also { { exact = true, "\n" }, "(" } }, s.args "python", ")" },
    { at = "indent", "Thought: ", s.think(), "\n" },
  },
  between = "\n",
  options = { fences = "text" },
  stop = { "<END_OF_PLAN>" },
  stop_words = { "<END_OF_PLAN>" },
  examples = { {
    text = "1. search(query='cats')\n2. join()",
    calls = { { name = "search", arguments = { query = "cats" } }, { name = "join", arguments = {} } },
  } },
}
