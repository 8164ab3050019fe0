--- DeepSeek V4: DSML, in a section of another name.
-- Models: DeepSeek-V4.

local s = require "sluice.syntax"

local string = s.type { map = { ["true"] = "string", ["false"] = "json" } }

return s.syntax {
  api = 1,
  name = "deepseek_v4",
  models = { "DeepSeek-V4" },
  source = "https://huggingface.co/deepseek-ai",
  special = { "｜DSML｜", "<think>", "</think>" },
  reasoning = { open = "<think>", close = "</think>" },
  stop = { "<｜end▁of▁sentence｜>" },
  call = {
    s.missing_ok "<｜DSML｜tool_calls>\n",
    s.calls {
      "<｜DSML｜invoke", s.attributes { { "name", s.name() } }, ">\n",
      s.parameters {
        "<｜DSML｜parameter", s.attributes { { "name", s.key() }, { "string", string } }, ">",
        s.value(), s.missing_ok "</｜DSML｜parameter>", "\n",
      },
      s.missing_ok "</｜DSML｜invoke>", "\n",
    },
    s.missing_ok "</｜DSML｜tool_calls>",
  },
  examples = {
    {
      text = '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n'
        .. '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
