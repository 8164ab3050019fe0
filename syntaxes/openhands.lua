--- Functions and parameters in tags; values are not escaped, and keep their newlines. `</function` is the stop word.
-- Origin: All-Hands-AI/OpenHands for models without tools; SWE-agent and the training data made with them.

return s.syntax {
  api = 3, name = "openhands", family = "agent",
  origin = "All-Hands-AI/OpenHands, SWE-agent",
  source = "https://github.com/All-Hands-AI/OpenHands/blob/main/openhands/llm/fn_call_converter.py",
  call = { "<function=", s.name(), ">\n", s.params { "<parameter=", s.key(), ">", s.value(), "</parameter>", "\n" }, s.opt "</function>" },
  between = "\n",
  stop_words = { "</function" },
  values = { default = "string" },
  marked = { "<function{-mark}=", "</function{-mark}>" },
  examples = { {
    text = "<function=execute_bash>\n<parameter=command>ls -la</parameter>\n</function>",
    calls = { { name = "execute_bash", arguments = { command = "ls -la" } } },
  } },
}
