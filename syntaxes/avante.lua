--- JSON objects in <tool_use> tags; the closer is a stop word, so it is usually missing. Origin: yetone/avante.nvim, its ReAct mode.

return s.syntax {
  api = 3, name = "avante", family = "agent",
  origin = "yetone/avante.nvim", source = "https://github.com/yetone/avante.nvim/blob/main/lua/avante/libs/ReAct_parser2.lua",
  call = { "<tool_use>", s.json { args = "input" }, s.opt "</tool_use>" },
  between = "\n",
  stop_words = { "</tool_use>" },
  marked = { "<tool_use{ mark}>", "</tool_use{ mark}>" },
  examples = { {
    text = '<tool_use>{"name": "view", "input": {"path": "a.lua"}}</tool_use>',
    calls = { { name = "view", arguments = { path = "a.lua" } } },
  } },
}
