--- Qwen3-Coder: functions and parameters in tags, values as text, typed by the tool's schema.
-- Models: Qwen3-Coder, Qwen3.5, Nemotron 3, IQuest-Coder. One newline on each side of a value belongs to the tags.

return s.syntax {
  api = 3, name = "qwen3_coder", aliases = { "qwen3_xml", "qwen3.5" },
  models = {
    "Qwen3-Coder", "Qwen3.5", "Qwen3.6", "Qwen3.7", "Qwen3.8", "Nemotron-3", "MiniCPM-V", "Step-5",
    "IQuest-Coder", "granite-4.2", "INTELLECT-3", "Ornith",
  },
  source = "https://huggingface.co/Qwen/Qwen3-Coder-30B-A3B-Instruct (chat template)",
  think = { s.tok "<think>\n", s.tok "\n</think>\n\n" },
  call = {
    s.lost(s.tok "<tool_call>\n"),
    s.calls { separate = true,
      "<function=", s.name(), ">\n",
      s.params { "<parameter=", s.key(), ">\n", s.value(), "\n</parameter>\n" },
      "</function>\n",
    },
    s.tok "</tool_call>",
  },
  between = "\n",
  options = { fences = "text" },
  stop = { "<|im_end|>", "<|endoftext|>" },
  result = { "<tool_response>\n", s.value(), "\n</tool_response>" },
  examples = { {
    text = "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n"
      .. "</function>\n</tool_call>",
    calls = { { name = "get_weather", arguments = { city = "Paris", days = 3 } } },
  }, {
    text = "<tool_call>\n<function=now>\n</function>\n</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>",
    calls = { { name = "now", arguments = {} }, { name = "now", arguments = {} } },
  } },
}
