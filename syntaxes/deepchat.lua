--- A JSON object in a tag, nested in another object. Origin: ThinkInAIXYZ/deepchat, for models without tools.

return s.syntax {
  api = 3, name = "deepchat", family = "agent",
  origin = "ThinkInAIXYZ/deepchat", source = "https://github.com/ThinkInAIXYZ/deepchat/blob/dev/src/main/provider/aiSdk/toolProtocol.ts",
  call = {
    "<function_call>\n",
    s.also(s.any { "```json\n", "```\n" }),
    s.any {
      s.json { each = { "function_call", "function", "tool_call", "call" } },
      s.json(),
    },
    s.also "\n```", "\n", "</function_call>",
  },
  between = "\n",
  marked = { "<function_call{ mark}>", "</function_call{ mark}>" },
  examples = { {
    text = '<function_call>\n{"function_call": {"name": "search", "arguments": {"query": "cats"}}}\n</function_call>',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
