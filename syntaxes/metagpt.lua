--- A fenced JSON list of commands.
-- Origin: MetaGPT's RoleZero.

local s = require "sluice.syntax"

local call = s.object { name = "command_name", arguments = "args", arguments_optional = true }

return s.syntax {
  api = 2,
  name = "metagpt", family = "agent",
  origin = "geekan/MetaGPT",
  source = "https://github.com/geekan/MetaGPT/blob/main/metagpt/utils/role_zero_utils.py",
  blocks = {
    { "```json\n", s.any { s.array(call), s.member { "commands", s.array(call) }, { call, s.optional { "]", write = false } } }, "\n",
      s.recoverable "```" },
    { at = "start", s.any { s.array(call), s.member { "commands", s.array(call) }, call } },
  },
  examples = {
    {
      text = '```json\n[{"command_name": "Plan.append_task", "args": {"task_id": "1"}}]\n```',
      calls = { { name = "Plan.append_task", arguments = { task_id = "1" } } },
    },
  },
}
