--- DeepSeek V3.2: DSML; each parameter says whether it is a string.
-- Models: DeepSeek-V3.2.

local s = require "sluice.syntax"

local string = s.type { map = { ["true"] = "string", ["false"] = "json" } }

-- The tags after a mark: the opener of the section, then invocations.
local function block(mark, opener)
  return {
    opener,
    s.calls {
      "<" .. mark .. "invoke", s.attributes { { "name", s.name() } }, ">\n",
      s.parameters {
        "<" .. mark .. "parameter", s.attributes { { "name", s.key() }, { "string", string } }, ">",
        s.value(), s.recoverable("</" .. mark .. "parameter>"), "\n",
      },
      s.recoverable("</" .. mark .. "invoke>"), "\n",
    },
    s.recoverable("</" .. mark .. "function_calls>"),
  }
end

-- The mark is a token, which some servers drop: then the section's opener is required, and the mark counts as a missing opener.
-- Some servers and routers double the bars, or write other ones.
local function odd(mark)
  return block(mark, { "<" .. mark .. "function_calls>\n", s.recoverable "｜DSML｜" })
end

local without_mark = block("", { "<function_calls>\n", s.recoverable "｜DSML｜" })

return s.syntax {
  api = 2,
  name = "deepseek_v32",
  models = { "DeepSeek-V3.2" },
  source = "https://huggingface.co/deepseek-ai/DeepSeek-V3.2",
  special = { "｜DSML｜", "<think>", "</think>" },
  reasoning = { open = "<think>", close = "</think>" },
  stop = { "<｜end▁of▁sentence｜>" },
  ignored_at_start = { "</｜DSML｜function_calls>" },
  blocks = { block("｜DSML｜", s.recoverable "<｜DSML｜function_calls>\n"), without_mark, odd "｜｜DSML｜｜", odd "‖DSML‖", odd "|DSML|" },
  examples = {
    {
      text = '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
        .. '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
