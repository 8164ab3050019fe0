--- RWKV: a JSON object in a fence, after a bold heading; in a JSON fence alone it counts if it is a call. Models: rwkv7.

return s.syntax {
  api = 3, name = "rwkv",
  models = { "rwkv" },
  source = "https://github.com/vllm-project/vllm/pull/46227 (rwkv_tool_parser.py)",
  think = { "<think>", "</think>" },
  blocks = {
    { "**Tool Call:**\n", "```json\n", s.json { strict = true }, "\n```" },
    { at = "line", "```json\n", s.json { strict = true }, "\n```" },
    { "<tool_call>\n", s.json { strict = true }, s.also "\n</tool_call>" },
  },
  between = "\n",
  examples = { {
    text = '**Tool Call:**\n```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
