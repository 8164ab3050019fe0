--- Python between tags, with the text before it as the thought; fences are read where the tags are missing.
-- Origin: Hugging Face's smolagents, its code agent.

return s.syntax {
  api = 3, name = "code_tags", family = "agent",
  origin = "huggingface/smolagents", source = "https://github.com/huggingface/smolagents/blob/main/src/smolagents/utils.py",
  blocks = {
    { s.name "python_interpreter", { exact = true, "<code>\n" }, s.value { key = "code", trim = "fence" }, s.opt "\n</code>" },
    {
      at = "line", s.name "python_interpreter", s.any { { exact = true, "```python\n" }, { exact = true, "```py\n" } },
      s.value { key = "code", trim = true }, s.any { { exact = true, "\n```" }, s.also { exact = true, "\n```<end_code>" } },
    },
  },
  between = "\n",
  values = { default = "string" },
  tools = { "python_interpreter" },
  stop_words = { "</code>" },
  prose = { "<code>" },
  examples = { {
    text = "<code>\nprint(1 + 1)\n</code>",
    calls = { { name = "python_interpreter", arguments = { code = "print(1 + 1)" } } },
  } },
}
