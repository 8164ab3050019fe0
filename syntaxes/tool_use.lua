--- The name and JSON arguments, each in its own tag, inside <tool_use>. Origin: Cherry Studio, for models without tools.

local anything = s.match(lpeg.S " \t\r\n"^0 * lpeg.C((1 - lpeg.P "<tool_use>")^1)^-1 * -1, "") -- what it captures is told

return s.syntax {
  api = 3, name = "tool_use", family = "agent",
  origin = "CherryHQ/cherry-studio", source = "https://github.com/CherryHQ/cherry-studio",
  call = {
    "<tool_use>\n", anything, "<name>", s.name(), "</name>\n", anything,
    "<arguments>", s.args(), "</arguments>\n", "</tool_use>",
  },
  between = "\n",
  marked = { "<tool_use{ mark}>", "</tool_use{ mark}>" },
  examples = { {
    text = '<tool_use>\n<name>search</name>\n<arguments>{"query": "cats"}</arguments>\n</tool_use>',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
