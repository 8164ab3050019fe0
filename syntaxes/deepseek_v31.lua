--- DeepSeek V3.1: the name, then JSON, between special tokens; also reads the form of V3. Models: DeepSeek-V3.1, V3.2-Exp.

return inherit("deepseek_v3", {
  api = 3, name = "deepseek_v31",
  models = { "DeepSeek-V3.1", "DeepSeek-V3.2-Exp" },
  source = "https://huggingface.co/deepseek-ai/DeepSeek-V3.1",
  call = {
    s.lost(s.tok "<｜tool▁calls▁begin｜>"),
    s.calls {
      s.any {
        { s.tok "<｜tool▁call▁begin｜>", s.name(), s.tok "<｜tool▁sep｜>", s.args(), s.tok "<｜tool▁call▁end｜>" },
        s.also { "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
          s.name(), s.any { "\n```json\n", "\n```\n", { exact = true, "\n" } }, s.args(), "\n```", s.tok "<｜tool▁call▁end｜>" },
      },
    },
    s.tok "<｜tool▁calls▁end｜>",
  },
  result = { "<｜tool▁output▁begin｜>", s.value(), "<｜tool▁output▁end｜>", between = "" },
  examples = { {
    text = '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather'
      .. '<｜tool▁sep｜>{"city": "Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
