--- A thought, then actions as Python calls after `Action:`. Origin: ByteDance's UI-TARS and Agent TARS.

return s.syntax {
  api = 3, name = "ui_tars", family = "agent",
  origin = "bytedance/UI-TARS", source = "https://github.com/bytedance/UI-TARS-desktop/tree/main/packages/ui-tars/action-parser",
  blocks = {
    { at = "line", s.any { "Action: ", "Action：" }, s.calls { s.name(), "(", s.args "python", ")", between = "\n\n" } },
    { at = "line", s.any { "Thought: ", "Thought：", "Action_Summary: ", "Reflection: " }, s.think() },
  },
  examples = {
    { text = "Action: click(start_box='(1,2)')", calls = { { name = "click", arguments = { start_box = "(1,2)" } } } },
  },
}
