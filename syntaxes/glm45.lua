--- GLM 4.5 and 4.6: the name, then pairs of key and value tags, typed by the schema. Models: GLM-4.5, GLM-4.6, poolside v1.

local parameters = s.params {
  s.tok "<arg_key>", s.key(), s.lost(s.tok "</arg_key>"), "\n", s.lost(s.tok "<arg_value>"), s.value(), s.tok "</arg_value>", "\n",
}

return s.syntax {
  api = 3, name = "glm45", aliases = { "poolside_v1" },
  models = { "GLM-4.5", "GLM-4.6", "poolside" },
  source = "https://huggingface.co/zai-org/GLM-4.5",
  think = { s.tok "<think>", s.tok "</think>" },
  stop = { "<|user|>", "<|observation|>", "<|endoftext|>", "<|im_end|>", "<|role_end|>", "<|endofturn|>" },
  blocks = {
    { s.tok "<tool_call>", s.name(), "\n", parameters, s.tok "</tool_call>" },
    { at = "start", s.lost(s.tok "<tool_call>"), s.given(), "\n", parameters, s.tok "</tool_call>" },
  },
  between = "\n",
  result = { "<tool_response>\n", s.value(), "\n</tool_response>" },
  prompt = [[
{preamble}

For each function call, output the function name and arguments within the following XML format:
<tool_call>{function-name}
<arg_key>{arg-key-1}</arg_key>
<arg_value>{arg-value-1}</arg_value>
<arg_key>{arg-key-2}</arg_key>
<arg_value>{arg-value-2}</arg_value>
...
</tool_call>]],
  examples = { {
    text = '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
