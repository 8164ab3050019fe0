--- Functionary v2: messages with a recipient; "all" is the user. Models: functionary v2.

local name = -(lpeg.P "all" * -1) * (lpeg.R("az", "AZ", "09") + lpeg.S "_.-")^1 * -1
local recipient = { s.also "<|from|>assistant\n", s.tok "<|recipient|>" }

return s.syntax {
  api = 3, name = "functionary_v2",
  models = { "functionary-7b-v2", "functionary-small-v2", "functionary-medium-v2" },
  tokens = { "<|from|>", "<|content|>" },
  source = "https://github.com/MeetKai/functionary (prompt_template_v2.py)",
  blocks = {
    { recipient, s.name(name), "\n", "<|content|>", s.args() },
    { at = "start", s.name(name), { exact = true, "\n<|content|>" }, s.args() },
    { recipient, "all\n", "<|content|>", s.text() },
    { at = "start", "all\n<|content|>", s.text() },
  },
  between = "\n",
  stop = { "<|stop|>" },
  examples = { {
    text = '<|recipient|>get_weather\n<|content|>{"city": "Paris"}',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
