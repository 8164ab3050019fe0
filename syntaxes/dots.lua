--- dots: invocations with parameters in tags, in a section; also reads JSON in place of the parameters.
-- Models: dots.llm2.

local s = require "sluice.syntax"

local parent = inherit("minimax_m2", { name = "dots", literals = { ["minimax:tool_call"] = "dots_function_call", ["\n"] = "" } })

return inherit("minimax_m2", {
  name = "dots",
  models = { "dots.llm2" },
  source = "https://huggingface.co/rednote-hilab",
  special = { "<dots_function_call>", "</dots_function_call>" },
  blocks = {
    parent.blocks[1],
    { "<dots_function_call>", s.any { s.array(s.object()), s.calls { s.object() } }, s.recoverable "</dots_function_call>" },
  },
  ignored_tokens = { "</dots_function_call>" },
  stop = { "<|endofresponse|>" },
  examples = {
    {
      text = '<dots_function_call><invoke name="get_weather"><parameter name="city">Paris</parameter></invoke></dots_function_call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
})
