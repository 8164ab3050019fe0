--- Step 3.5: as Qwen3-Coder.
-- Models: Step-3.5.

local s = require "sluice.syntax"

return s.syntax {
  api = 1,
  name = "step3p5",
  models = { "Step-3.5" },
  source = "https://huggingface.co/stepfun-ai/Step-3.5-Flash",
  special = { "<tool_call>", "</tool_call>" },
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  stop = { "<|im_end|>" },
  call = {
    s.missing_ok "<tool_call>\n",
    s.calls { one = true,
      "<function=", s.name(), ">\n",
      s.parameters { "<parameter=", s.key(), ">\n", s.value(), s.missing_ok "\n</parameter>\n" },
      s.missing_ok "</function>", "\n",
    },
    s.missing_ok "</tool_call>",
  },
  between = "\n",
  examples = {
    {
      text = '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
