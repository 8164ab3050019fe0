--- Kimi K2: an id that includes the name, then JSON, between special tokens.
-- Models: Kimi-K2, Kimi-K2-Thinking, Kimi-K2.5.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "kimi_k2",
  models = { "Kimi-K2" },
  source = "https://huggingface.co/moonshotai/Kimi-K2-Instruct",
  special = {
    "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>", "<|tool_call_end|>",
  },
  reasoning = { open = "<think>", close = "</think>" },
  call = {
    s.recoverable "<|tool_calls_section_begin|>",
    s.calls {
      "<|tool_call_begin|>", s.name_in_id { prefix = "functions.", counter = ":" }, "<|tool_call_argument_begin|>", s.arguments(),
      "<|tool_call_end|>",
    },
    s.recoverable "<|tool_calls_section_end|>",
  },
  repair_name = function(given, tools)
    local bare = given:gsub("^functions[._]?", ""):gsub("[_:]?%d+$", "")
    if given:find "^%d+$" and not tools[given] then -- only a counter: the arguments identify the tool
      return false
    end
    return tools[bare] and bare or given
  end,
  stop = { "<|im_end|>" },
  result = { "## Return of ", s.id(), "\n", s.value() },
  template = "<|im_system|>tool_declare<|im_middle|>{array}<|im_end|>",
  examples = {
    {
      text = '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris"}'
        .. '<|tool_call_end|><|tool_calls_section_end|>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
