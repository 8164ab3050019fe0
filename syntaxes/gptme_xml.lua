--- A tag named after the tool inside <tool-use>; its body is the tool's own parameter, `args` what else it needs.

-- A tool of gptme: the parameter that its body is. Other tools have one parameter, or `code`.
local function tool(name, key)
  return { s.name(name), "<" .. name, s.attrs { args = s.value { key = "args" } }, ">\n", s.value { key = key }, "\n</" .. name .. ">\n" }
end
local name = -lpeg.P "/" * (1 - lpeg.S "<> \t\n")^1 * -1

return s.syntax {
  api = 3, name = "gptme_xml", family = "agent",
  origin = "gptme/gptme", source = "https://github.com/gptme/gptme/blob/master/gptme/tools/base.py",
  call = { "<tool-use>\n", s.calls { s.any {
    tool("shell", "command"), tool("save", "content"), tool("append", "content"), tool("patch", "patch"), tool("tmux", "command"),
    { "<", s.name(name), ">\n", s.args { raw = "code" }, "\n</", s.same "name", ">\n" },
  } }, "</tool-use>" },
  between = "\n",
  values = { default = "string" },
  marked = { "<tool-use{ mark}>", "</tool-use{ mark}>" },
  examples = { {
    text = "<tool-use>\n<ipython>\nprint(1)\n</ipython>\n</tool-use>", deviates = true,
    calls = { { name = "ipython", arguments = { code = "print(1)" } } },
  } },
}
