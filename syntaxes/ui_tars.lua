--- A thought, then actions as Python calls after `Action:`.
-- Origin: ByteDance's UI-TARS and Agent TARS.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "ui_tars", family = "agent",
  origin = "bytedance/UI-TARS",
  source = "https://github.com/bytedance/UI-TARS-desktop/tree/main/packages/ui-tars/action-parser",
  blocks = {
    { s.any { "Action: ", "Action：" }, s.calls { s.name(), "(", s.arguments "kwargs", ")", between = "\n\n" } },
    { at = "line", s.any { "Thought: ", "Thought：", "Action_Summary: ", "Reflection: " }, s.reasoning() },
  },
  examples = {
    { text = "Action: click(start_box='(1,2)')", calls = { { name = "click", arguments = { start_box = "(1,2)" } } } },
  },
}
