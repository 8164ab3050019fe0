--- Granite 3.3 with its Pythonic template: Python calls, one per line, without a marker. A line counts only if it is
-- complete and valid. Models: Granite 3.3 (Pythonic).

local name = lpeg.R("az", "AZ", "__") * (lpeg.R("az", "AZ", "09") + lpeg.S "_.")^0 * -1

return s.syntax {
  api = 3, name = "granite_pythonic",
  models = { "granite-3.3" }, stop = { "<|end_of_text|>" },
  source = "https://docs.vllm.ai/en/latest/features/tool_calling.html",
  options = { calls = "whole", repairs = false },
  call = { at = "line", s.name(name), "(", s.args "python", s.any { { exact = true, ")\n" }, s.also ")<|end_of_text|>" } },
  examples = { {
    text = "get_weather(city='Paris')\nnow()\n",
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
