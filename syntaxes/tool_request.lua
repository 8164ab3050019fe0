--- A JSON object between [TOOL_REQUEST] and [END_TOOL_REQUEST]. Origin: LM Studio's default for models without their own tool format.

return s.syntax {
  api = 3, name = "tool_request", family = "agent",
  origin = "LM Studio", source = "https://github.com/lmstudio-ai/docs/blob/main/1_developer/3_openai-compat/tools.mdx",
  call = { "[TOOL_REQUEST]", s.json { args = { "arguments", "parameters" } }, "[END_TOOL_REQUEST]" },
  between = "\n",
  marked = { "[TOOL_REQUEST{ mark}]", "[END_TOOL_REQUEST{ mark}]" },
  examples = { {
    text = '[TOOL_REQUEST]{"name": "search", "arguments": {"query": "cats"}}[END_TOOL_REQUEST]',
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
