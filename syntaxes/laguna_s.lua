--- Laguna S: like laguna, without line breaks. Models: Laguna-S.

return inherit("laguna", {
  api = 3, name = "laguna_s",
  models = { "Laguna-S", "poolside-Laguna-S" },
  source = "https://huggingface.co/poolside/Laguna-S-2.1 (chat template)",
  literals = { ["\n"] = "" },
  between = "",
  examples = { {
    text = "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
