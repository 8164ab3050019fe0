--- Reka Edge: like hermes, with nothing between calls. Models: Reka-Edge.

return inherit("hermes", {
  api = 3, name = "reka",
  models = { "Reka-Edge" },
  source = "https://huggingface.co/RekaAI (chat template)",
  between = "", prompt = false,
  stop = { "<sep>" },
  examples = { {
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
