--- Kimi K2: an id that includes the name, then JSON, between special tokens. Models: Kimi-K2, Kimi-K2-Thinking, Kimi-K2.5.

local P, R, S, C, Cp = lpeg.P, lpeg.R, lpeg.S, lpeg.C, lpeg.Cp

local blank, counter = S " \n\t"^0, P ":" * R "09"
local name = ((1 - S " \n\t:")^1 + P " "^-1 * (1 - counter - S " \n\t"))^1
local function head(before)
  return blank * C(P "functions."^-1 * Cp() * C(name) * (counter * R "09"^0)^-1) * blank * -1 / function(id, at, called)
    return { id = before .. id, at = at, name = called }
  end
end

local function write_head(call)
  return call.id or ("functions.%s:%d"):format(call.name, call.index - 1)
end

return s.syntax {
  api = 3, name = "kimi_k2",
  models = { "Kimi-K2", "Kimi-Linear" },
  source = "https://huggingface.co/moonshotai/Kimi-K2-Instruct",
  think = { "<think>", "</think>" },
  blocks = {
    {
      s.lost(s.any { s.tok "<|tool_calls_section_begin|>", s.also "<|tool_call_section_begin|>" }),
      s.calls {
        s.tok "<|tool_call_begin|>", s.match(head "", write_head), s.tok "<|tool_call_argument_begin|>", s.args(),
        s.tok "<|tool_call_end|>",
      },
      s.any { s.tok "<|tool_calls_section_end|>", s.also "<|tool_call_section_end|>" },
    },
    {
      at = "start", s.lost(s.tok "<|tool_calls_section_begin|>"), "functions.", s.match(head "functions.", write_head),
      s.tok "<|tool_call_argument_begin|>", s.args(), s.tok "<|tool_call_end|>", s.lost(s.tok "<|tool_calls_section_end|>"),
    },
  },
  repair_name = function(given, tools)
    local bare = given:gsub("^functions[._]?", ""):gsub("[_:]?%d+$", "")
    return tools[bare] and bare or given
  end,
  stop = { "<|im_end|>" },
  result = { "<|im_system|>tool<|im_middle|>## Return of ", s.id(), "\n", s.value(), "<|im_end|>", between = "" },
  prompt = "<|im_system|>tool_declare<|im_middle|>{array}<|im_end|>",
  examples = { {
    text = '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris"}'
      .. '<|tool_call_end|><|tool_calls_section_end|>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
