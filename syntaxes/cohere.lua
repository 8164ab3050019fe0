--- Command R7B, Command A: sections for thinking, for the answer and for an array of actions. Models: Command R7B, Command A, Cohere2 MoE.

local fields = {
  name = { "tool_name", "name" }, args = { "parameters", "arguments" }, id = "tool_call_id",
  members = { { "tool_call_id", default = function(n) return tostring(n - 1) end }, { "tool_name" }, { "parameters" } },
}

return s.syntax {
  api = 3, name = "cohere",
  models = { "command-r7b", "command-a", "Cohere2", "North-Mini-Code" },
  source = "https://huggingface.co/CohereForAI/c4ai-command-r7b-12-2024",
  think = { s.tok "<|START_THINKING|>", s.tok "<|END_THINKING|>" },
  tokens = { "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>" },
  ignore = { "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>", "<|CHATBOT_TOKEN|>", "<co>",
    "<co: ", "</co: " }, -- citations
  stop = { "<|END_OF_TURN_TOKEN|>" },
  options = { calls_in_reasoning = "call", reasoning_opens = "anywhere" },
  call = {
    s.tok "<|START_ACTION|>",
    s.any { { "[\n    ", s.calls { s.json(fields), between = ",\n    " }, "\n]" }, s.json(fields) },
    s.tok "<|END_ACTION|>",
  },
  examples = { {
    text = '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}\n]'
      .. '<|END_ACTION|>',
    calls = { { name = "get_weather", id = "0", arguments = { city = "Paris" } } },
  } },
}
