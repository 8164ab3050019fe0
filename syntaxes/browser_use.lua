--- One JSON object: the state of the task, and a list of actions, each an object with its name as the only key.
-- Origin: browser-use, for models without tools.

local s = require "sluice.syntax"

local action = s.member {
  "action", s.array(s.object { name_as_key = true }), anywhere = true,
  reasoning = { "current_state", "thinking", "evaluation_previous_goal", "memory", "next_goal" },
}

return s.syntax {
  api = 2,
  name = "browser_use", family = "agent",
  origin = "browser-use/browser-use",
  source = "https://github.com/browser-use/browser-use/blob/main/browser_use/agent/message_manager/utils.py",
  call = {
    s.optional { "```json\n", write = false },
    s.any { action, { "[", action, "]" } },
    s.optional { "\n```", write = false },
  },
  examples = {
    {
      text = '{"action": [{"click_element": {"index": 4}}]}',
      calls = { { name = "click_element", arguments = { index = 4 } } },
    },
    {
      text = '{"current_state": {"memory": "1 of 2"}, "action": [{"click_element": {"index": 4}}]}',
      calls = { { name = "click_element", arguments = { index = 4 } } }, reasoning = "1 of 2",
    },
  },
}
