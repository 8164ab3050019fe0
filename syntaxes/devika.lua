--- Files, each as a line with its path and a fence, between lines of tildes; like aider_whole. Origin: Devika.

return inherit("aider_whole", {
  api = 3, name = "devika", family = "fence",
  origin = "stitionai/devika", source = "https://github.com/stitionai/devika/blob/main/src/agents/coder/coder.py",
  examples = { {
    text = "File: `a.py`:\n```\nprint(1)\n```", deviates = true,
    calls = { { name = "write", arguments = s.ordered { { "path", "a.py" }, { "content", "print(1)\n" } } } },
  } },
})
