--- Functionary v3.2: the recipient on its own line, then JSON; "all" is the user. Models: functionary v3.2.

local name = -(lpeg.P "all" * -1) * (lpeg.R("az", "AZ", "09") + lpeg.S "_.-")^1 * -1
local header = lpeg.Ct(lpeg.Cg(lpeg.Cp(), "at") * lpeg.Cg(name, "name")) -- no white space before it: in `>>> x` it is Python's prompt

return s.syntax {
  api = 3, name = "functionary_v32",
  models = { "functionary-small-v3.2", "functionary-medium-v3.2" },
  source = "https://huggingface.co/meetkai/functionary-small-v3.2",
  blocks = {
    { at = "line", s.name(name), { exact = true, "\n" }, s.args() },
    { ">>>", s.match(header, function(call) return call.name end), { exact = true, "\n" }, s.args() },
    { at = "start", s.also ">>>", "all", { exact = true, "\n" }, s.text() },
  },
  between = ">>>",
  stop = { "<|eot_id|>" },
  examples = { {
    text = 'get_weather\n{"city": "Paris"}',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
