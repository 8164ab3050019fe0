--- Fields between 「始」 and 「末」, the tool's name first, inside <<<[TOOL_REQUEST]>>>. Origin: lioensky/VCPToolBox.

return s.syntax {
  api = 3, name = "vcp", family = "agent",
  origin = "lioensky/VCPToolBox", source = "https://github.com/lioensky/VCPToolBox/blob/main/modules/vcpLoop/toolCallParser.js",
  think = { "<think>\n", "\n</think>\n\n" },
  call = {
    "<<<[TOOL_REQUEST]>>>\n", "tool_name:", "「始」", s.name(), "「末」", s.also ",", "\n",
    s.params {
      s.key(), ":",
      s.any {
        s.also { "「始ESCAPE」", s.value { trim = true }, "「末ESCAPE」" },
        { "「始」", s.value { trim = true }, "「末」" },
      }, s.also ",", "\n",
    },
    "<<<[END_TOOL_REQUEST]>>>",
  },
  between = "\n",
  values = { default = "string" },
  marked = { "<<<[TOOL_REQUEST{ mark}]>>>", "<<<[END_TOOL_REQUEST{ mark}]>>>" },
  examples = { {
    text = "<<<[TOOL_REQUEST]>>>\ntool_name:「始」search「末」\nquery:「始」cats「末」\n<<<[END_TOOL_REQUEST]>>>",
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
