--- ChatGLM3: a given tool's name on its own line, then a call of `tool_call` in a Python fence. Models: chatglm3.

return s.syntax {
  api = 3, name = "chatglm3",
  models = { "chatglm3" },
  source = "https://github.com/zai-org/ChatGLM3 (tools_using_demo)",
  blocks = {
    { at = "line", s.given(), "\n ```python\n", "tool_call(", s.args "python", ")\n", "```" },
    { "<|assistant|>", s.given(), "\n ```python\n", "tool_call(", s.args "python", ")\n", "```" },
  },
  between = "\n",
  ignore = { "<|assistant|>" },
  stop = { "<|user|>", "<|observation|>" },
  examples = { {
    text = "get_weather\n ```python\ntool_call(city='Paris')\n```", tools = '[{"name": "get_weather"}]',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  }, { text = "It rains.", content = "It rains.", calls = {} } },
}
