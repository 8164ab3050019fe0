--- A digit decides: `1:` and a call in JSON, or `0:` and the answer. Origin: FastGPT's prompt mode.

return s.syntax {
  api = 3, name = "fastgpt", family = "agent",
  origin = "labring/FastGPT", source = "https://github.com/labring/FastGPT/blob/main/packages/service/core/ai/llm/promptCall/index.ts",
  blocks = { { at = "start", s.any { "1: ", "1：" }, s.json() }, { at = "start", s.any { "0: ", "0：" }, s.text() } },
  options = { max_calls = 1 },
  prose = { "1:", "1：" },
  examples = {
    { text = '1: {"name": "search", "arguments": {"query": "cats"}}', calls = { { name = "search", arguments = { query = "cats" } } } },
    { text = "0: It is sunny.", calls = {}, content = "It is sunny." },
  },
}
