--- Qwen2.5-Coder: like hermes, but in the <tools> tags of its own prompt; also an array. Models: Qwen2.5-Coder.

local keys = { "arguments", "parameters" }

return inherit("hermes", {
  api = 3, name = "qwen25_coder", aliases = { "qwen2_5_coder" },
  models = { "Qwen2.5-Coder" },
  source = "https://github.com/vllm-project/vllm/pull/32926 (qwen25_coder_tool_parser.py)",
  blocks = {
    { "<tools>\n", s.any { s.calls { s.json { args = keys }, between = "\n" }, s.also(s.json { each = "*", args = keys }) }, "\n</tools>" },
    { s.tok "<tool_call>\n", s.json { args = keys }, s.tok "\n</tool_call>" },
    { at = "start", s.any { { "```json\n", s.json { args = keys }, "\n```" }, s.json { args = keys } } }, -- without tags
  },
  examples = { {
    text = '<tools>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tools>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
