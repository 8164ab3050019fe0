--- Python between tags, with the text before it as the thought; fences are read where the tags are missing.
-- Origin: Hugging Face's smolagents, its code agent.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "code_tags", family = "agent",
  origin = "huggingface/smolagents",
  source = "https://github.com/huggingface/smolagents/blob/main/src/smolagents/utils.py",
  blocks = {
    { s.name { is = "python_interpreter" }, s.exact "<code>\n", s.value { key = "code", trim = true }, s.optional "\n</code>" },
    { at = "line", s.name { is = "python_interpreter" }, s.any { s.exact "```python\n", s.exact "```py\n" },
      s.value { key = "code", trim = true }, s.exact "\n```" },
  },
  between = "\n",
  default_type = "string",
  tools = { "python_interpreter" },
  stop_words = { "</code>" },
  common_in_prose = { "<code>" },
  examples = {
    {
      text = "<code>\nprint(1 + 1)\n</code>",
      calls = { { name = "python_interpreter", arguments = { code = "print(1 + 1)" } } },
    },
  },
}
