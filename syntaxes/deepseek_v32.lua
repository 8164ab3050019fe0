--- DeepSeek V3.2: DSML; each parameter says whether it is a string. Models: DeepSeek-V3.2.

-- The calls, in tags with this mark. It is a token, which some servers drop: then the opener of the section is required.
local function calls(mark, begin)
  return {
    begin,
    s.calls {
      "<" .. mark .. "invoke", s.attrs { name = s.name() }, ">\n",
      s.params {
        "<" .. mark .. "parameter", s.attrs { { "name", s.key() }, type = { "string", { ["true"] = "string", ["false"] = "json" } } }, ">",
        s.value(), "</" .. mark .. "parameter>", "\n",
      },
      "</" .. mark .. "invoke>", "\n",
    },
    "</" .. mark .. "function_calls>",
  }
end

-- Servers drop the mark, double its bars, or write other ones: then the call is recovered.
local function other(mark)
  return calls(mark, { "<" .. mark .. "function_calls>\n", s.lost(s.tok "｜DSML｜") })
end

return s.syntax {
  api = 3, name = "deepseek_v32",
  models = { "DeepSeek-V3.2" },
  source = "https://huggingface.co/deepseek-ai/DeepSeek-V3.2",
  think = { s.tok "<think>", s.tok "</think>" },
  stop = { "<｜end▁of▁sentence｜>" },
  blocks = { calls("｜DSML｜", s.lost "<｜DSML｜function_calls>\n"), other "", other "｜｜DSML｜｜", other "‖DSML‖", other "|DSML|",
    other "||DSML||", other " | DSML | ", other " | | DSML | | " },
  examples = { {
    text = '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
      .. '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
