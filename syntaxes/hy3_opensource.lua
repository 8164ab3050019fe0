--- Hunyuan 3 and 4, open weights: like hy_v3, but with a suffix in every token; Hunyuan 4 writes no separator. Models: Hy3-preview, Hy4.

return inherit("hy_v3", {
  api = 3, name = "hy3_opensource",
  models = { "Hy3", "HY-3-preview", "Hy4", "Hy-V4" },
  source = "https://huggingface.co/tencent",
  think = { { "<think:opensource>", "</think:opensource>" }, { "<think>", "</think>" } },
  literals = { -- hy_v3 reads both: swap them
    [":opensource>"] = ">", ["tool_calls>"] = "tool_calls:opensource>", ["tool_call>"] = "tool_call:opensource>",
    ["tool_sep>"] = "tool_sep:opensource>", ["arg_key>"] = "arg_key:opensource>", ["arg_value>"] = "arg_value:opensource>",
  },
  marked = false,
  examples = { {
    text = "<tool_calls:opensource>\n<tool_call:opensource>get_weather<tool_sep:opensource>\n<arg_key:opensource>city"
      .. "</arg_key:opensource>\n<arg_value:opensource>Paris</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
