--- A tag named after the tool inside <tool-use>; its body is the tool's own parameter, `args` what else it needs.

-- The body's parameter of the tools that gptme has; other tools have one parameter, or `code`.
local bodies = { shell = "command", save = "content", append = "content", patch = "patch", tmux = "command" }

local blocks = {}
for _, name in ipairs { "shell", "save", "append", "patch", "tmux" } do
  blocks[#blocks + 1] = { s.name(name), "<" .. name, s.attrs { args = s.value { key = "args" } }, ">\n", s.value { key = bodies[name] },
    "\n</" .. name .. ">\n" }
end
blocks[#blocks + 1] = { "<", s.name(), ">\n", s.args { raw = "code" }, "\n</", s.same "name", ">\n" }

return s.syntax {
  api = 3, name = "gptme_xml", family = "agent",
  origin = "gptme/gptme", source = "https://github.com/gptme/gptme/blob/master/gptme/tools/base.py",
  call = { "<tool-use>\n", s.calls { s.any(blocks) }, "</tool-use>" },
  between = "\n",
  values = { default = "string" },
  marked = { "<tool-use{ mark}>", "</tool-use{ mark}>" },
  examples = { {
    text = "<tool-use>\n<ipython>\nprint(1)\n</ipython>\n</tool-use>", deviates = true,
    calls = { { name = "ipython", arguments = { code = "print(1)" } } },
  } },
}
