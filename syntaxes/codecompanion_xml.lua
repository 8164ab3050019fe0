--- A tool's name as attribute, its parameters as elements in an action, values in CDATA, all in an XML fence.

return s.syntax {
  api = 3, name = "codecompanion_xml", family = "agent",
  origin = "olimorris/codecompanion.nvim", source = "https://github.com/olimorris/codecompanion.nvim (2024, tools)",
  call = {
    s.also "```xml\n", "<tools>\n",
    s.calls {
      "<tool", s.attrs { name = s.name() }, ">\n", "<action", s.attrs { { "type", s.value { key = "type" } } }, ">\n",
      s.params { "<", s.key(), ">",
        s.any { { "<![CDATA[", s.value(), "]]></" }, s.also { s.value(), "</" } }, s.same "key", ">\n" },
      "</action>\n", "</tool>\n",
    },
    "</tools>", s.also { exact = true, "\n```\n" }, s.also { exact = true, "\n\n```\n" },
  },
  values = { default = "string" },
  examples = { {
    text = '<tools>\n<tool name="cmd_runner">\n<action>\n<command><![CDATA[ls]]></command>\n</action>\n</tool>\n</tools>',
    calls = { { name = "cmd_runner", arguments = { command = "ls" } } },
  } },
}
