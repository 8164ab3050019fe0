--- Harmony (gpt-oss): messages with a channel and an optional recipient, in either part of the header.
-- Models: gpt-oss, and models fine-tuned on its format.

local s = require "sluice.syntax"

local lpeg = require "lpeg"
local P, S, Cg, Cp, Ct = lpeg.P, lpeg.S, lpeg.Cg, lpeg.Cp, lpeg.Ct

local start = s.any { "<|start|>", "<|channel|>" }
local close = s.recoverable(s.any { "<|call|>", "<|end|>", "<|return|>" })
local name = P "functions."^-1 * Cg(Cp(), "at") * Cg((1 - S " \n<")^1, "name")
-- A recipient other than the assistant is a tool; a header ends with its message.
local to = "to=" * -("assistant" * (S " \n<" + -1))
local token = 1 - P "<|end|>" - "<|return|>" - "<|call|>" - "<|start|>"
local char = token - to
local recipient, alone = Ct(char^0 * to * name * token^0 * -1), Ct(name * token^0 * -1)
local analysis = (char - P "analysis")^0 * "analysis"
local other = (char - P "analysis")^0 * -1

local function write_recipient(call)
  return ("assistant to=functions.%s<|channel|>commentary <|constrain|>json"):format(call.name)
end

return s.syntax {
  api = 2,
  name = "harmony",
  models = { "gpt-oss" },
  source = "https://cookbook.openai.com/articles/openai-harmony",
  special = { "<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|call|>", "<|return|>" },
  ignored_tokens = { "<|end|>", "<|start|>assistant" },
  stop = { "<|return|>", "<|call|>" },
  namespaces = { "functions." },
  generation_prompt = "<|start|>assistant",
  blocks = {
    { start, s.header(recipient, write_recipient), "<|message|>", s.arguments(), close },
    { at = "start", "to=", s.header(alone, write_recipient), "<|message|>", s.arguments(), close },
    { start, s.pattern(analysis, "analysis"), "<|message|> ", s.reasoning(), close },
    { start, s.pattern(other, "final"), "<|message|> ", s.text(), close },
  },
  result = { "<|start|>functions.", s.name(), " to=assistant<|channel|>commentary<|message|>", s.value(), "<|end|>" },
  between_results = "",
  examples = {
    {
      text = ' to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>{"city": "Paris"}<|call|>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
