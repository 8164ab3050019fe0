--- NexusRaven: Python calls after `Call:`, then the model's explanation. Models: NexusRaven-V2.

local name = lpeg.R("az", "AZ", "__") * (lpeg.R("az", "AZ", "09") + lpeg.S "_.")^0 * -1

return s.syntax {
  api = 3, name = "nexus_raven",
  models = { "NexusRaven" },
  source = "https://huggingface.co/Nexusflow/NexusRaven-V2-13B",
  blocks = {
    { at = "indent", "Call: ", s.calls { s.name(name), "(", s.args "python", ")", between = "; " }, s.opt "<bot_end>" },
    { at = "indent", "Thought: ", s.think(), "\n" },
  },
  between = "\n",
  stop_words = { "<bot_end>" },
  examples = { {
    text = "Call: get_weather(city='Paris')<bot_end>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
