--- Harmony: messages with a channel and an optional recipient, in either part of the header. Models: gpt-oss, LLM-jp-4 and others.

local P, S, Cg, Cp, Ct = lpeg.P, lpeg.S, lpeg.Cg, lpeg.Cp, lpeg.Ct

local start = s.any { s.tok "<|start|>", s.tok "<|channel|>" }
local message = s.tok "<|message|>"
local close = s.any { s.tok "<|call|>", s.tok "<|end|>", s.tok "<|return|>" }
local word, kind = (1 - S " \n<")^1, P "code" + "json" + "commentary" + "analysis" + "final" + "assistant" + "user" + "to="
-- A recipient other than these (some are Muse's) is a tool; a header ends with its message.
local nobody = (P "assistant" + "user" + "self" + "commentary" + "developer") * (S " \n<" + -1)
local to = "to=" * -nobody
local token = 1 - P "<|end|>" - "<|return|>" - "<|call|>" - "<|start|>"
local char = token - to
-- The name of two recipients is all between them: no tool has it.
local name = P "functions."^-1 * Cg(Cp(), "at") * Cg(word * (" " * (word - kind))^0 * (char^0 * to * word)^0, "name")
local recipient, alone = Ct(char^0 * to * name * token^0 * -1), Ct(-nobody * name * token^0 * -1)
local analysis = (char - P "analysis")^0 * "analysis" * (token - P "<|constrain|>" - "<|channel|>")^0 * -1
local lost = (1 - P "commentary")^0 * "commentary" * (1 - P "<|constrain|>")^0 * "<|constrain|>" -- of a call, without a recipient
local other = -lost * (char - P "analysis")^0 * -1

local told = #((1 - (P "<|channel|>" + " code"))^0 * (P "<|channel|>" + " code")) -- else it may be Muse's message

-- Beam's bodies.
local xml = #((1 - P "xml")^0 * "xml" * -1)
local parameters = s.params { "<rfl:parameter", s.attrs { name = s.key() }, ">\n", s.value(), "\n</rfl:parameter>" }

local function write_recipient(call)
  return ("assistant to=functions.%s<|channel|>commentary <|constrain|>json"):format(call.name)
end

return s.syntax {
  api = 3, name = "harmony",
  models = { "gpt-oss", "llm-jp-4" },
  source = "https://cookbook.openai.com/articles/openai-harmony",
  tokens = { "<|constrain|>" },
  ignore = { "<|end|>", "<|start|>assistant" },
  stop = { "<|return|>", "<|call|>" },
  namespaces = { "functions." },
  begins = "<|start|>assistant",
  blocks = {
    { start, s.match(recipient, write_recipient), message, s.args(), close },
    { at = "start", "to=", s.match(alone, write_recipient), message, s.args(), close },
    { at = "start", s.lost(s.tok "<|channel|>"), "commentary to=", s.match(alone, write_recipient), message, s.args(), close },
    { start, s.match(xml * recipient, write_recipient), message, parameters, close },
    { at = "start", "to=", s.match(xml * alone, write_recipient), message, parameters, close },
    { "<|channel|>", s.match(recipient, write_recipient), message, s.args { raw = "code" }, close }, -- a built-in tool's body is text
    { "<|start|>", s.match(told * recipient, write_recipient), message, s.args { raw = "code" }, close },
    { at = "start", "to=", s.match(told * alone, write_recipient), message, s.args { raw = "code" }, close },
    { "assistantcommentary to=functions.", s.given(), s.any { "json", "code" }, s.args(), close }, -- without any token
    { start, s.match(analysis, "analysis"), "<|message|> ", s.think(), close },
    { start, s.match(other, "final"), "<|message|> ", s.text(), close },
  },
  result = { "<|start|>functions.", s.name(), " to=assistant<|channel|>commentary<|message|>", s.value(), "<|end|>", between = "" },
  examples = { {
    text = ' to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>{"city": "Paris"}<|call|>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
