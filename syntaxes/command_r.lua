--- Command R: a fenced JSON array after the word "Action:".
-- Models: Command R and R+.

local s = require "sluice.syntax"

local call = s.object { name = { "tool_name", "name" }, arguments = "parameters" }

return s.syntax {
  api = 2,
  name = "command_r",
  models = { "c4ai-command-r-v01", "c4ai-command-r-plus", "command-r-08", "command-r-plus" },
  source = "https://huggingface.co/CohereForAI/c4ai-command-r-plus",
  common_in_prose = { "Action:" },
  call = { "Action:", "\n```json\n", s.any { s.array(call), call }, "\n```" },
  ignored_tokens = { "<|CHATBOT_TOKEN|>" },
  stop = { "<|END_OF_TURN_TOKEN|>" },
  examples = {
    {
      text = 'Action:\n```json\n[{"tool_name": "get_weather", "parameters": {"city": "Paris"}}]\n```',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
