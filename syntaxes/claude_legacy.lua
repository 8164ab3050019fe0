--- Calls in tags named after their parameters, as Claude was prompted before it had native tools.
-- Origin: Anthropic's tool prompt of 2023 and 2024; litellm, Sweep and older wrappers still write it.

return s.syntax {
  api = 3, name = "claude_legacy", family = "agent",
  origin = "Anthropic, before native tools; BerriAI/litellm",
  source = "https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/prompt_templates/factory.py",
  call = {
    s.lost "<function_calls>\n",
    s.calls {
      "<invoke>\n", "<tool_name>", s.name(), "</tool_name>\n", "<parameters>\n",
      s.params { nested = "item", "<", s.key(), ">", s.value(), "</", s.same "key", ">\n" },
      "</parameters>\n", "</invoke>\n",
    },
    s.opt "</function_calls>",
  },
  stop_words = { "</function_calls>" },
  marked = { "<function_calls{ mark}>", "</function_calls{ mark}>", "<invoke{ mark}>", "</invoke{ mark}>" },
  examples = { {
    text = "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n"
      .. "</invoke>\n</function_calls>",
    calls = { { name = "get_weather", arguments = { city = "Oslo" } } },
  } },
}
