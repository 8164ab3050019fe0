--- DeepSeek V3 and R1: the name, then fenced JSON, between special tokens. Models: DeepSeek-V3, DeepSeek-V3-0324, DeepSeek-R1.

-- The calls, with this sign between the words of tokens: models to which they are no tokens write others.
local function calls(sign)
  local function with(text)
    return (text:gsub("▁", sign))
  end
  return {
    s.lost(s.tok(with "<｜tool▁calls▁begin｜>")),
    s.calls {
      with "<｜tool▁call▁begin｜>function<｜tool▁sep｜>", s.name(), s.any { "\n```json\n", "\n```\n", { exact = true, "\n" } },
      s.args(), "\n```", s.tok(with "<｜tool▁call▁end｜>"), between = "\n",
    },
    s.tok(with "<｜tool▁calls▁end｜>"),
  }
end

return s.syntax {
  api = 3, name = "deepseek_v3",
  models = { "DeepSeek-V3", { "DeepSeek-R1", start = "reasoning" } },
  source = "https://huggingface.co/deepseek-ai/DeepSeek-V3-0324",
  think = { "<think>", "</think>" },
  blocks = { calls "▁", calls " ", calls "_" },
  tokens = { "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>" },
  ignore = { "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>" },
  stop = { "<｜end▁of▁sentence｜>" },
  examples = { {
    text = '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function'
      .. '<｜tool▁sep｜>get_weather\n```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
