--- A line with the function, and one with its arguments, after words between ✿ signs. Origin: Qwen-Agent, for Qwen2 and earlier.

return s.syntax {
  api = 3, name = "qwen_agent", family = "agent",
  origin = "QwenLM/Qwen-Agent",
  source = "https://github.com/QwenLM/Qwen-Agent/blob/main/qwen_agent/llm/fncall_prompts/qwen_fncall_prompt.py",
  call = {
    s.calls { "✿FUNCTION✿: ", s.name(), "\n✿ARGS✿: ", s.args { raw = "code" }, between = "\n" },
    s.also(s.any { "\n✿RESULT✿: ", "\n✿RETURN✿: ", "\n✿RESULT✿", "\n✿RETURN✿" }),
  },
  stop = { "✿RESULT✿: ", "✿RETURN✿: ", "✿RESULT✿", "✿RETURN✿" },
  stop_words = { "✿RESULT✿", "✿RETURN✿" },
  marked = { "✿FUNCTION{ mark}✿", "✿ARGS{ mark}✿" },
  examples = {
    { text = '✿FUNCTION✿: search\n✿ARGS✿: {"query": "cats"}', calls = { { name = "search", arguments = { query = "cats" } } } },
  },
}
