--- Command R: a fenced JSON array after the word "Action:". Models: Command R and R+.

return s.syntax {
  api = 3, name = "command_r",
  models = { "c4ai-command-r-v01", "c4ai-command-r-plus", "command-r-08", "command-r-plus" },
  source = "https://huggingface.co/CohereForAI/c4ai-command-r-plus",
  prose = { "Action:" },
  call = {
    "Action:", "\n```json\n",
    s.any {
      s.json { each = "*", args = "parameters", name = { "tool_name", "name" } },
      s.json { args = "parameters", name = { "tool_name", "name" } },
    },
    "\n```",
  },
  ignore = { "<|CHATBOT_TOKEN|>" },
  stop = { "<|END_OF_TURN_TOKEN|>" },
  examples = { {
    text = 'Action:\n```json\n[{"tool_name": "get_weather", "parameters": {"city": "Paris"}}]\n```',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
