--- Hermes, Qwen 2.5 and Qwen 3: a JSON object in <tool_call> tags, one call per block.
-- Models: NousResearch Hermes 2 Pro, 3 and 4, Qwen2.5, Qwen3, QwQ, SmolLM3, Arch-Function, and many fine-tuned on their data.

return s.syntax {
  api = 3, name = "hermes", aliases = { "qwen2.5", "qwen3" },
  models = { "Qwen2.5", "Qwen3", { "Qwen3-*-Thinking", start = "reasoning" }, { "QwQ", start = "reasoning" }, "MiMo-VL", "Bielik",
    "Trinity", "Hermes 2", "Hermes 2 Pro", "Hermes 3", "DeepHermes", "Hermes 4", "SmolLM3", "Arch-Function", "Holo2", "Kolibri-1",
    "EXAONE-4", "K-EXAONE", "Nanbeige", "AI21-Jamba-Reasoning" },
  source = "https://github.com/NousResearch/Hermes-Function-Calling",
  think = { s.tok "<think>\n", s.tok "\n</think>\n\n" },
  blocks = {
    { s.tok "<tool_call>\n", s.json(), s.tok "\n</tool_call>" },
    { s.tok "<tool_call>\n", s.any { "```json\n", "```\n" }, s.json(), "\n```", s.tok "\n</tool_call>" },
    { s.tok "<tool_call>\n", s.json { each = "*" }, s.tok "\n</tool_call>" },
  },
  between = "\n",
  stop = { "<|im_end|>", "<|eot_id|>", "[|endofturn|]", "<|endofturn|>", "<|end_of_text|>", "<|end_of_sentence|>" },
  result = { "<tool_response>\n", s.value(), "\n</tool_response>" },
  prompt = [[
{preamble}

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>]],
  marked = true,
  examples = { {
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  }, {
    text = '<think>\nThe user asks for the time.\n</think>\n\nOne moment.\n<tool_call>\n{"name": "now", "arguments": {}}\n'
      .. '</tool_call>\n<tool_call>\n{"name": "now", "arguments": {"utc": true}}\n</tool_call><|im_end|>',
    reasoning = "The user asks for the time.", content = "One moment.\n",
    calls = { { name = "now", arguments = {} }, { name = "now", arguments = { utc = true } } },
  } },
}
