--- Xing 4.0 and TeleChat 4: like GLM 4.5, with other words in the tags; also JSON after the name or around it. Models: Xing4.0, TeleChat4.

local begin, close = s.tok "<tool_call>", s.tok "</tool_call>"

return inherit("glm45", {
  api = 3, name = "xing4", aliases = { "xing4_0", "telechat4" },
  models = { "Xing4", "Xingchen-4", "TeleChat4" },
  source = "https://github.com/NVIDIA/TensorRT-LLM/blob/main/tensorrt_llm/serve/tool_parser/xing4_0_parser.py",
  prompt = false,
  blocks = {
    { begin, s.name(), "\n",
      s.params { "<param_key>", s.key(), s.lost "</param_key>", "\n", s.lost "<param_value>", s.value(), "</param_value>", "\n" }, close },
    { begin, s.json { args = { "arguments", "parameters" } }, close },
    { begin, s.given(), "\n", s.args(), "\n", close },
  },
  examples = { {
    text = "<tool_call>get_weather\n<param_key>city</param_key>\n<param_value>Paris</param_value>\n</tool_call>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
