--- Inkling: messages between tokens; a call has the tool's name in the header and in a JSON object with `args`. Models: Inkling.

local message, close, header = s.tok "<|message_model|>", s.tok "<|end_message|>", s.match((1 - lpeg.P "<|")^0 * -1, "") -- never shown
local call = { s.tok "<|content_invoke_tool_json|>", s.json { args = "args" }, close }

return s.syntax {
  api = 3, name = "inkling",
  models = { "Inkling" },
  source = "https://huggingface.co/inkling",
  think = { s.tok "<|content_thinking|>", s.tok "<|end_message|>" },
  ignore = { "<|message_model|>", "<|content_text|>", "<|end_message|>" },
  stop = { "<|content_model_end_sampling|>" },
  options = { reasoning_opens = "anywhere", calls_in_reasoning = "call" },
  blocks = {
    { message, s.name(), call },
    { at = "start", s.given(), call },
    call,
    { message, header, s.tok "<|content_thinking|>", s.think(), close },
    { message, header, s.tok "<|content_text|>", s.text(), close },
  },
  examples = { {
    text = '<|message_model|>get_weather'
      .. '<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city": "Paris"}}<|end_message|>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
