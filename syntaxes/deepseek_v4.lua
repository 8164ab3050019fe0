--- DeepSeek V4: DSML, in a section with another name; the names of tags may have the prefix `r:`.
-- Models: DeepSeek-V4.

local s = require "sluice.syntax"

-- DeepSeek V3.2's blocks with this text after the mark of each tag.
local function blocks(alias)
  return inherit("deepseek_v32", {
    name = "deepseek_v4", literals = { ["｜DSML｜"] = "｜DSML｜" .. alias, ["｜DSML｜function_calls"] = "｜DSML｜" .. alias .. "tool_calls",
      ["function_calls"] = "tool_calls" },
  }).blocks
end

local own = blocks ""

return inherit("deepseek_v32", {
  name = "deepseek_v4",
  models = { "DeepSeek-V4" },
  source = "https://huggingface.co/deepseek-ai",
  ignored_at_start = {},
  blocks = { own[1], own[2], { blocks("r:")[1], s.optional { "</｜DSML｜tool_calls>", write = false } }, own[3], own[4],
    own[5] },
  examples = {
    {
      text = '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n'
        .. '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
})
