--- GLM 4.7: like GLM 4.5, without line breaks. Models: GLM-4.7, GLM-5.

return inherit("glm45", {
  api = 3, name = "glm47",
  models = { "GLM-4.7", "GLM-5" },
  source = "https://huggingface.co/zai-org/GLM-4.7",
  literals = { ["\n"] = "" },
  between = "",
  prompt = [[
{preamble}

For each function call, output the function name and arguments within the following XML format:
]] .. "<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value>"
    .. "<arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>",
  examples = { {
    text = '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
