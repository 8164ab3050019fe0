--- Functions and parameters in tags; values are not escaped, and keep their newlines. `</function` is the stop word.
-- Origin: All-Hands-AI/OpenHands for models without tools; SWE-agent and the training data made with them.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "openhands", family = "agent",
  origin = "All-Hands-AI/OpenHands, SWE-agent",
  source = "https://github.com/All-Hands-AI/OpenHands/blob/main/openhands/llm/fn_call_converter.py",
  call = {
    "<function=", s.name(), ">\n",
    s.parameters { "<parameter=", s.key(), ">", s.value(), s.recoverable "</parameter>", "\n" },
    s.optional "</function>",
  },
  between = "\n",
  stop_words = { "</function" },
  default_type = "string",
  marked = { "<function{-mark}=", "</function{-mark}>" },
  examples = {
    {
      text = "<function=execute_bash>\n<parameter=command>ls -la</parameter>\n</function>",
      calls = { { name = "execute_bash", arguments = { command = "ls -la" } } },
    },
  },
}
