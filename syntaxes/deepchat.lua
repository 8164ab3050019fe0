--- A JSON object in a tag, nested in another object.
-- Origin: ThinkInAIXYZ/deepchat, for models without tools.

local s = require "sluice.syntax"

local call = s.object { name = "name", arguments = "arguments" }

return s.syntax {
  api = 2,
  name = "deepchat", family = "agent",
  origin = "ThinkInAIXYZ/deepchat",
  source = "https://github.com/ThinkInAIXYZ/deepchat/blob/dev/src/main/provider/aiSdk/toolProtocol.ts",
  call = {
    "<function_call>\n", s.optional { s.any { "```json\n", "```\n" }, write = false },
    s.any { s.member { { "function_call", "function", "tool_call", "call" }, call }, call },
    s.optional { "\n```", write = false }, "\n", s.recoverable "</function_call>",
  },
  between = "\n",
  marked = { "<function_call{ mark}>", "</function_call{ mark}>" },
  examples = {
    {
      text = '<function_call>\n{"function_call": {"name": "search", "arguments": {"query": "cats"}}}\n</function_call>',
      calls = { { name = "search", arguments = { query = "cats" } } },
    },
  },
}
