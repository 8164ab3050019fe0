--- A fenced JSON list of commands. Origin: MetaGPT's RoleZero.

local call = s.json { name = "command_name", args = "args" }
local list = s.any {
  s.json { each = "*", name = "command_name", args = "args" },
  s.json { each = "commands.*", name = "command_name", args = "args" },
  call,
}

return s.syntax {
  api = 3, name = "metagpt", family = "agent",
  origin = "geekan/MetaGPT", source = "https://github.com/geekan/MetaGPT/blob/main/metagpt/utils/role_zero_utils.py",
  blocks = { { "```json\n", list, s.also "]", "\n", "```" }, { at = "start", list } },
  examples = { {
    text = '```json\n[{"command_name": "Plan.append_task", "args": {"task_id": "1"}}]\n```',
    calls = { { name = "Plan.append_task", arguments = { task_id = "1" } } },
  } },
}
