--- xLAM: a bare JSON array; also reads fenced, marked and tagged ones. Models: Llama-xLAM-2, xLAM-2.

return s.syntax {
  api = 3, name = "xlam",
  models = { "xLAM" },
  stop = { "<|eot_id|>", "<|im_end|>" },
  source = "https://huggingface.co/Salesforce/Llama-xLAM-2-8b-fc-r",
  think = { "<think>\n", "\n</think>\n\n" },
  blocks = {
    s.json { each = "*" },
    s.json { each = "tool_calls.*", think = { "thought" } },
    { "```json", s.json { each = "*" }, "```" },
    { "```", s.json { each = "*" }, "```" },
    { "[TOOL_CALLS]", s.json { each = "*" } },
    { "<tool_call>", s.json { each = "*" }, s.opt "</tool_call>" },
  },
  examples = { {
    text = '[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "now", "arguments": {}}]',
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
