--- Command R7B, Command A: sections for thinking, for the answer and for an array of actions.
-- Models: Command R7B, Command A, Cohere2 MoE.

local s = require "sluice.syntax"

local action = s.object {
  name = { "tool_name", "name" }, arguments = { "parameters", "arguments" }, id = "tool_call_id",
  order = { "tool_call_id", "tool_name", "parameters" },
  defaults = { tool_call_id = function(n) return tostring(n - 1) end },
}

return s.syntax {
  api = 2,
  name = "cohere",
  models = { "command-r7b", "command-a", "Cohere2" },
  source = "https://huggingface.co/CohereForAI/c4ai-command-r7b-12-2024",
  special = {
    "<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>",
    "<|START_TEXT|>", "<|END_TEXT|>", "<|START_ACTION|>", "<|END_ACTION|>",
  },
  reasoning = { open = "<|START_THINKING|>", close = "<|END_THINKING|>" },
  ignored_tokens = { "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>", "<|CHATBOT_TOKEN|>", "<co>" },
  ignored_tags = { "<co: ", "</co: " }, -- citations
  stop = { "<|END_OF_TURN_TOKEN|>" },
  options = { calls_in_reasoning = "call", reasoning_opens = "anywhere" },
  call = {
    "<|START_ACTION|>",
    s.any {
      { "[\n    ", s.calls { action, between = ",\n    " }, "\n]" },
      action,
    },
    "<|END_ACTION|>",
  },
  examples = {
    {
      text = '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}\n]'
        .. '<|END_ACTION|>',
      calls = { { name = "get_weather", id = "0", arguments = { city = "Paris" } } },
    },
  },
}
