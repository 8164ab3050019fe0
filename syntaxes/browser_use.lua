--- One JSON object: the state of the task, and a list of actions, each an object with its name as the only key.
-- Origin: browser-use, for models without tools.

local actions = s.json { each = "action.*", anywhere = true, name = "*",
  think = { "current_state", "thinking", "evaluation_previous_goal", "memory", "next_goal" } }
local plan = s.any { actions, { "[", actions, "]" } }

return s.syntax {
  api = 3, name = "browser_use", family = "agent",
  origin = "browser-use/browser-use",
  source = "https://github.com/browser-use/browser-use/blob/main/browser_use/agent/message_manager/utils.py",
  blocks = { plan, { "```json\n", plan, "\n```" } },
  examples = { {
    text = '{"current_state": {"memory": "1 of 2"}, "action": [{"click_element": {"index": 4}}]}',
    calls = { { name = "click_element", arguments = { index = 4 } } }, reasoning = "1 of 2",
  } },
}
