--- A JSON object in a tag: the tool's name is a member, all others are its arguments. `"cb_easp": true` ends it, as the stop word.

return s.syntax {
  api = 3, name = "codebuff", family = "agent",
  origin = "CodebuffAI/codebuff", source = "https://github.com/CodebuffAI/codebuff/blob/main/backend/src/xml-stream-parser.ts",
  call = {
    "<codebuff_tool_call>\n", s.json { name = "cb_tool_name", args = "*", members = { { "cb_tool_name" }, { "cb_easp" } } },
    s.opt "\n</codebuff_tool_call>",
  },
  between = "\n",
  stop_words = { '"cb_easp": true' },
  marked = { "<codebuff_tool_call{ mark}>", "</codebuff_tool_call{ mark}>" },
  examples = { {
    text = '<codebuff_tool_call>\n{"cb_tool_name": "read_files", "paths": ["a.ts"]}\n</codebuff_tool_call>',
    calls = { { name = "read_files", arguments = { paths = { "a.ts" } } } },
  } },
}
