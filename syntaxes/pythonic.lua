--- A list of Python calls as the whole message; Llama 4's tokens around it are optional.
-- Models: Llama 3.2 (small), ToolACE, Llama 4 with its Pythonic template.

local name = lpeg.R("az", "AZ", "__") * (lpeg.R("az", "AZ", "09") + lpeg.S "_.-")^0 * -1
local list = { "[", s.calls { s.name(name), "(", s.args "python", ")", between = ", " }, "]" }

return s.syntax {
  api = 3, name = "pythonic", aliases = { "llama4_pythonic" },
  models = { "Llama-3.2", "Llama-4", "ToolACE" },
  source = "https://docs.vllm.ai/en/latest/features/tool_calling.html",
  blocks = {
    list,
    { s.any { s.tok "<|python_start|>", "<|python_tag|>" }, list, s.opt(s.tok "<|python_end|>") },
    { at = "start", s.any { "```python\n", "```\n" }, list, "\n```" },
  },
  stop = { "<|eot_id|>", "<|eom_id|>", "<|eot|>" },
  examples = { {
    text = "[get_weather(city='Paris'), now()]",
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
