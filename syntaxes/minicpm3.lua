--- MiniCPM 3: Python calls, one a line, in a fence between tokens, after a thought. Models: MiniCPM3.

return s.syntax {
  api = 3, name = "minicpm3",
  models = { "MiniCPM3" },
  source = "https://huggingface.co/openbmb/MiniCPM3-4B (chat template)",
  think = { s.tok "<|thought_start|>\n", s.tok "\n<|thought_end|>\n" },
  call = {
    s.tok "<|tool_call_start|>\n", s.opt "```python\n",
    s.calls { s.name((lpeg.R("az", "AZ", "09") + lpeg.S "_.-")^1 * -1), "(", s.args "python", ")", between = "\n" },
    "\n", s.opt "```\n", s.tok "<|tool_call_end|>",
  },
  stop = { "<|im_end|>" },
  examples = { {
    text = "<|tool_call_start|>\n```python\nget_weather(city='Paris')\nnow()\n```\n<|tool_call_end|>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
