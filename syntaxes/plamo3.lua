--- PLaMo 3: the name and JSON, each between tokens, in a section.
-- Models: plamo-3.

local s = require "sluice.syntax"

local function t(name)
  return "<|plamo:" .. name .. ":plamo|>"
end

return s.syntax {
  api = 2,
  name = "plamo3",
  models = { "plamo-3" },
  source = "https://huggingface.co/pfnet",
  special = {
    t "begin_think", t "end_think", t "begin_tool_requests", t "end_tool_requests", t "begin_tool_request", t "end_tool_request",
    t "begin_tool_name", t "end_tool_name", t "begin_tool_arguments", t "end_tool_arguments", "<|plamo:constrain|>", "<|plamo:msg|>",
    "<|plamo:tag|>",
  },
  reasoning = { open = t "begin_think", close = t "end_think" },
  cut_tokens = true, ignored_tokens = { t "begin_tool_requests" },
  call = {
    t "begin_tool_requests",
    s.calls {
      t "begin_tool_request", t "begin_tool_name", s.name(), t "end_tool_name", t "begin_tool_arguments",
      s.optional "<|plamo:constrain|>json<|plamo:msg|>",
      s.arguments(), s.recoverable(t "end_tool_arguments"), s.recoverable(t "end_tool_request"),
    },
    s.recoverable(t "end_tool_requests"),
  },
  stop = { "<|plamo:tag|>", "<|plamo:eos|>" },
  examples = {
    {
      text = "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>get_weather"
        .. "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{\"city\": \"Paris\"}"
        .. "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>",
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
