--- A plan, and for each of its steps a variable with a tool and its input in brackets. Origin: ReWOO.

return s.syntax {
  api = 3, name = "rewoo", family = "agent",
  origin = "billxbf/ReWOO, LangGraph", source = "https://github.com/billxbf/ReWOO",
  blocks = {
    { at = "indent", "#E", s.match(lpeg.R "09"^1 * lpeg.P " "^0 * -1, "{index}"), " = ",
      s.name((1 - lpeg.S "[]\n")^1 * -1), "[", s.args { raw = "input" },
      { exact = true, "]\n" } },
    { at = "indent", "Plan", s.match((lpeg.R "09" + " ")^0 * -1, ""), ": ", s.think(), "\n" },
  },
  options = { fences = "text" },
  examples = { {
    text = "#E1 = search[cats]\n", deviates = true, calls = { { name = "search", arguments = { input = "cats" } } },
  } },
}
