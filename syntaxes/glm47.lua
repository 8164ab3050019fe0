--- GLM 4.7: as GLM 4.5, without line breaks.
-- Models: GLM-4.7, GLM-5.

return inherit("glm45", {
  name = "glm47",
  models = { "GLM-4.7", "GLM-5" },
  source = "https://huggingface.co/zai-org/GLM-4.7",
  literals = { ["\n"] = "" }, between = "",
  examples = {
    {
      text = '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
})
