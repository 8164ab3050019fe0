--- Seed OSS: as Qwen3-Coder, in its own tags, with unchanged values.
-- Models: Seed-OSS.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "seed_oss",
  models = { "Seed-OSS" },
  source = "https://huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct",
  special = { "<seed:tool_call>", "</seed:tool_call>" },
  reasoning = { open = "<seed:think>", close = "</seed:think>" },
  stop = { "<seed:eos>" },
  call = {
    s.recoverable "<seed:tool_call>\n",
    s.calls { separate_blocks = true,
      "<function=", s.name(), ">\n",
      s.parameters { "<parameter=", s.key(), ">", s.value(), s.recoverable "</parameter>\n" },
      s.recoverable "</function>", "\n",
    },
    s.recoverable "</seed:tool_call>",
  },
  between = "\n",
  examples = {
    {
      text = '<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris'
        .. '</parameter>\n</function>\n</seed:tool_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
