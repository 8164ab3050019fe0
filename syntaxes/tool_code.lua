--- Gemma before it had tokens for calls: Python calls in its own fence, or in tags, one per line.

local name = lpeg.R("az", "AZ", "__") * (lpeg.R("az", "AZ", "09") + lpeg.S "_.")^0 * -1
local calls = s.calls { s.also "print(", s.name(name), "(", s.args "python", ")", s.also ")", between = "\n" }

return s.syntax {
  api = 3, name = "tool_code",
  origin = "Gemma 3, as its documentation prompts it", source = "https://ai.google.dev/gemma/docs/capabilities/function-calling",
  blocks = { { "```tool_code\n", calls, "\n```" }, { "<tool_code>\n", calls, "\n</tool_code>" } },
  namespaces = { "default_api." },
  stop = { "<end_of_turn>" },
  between = "\n",
  examples = { {
    text = "```tool_code\nget_weather(city='Paris')\nnow()\n```",
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
