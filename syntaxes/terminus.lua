--- Keystrokes for a terminal; analysis and plan are reasoning, and a flag says when the task is done.
-- Origin: Terminal-Bench's agent, Terminus 2, in XML.

return s.syntax {
  api = 3, name = "terminus", family = "agent",
  origin = "laude-institute/terminal-bench",
  source = "https://github.com/laude-institute/terminal-bench/tree/main/terminal_bench/agents/terminus_2",
  think = { { "<analysis>", "</analysis>" }, { "<plan>", "</plan>" } },
  call = {
    s.name "keystrokes", "<keystrokes", s.attrs { duration = s.value { key = "duration" } }, ">",
    s.value { key = "keystrokes" }, "</keystrokes>", s.also "</commands>",
  },
  between = "\n",
  ignore = { "<response>", "</response>", "<commands>", "</commands>", "<task_complete>", "</task_complete>" },
  options = { reasoning_opens = "anywhere" }, stop = { "<|im_end|>" },
  values = { default = "string" },
  tools = { "keystrokes" },
  marked = { "<keystrokes{ mark}", "</keystrokes{ mark}>" },
  examples = {
    { text = "<keystrokes>ls\n</keystrokes>", calls = { { name = "keystrokes", arguments = { keystrokes = "ls\n" } } } },
    {
      text = '<keystrokes duration="0.1">ls\n</keystrokes>',
      tools = '[{"name": "keystrokes", "parameters": {"properties": {"duration": {"type": "number"}}}}]',
      calls = { { name = "keystrokes", arguments = s.ordered { { "duration", 0.1 }, { "keystrokes", "ls\n" } } } },
    },
  },
}
