--- MiMo: like Qwen3-Coder, but a value is everything between its tags, with the newlines at its edges. Models: MiMo-V2, MiMo-V2.5.

return inherit("qwen3_coder", {
  api = 3, name = "mimo",
  models = { "MiMo-V2", "MiMo-V2.5" },
  source = "https://github.com/vllm-project/vllm/blob/main/vllm/parser/mimo.py",
  literals = { [">\n"] = ">", ["\n</parameter>\n"] = "</parameter>\n" },
  examples = { {
    text = "<tool_call><function=write><parameter=text>a\n</parameter>\n</function></tool_call>",
    calls = { { name = "write", arguments = { text = "a\n" } } },
  } },
})
