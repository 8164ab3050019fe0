--- @NAME(ID): and JSON arguments, at the start of a line. Origin: gptme, its tool format.

return s.syntax {
  api = 3, name = "gptme", family = "agent",
  origin = "gptme/gptme", source = "https://github.com/gptme/gptme/blob/master/gptme/tools/base.py",
  call = { at = "line", "@", s.name(), "(", s.id(), "): ", s.args() },
  between = "\n",
  options = { fences = "text" },
  examples = { {
    text = '@shell(call-1): {"command": "ls"}',
    calls = { { name = "shell", id = "call-1", arguments = { command = "ls" } } },
  } },
}
