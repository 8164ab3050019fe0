--- A code fence with a tool's name as language word, and optional arguments after it; its body is the tool's.
-- Origin: gptme, its markdown format.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "gptme_markdown", family = "agent",
  origin = "gptme/gptme",
  source = "https://github.com/gptme/gptme/blob/master/gptme/codeblock.py",
  call = {
    at = "line", s.fence "open", s.name { declared = true }, s.value { key = "args", inline = true, present = true }, s.exact "\n",
    s.value { key = "content" }, "\n", s.fence "close",
  },
  between = "\n",
  default_type = "string",
  tools = { "save", "append", "patch", "shell", "ipython", "python", "tmux", "browser", "read", "morph", "screenshot", "vision", "gh" },
  examples = {
    { text = "```shell\nls\n```", calls = { { name = "shell", arguments = { content = "ls" } } } },
    {
      text = "````save README.md\n```sh\nnpm i\n```\n````",
      calls = { { name = "save", arguments = s.ordered { { "args", "README.md" }, { "content", "```sh\nnpm i\n```" } } } },
    },
  },
}
