--- PLaMo 3: the name and JSON, each between tokens, in a section. Models: plamo-3.

return s.syntax {
  api = 3, name = "plamo3",
  tokens = { "<|plamo:constrain|>", "<|plamo:msg|>", "<|plamo:tag|>" },
  models = { "plamo-3" },
  source = "https://huggingface.co/pfnet",
  think = { s.tok "<|plamo:begin_think:plamo|>", s.tok "<|plamo:end_think:plamo|>" },
  cut_tokens = true,
  ignore = { "<|plamo:begin_tool_requests:plamo|>" },
  call = {
    s.tok "<|plamo:begin_tool_requests:plamo|>",
    s.calls {
      s.tok "<|plamo:begin_tool_request:plamo|>", s.tok "<|plamo:begin_tool_name:plamo|>", s.name(),
      s.tok "<|plamo:end_tool_name:plamo|>", s.tok "<|plamo:begin_tool_arguments:plamo|>", s.opt "<|plamo:constrain|>json<|plamo:msg|>",
      s.args(), s.tok "<|plamo:end_tool_arguments:plamo|>", s.tok "<|plamo:end_tool_request:plamo|>",
    },
    s.tok "<|plamo:end_tool_requests:plamo|>",
  },
  stop = { "<|plamo:tag|>", "<|plamo:eos|>" },
  examples = { {
    text = "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>get_weather"
      .. "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{\"city\": \"Paris\"}"
      .. "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
