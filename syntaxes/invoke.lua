--- Claude's invocations without a prefix, as agents prompt for them. Origin: kortix-ai/suna, and prompts copied from Claude's.

return inherit("minimax_m2", {
  api = 3, name = "invoke",
  origin = "kortix-ai/suna", source = "https://github.com/kortix-ai/suna/blob/main/backend/core/agentpress/xml_tool_parser.py",
  stop = {}, result = false,
  literals = { ["<minimax:tool_call>\n"] = "<function_calls>\n", ["</minimax:tool_call>"] = "</function_calls>" },
  marked = { "<function_calls{ mark}>", "</function_calls{ mark}>", "<invoke{ mark}", "</invoke{ mark}>",
    "[TOOL_CALL{ mark}]", "[/TOOL_CALL{ mark}]" },
  examples = { {
    text = '<function_calls>\n<invoke name="search">\n<parameter name="query">cats</parameter>\n</invoke>\n</function_calls>',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
})
