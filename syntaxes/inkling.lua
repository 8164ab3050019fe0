--- Inkling: messages between tokens; a call has the tool's name in the header and in a JSON object with `args`.
-- Models: Inkling.

local s = require "sluice.syntax"
local lpeg = require "lpeg"

local header = s.pattern((1 - lpeg.P "<|")^0 * -1, "") -- never shown

return s.syntax {
  api = 2,
  name = "inkling",
  models = { "Inkling" },
  source = "https://huggingface.co/inkling",
  special = {
    "<|message_model|>", "<|content_text|>", "<|content_invoke_tool_json|>",
    "<|end_message|>", "<|content_thinking|>",
  },
  reasoning = { open = "<|content_thinking|>", close = "<|end_message|>" },
  ignored_tokens = { "<|message_model|>", "<|content_text|>", "<|end_message|>" },
  stop = { "<|content_model_end_sampling|>" },
  options = { reasoning_opens = "anywhere", calls_in_reasoning = "call" },
  blocks = {
    { "<|message_model|>", s.name(), "<|content_invoke_tool_json|>", s.object { arguments = "args" }, "<|end_message|>" },
    { "<|content_invoke_tool_json|>", s.object { arguments = "args" }, "<|end_message|>" },
    { "<|message_model|>", header, "<|content_thinking|>", s.reasoning(), s.recoverable "<|end_message|>" },
    { "<|message_model|>", header, "<|content_text|>", s.text(), s.recoverable "<|end_message|>" },
  },
  examples = {
    {
      text = '<|message_model|>get_weather'
        .. '<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city": "Paris"}}<|end_message|>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
