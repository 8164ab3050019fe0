--- Poolside: as GLM 4.5.
-- Models: Laguna of the first generation of templates, poolside v1.

return inherit("glm45", {
  name = "poolside_v1",
  models = { "poolside" },
  source = "https://huggingface.co/poolside",
  stop = {},
  examples = {
    {
      text = '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
})
