--- DeepSeek V3 and R1: the name, then fenced JSON, between special tokens.
-- Models: DeepSeek-V3, DeepSeek-V3-0324, DeepSeek-R1.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "deepseek_v3",
  models = { "DeepSeek-V3", { "DeepSeek-R1", start = "reasoning" } },
  source = "https://huggingface.co/deepseek-ai/DeepSeek-V3-0324",
  special = {
    "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁end｜>", "<｜tool▁sep｜>",
  },
  reasoning = { open = "<think>", close = "</think>" },
  call = {
    s.recoverable "<｜tool▁calls▁begin｜>",
    s.calls {
      "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
      s.name(), s.any { "\n```json\n", "\n```\n", s.exact "\n" }, s.arguments(), s.recoverable "\n```", "<｜tool▁call▁end｜>",
      between = "\n",
    },
    "<｜tool▁calls▁end｜>",
  },
  ignored_tokens = { "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>" },
  stop = { "<｜end▁of▁sentence｜>" },
  examples = {
    {
      text = '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function'
        .. '<｜tool▁sep｜>get_weather\n```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
