--- Calls as transcripts show them, which models imitate: `[Calling tool: f({...})]`, or with attributes.

local name = (lpeg.R("az", "AZ", "09") + lpeg.S "_.-:/")^1 * -1

return s.syntax {
  api = 3, name = "calling_tool_bracket",
  origin = "transcripts of tool use, as models imitate them", source = "https://github.com/waybarrios/vllm-mlx",
  think = { "<think>\n", "\n</think>\n\n" },
  values = { default = "string" },
  blocks = {
    { "[Calling tool: ", s.name(name), "(", { exact = true, s.args() }, ")]" },
    { "[Calling tool=\"", s.name(name), "\"", s.params { " ", s.key(), "=\"", s.value(), "\"" }, "]" },
  },
  between = "\n",
  examples = { {
    text = '[Calling tool: get_weather({"city": "Paris"})]',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
