--- DeepSeek V3.2: DSML; each parameter says whether it is a string.
-- Models: DeepSeek-V3.2.

local s = require "sluice.syntax"

local string = s.type { map = { ["true"] = "string", ["false"] = "json" } }

return s.syntax {
  api = 2,
  name = "deepseek_v32",
  models = { "DeepSeek-V3.2" },
  source = "https://huggingface.co/deepseek-ai/DeepSeek-V3.2",
  special = { "｜DSML｜", "<think>", "</think>" },
  reasoning = { open = "<think>", close = "</think>" },
  stop = { "<｜end▁of▁sentence｜>" },
  ignored_tokens = { "</｜DSML｜function_calls>" },
  call = {
    s.recoverable "<｜DSML｜function_calls>\n",
    s.calls {
      "<｜DSML｜invoke", s.attributes { { "name", s.name() } }, ">\n",
      s.parameters {
        "<｜DSML｜parameter", s.attributes { { "name", s.key() }, { "string", string } }, ">",
        s.value(), s.recoverable "</｜DSML｜parameter>", "\n",
      },
      s.recoverable "</｜DSML｜invoke>", "\n",
    },
    s.recoverable "</｜DSML｜function_calls>",
  },
  examples = {
    {
      text = '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
        .. '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
