--- xLAM: a bare JSON array; also reads fenced, marked and tagged ones.
-- Models: Llama-xLAM-2, xLAM-2.

local s = require "sluice.syntax"

local array = s.array(s.object())

return s.syntax {
  api = 2,
  name = "xlam",
  models = { "xLAM" },
  stop = { "<|eot_id|>" },
  source = "https://huggingface.co/Salesforce/Llama-xLAM-2-8b-fc-r",
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  blocks = {
    array,
    { "```json", array, "```" },
    { "```", array, "```" },
    { "[TOOL_CALLS]", array },
    { "<tool_call>", array, s.optional "</tool_call>" },
  },
  examples = {
    {
      text = '[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "now", "arguments": {}}]',
      calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
    },
  },
}
