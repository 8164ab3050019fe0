--- GLM-4 9B: a given tool's name on its own line, then JSON. Models: glm-4-9b, GLM-4-0414.

return s.syntax {
  api = 3, name = "glm4_9b",
  models = { "glm-4-9b", "GLM-4-9B-0414", "GLM-4-32B-0414" },
  source = "https://huggingface.co/zai-org/glm-4-9b-chat (chat template)",
  blocks = {
    { at = "line", s.given(), { exact = true, "\n" }, s.args() },
    { "<|assistant|>", s.given(), { exact = true, "\n" }, s.args() },
  },
  between = "\n",
  options = { fences = "text" },
  ignore = { "<|assistant|>" },
  stop = { "<|user|>", "<|observation|>", "<|endoftext|>" },
  examples = { {
    text = 'get_weather\n{"city": "Paris"}', tools = '[{"name": "get_weather"}]',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  }, { text = "It rains.", content = "It rains.", calls = {} } },
}
