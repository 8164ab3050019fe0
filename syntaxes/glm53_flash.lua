--- GLM-5.3 Flash: the name and JSON arguments after a mark, without a closer; also GLM's tags. A name may have its group before it.

local name = (1 - lpeg.S "[]<>{}\n")^1 * -1
local begin, close = s.any { "<![", s.tok "<tool_call>" }, s.tok "</tool_call>"

return inherit("glm45", {
  api = 3, name = "glm53_flash",
  models = { "GLM-5.3-Flash" },
  source = "https://github.com/sgl-project/sglang (glm53_flash_detector.py)",
  prompt = false, prose = { "<![" },
  blocks = {
    { begin, s.name(name), s.any { ">", "\n" }, s.args(), s.also(close) },
    { s.tok "<tool_call>", s.name(), "\n",
      s.params { "<arg_key>", s.key(), s.lost "</arg_key>", "\n", s.lost "<arg_value>", s.value(), "</arg_value>", "\n" }, close },
  },
  repair_name = function(given, tools)
    local last = given:match "[^/:%s]*$"
    return tools[last] and last or given
  end,
  examples = { {
    text = '<![get_weather>{"city": "Paris"}',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
