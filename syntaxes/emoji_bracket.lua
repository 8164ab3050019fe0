--- 🛠️[name raw args] body 🛠️[/end]: a header on one line and a body, which may be anything except the end marker. Arguments:
-- raw_args and body. Later versions close a call without a body with " /]". U+FE0F in the marker is optional.

local S, C, Cc, Cg, Cp, Ct = lpeg.S, lpeg.C, lpeg.Cc, lpeg.Cg, lpeg.Cp, lpeg.Ct

local blank = S " \t"^0
local head = s.match(Ct(blank * Cg(Cp(), "at") * Cg((1 - S " \t\n]")^1 - "/end", "name") * blank * Ct(Cc "raw_args" * C((1 - S "]\n")^0))
  * -1), function(call)
  local arguments = call:text(call.arguments.raw_args or "")
  return call.name .. (arguments ~= "" and " " .. arguments or ""), { "raw_args" }
end)

return s.syntax {
  api = 3, name = "emoji_bracket",
  origin = "gregorriegler/simple-agent", source = "https://github.com/gregorriegler/simple-agent",
  call = {
    s.any { "🛠️[", s.also "🛠[" }, head,
    s.any { { "]\n", s.value { key = "body" }, s.any { "🛠️[/end]", s.also "🛠[/end]" } }, s.also { exact = true, " /]" } },
  },
  between = "\n",
  values = { default = "string", fixed = { "raw_args", "body" } },
  marked = { "🛠️[{mark }", "🛠[{mark }", "🛠️[/end{ mark}]", "🛠[/end{ mark}]" },
  examples = { {
    text = '🛠️[create-file hello.py]\nprint("Hello World")\n🛠️[/end]',
    calls = { { name = "create-file", arguments = s.ordered { { "raw_args", "hello.py" }, { "body", 'print("Hello World")\n' } } } },
  } },
}
