--- GigaChat 3.5: GCML: DSML under another name and without line breaks. Models: GigaChat3.5.

return inherit("deepseek_v32", {
  api = 3, name = "gigachat35",
  tokens = { "｜GCML｜" },
  models = { "GigaChat3.5", "GigaChat-3.5" },
  source = "https://huggingface.co/ai-sage",
  stop = { "</s>" },
  literals = { ["function_calls"] = "tool_calls", ["｜DSML｜"] = "｜GCML｜", ["\n"] = "" },
  examples = { {
    text = '<｜GCML｜tool_calls><｜GCML｜invoke name="get_weather"><｜GCML｜parameter name="city" string="true">Paris</｜GCML｜parameter>'
      .. "</｜GCML｜invoke></｜GCML｜tool_calls>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
