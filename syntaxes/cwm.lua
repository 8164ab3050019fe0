--- CWM: a shell command, or a tool's name with its arguments as JSON or text, in <tool: NAME> tags. Models: cwm.

return s.syntax {
  api = 3, name = "cwm",
  models = { "cwm" },
  source = "https://huggingface.co/facebook/cwm",
  think = { "<think>\n", "\n</think>\n" },
  blocks = {
    { s.any { { { exact = true, "<tool: " }, s.match(lpeg.P "function" * -1, "function") }, s.also "<tool:function" }, ">\n",
      s.name((1 - lpeg.S " \t\n<")^1 * -1), s.any { " ", "\n" }, s.args { raw = "command" }, "\n</tool>" },
    { { exact = true, "<tool: " }, s.name(-(lpeg.P "function" * -1) * (1 - lpeg.S " \t\n<>")^1 * -1), ">\n",
      s.args { raw = "command" }, "\n</tool>" },
  },
  between = "\n",
  stop = { "<|eot_id|>", "<|end_of_text|>" },
  examples = { {
    text = "<tool: bash>\nls -la\n</tool>", deviates = true,
    calls = { { name = "bash", arguments = { command = "ls -la" } } },
  } },
}
