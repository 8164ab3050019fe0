--- Beam: like harmony, but a call's body is parameters in tags, one newline on each side of a value. Models: Beam.

local P, S, Cg, Cp, Ct = lpeg.P, lpeg.S, lpeg.Cg, lpeg.Cp, lpeg.Ct

local start = s.any { s.tok "<|start|>", s.tok "<|channel|>" }
local message = s.tok "<|message|>"
local close = s.any { s.tok "<|call|>", s.tok "<|end|>", s.tok "<|return|>" }
local nobody = (P "assistant" + "user" + "self" + "commentary" + "developer") * (S " \n<" + -1)
local token = 1 - P "<|end|>" - "<|return|>" - "<|call|>" - "<|start|>"
local char, word = token - P "to=", (1 - S " \t\n<")^1
local name = -nobody * Cg(Cp(), "at") * Cg(word * (char^0 * "to=" * word)^0, "name")
local xml = (token - P "xml")^0 * "xml" * -1 -- another body is text, of the tool's only parameter
local recipient, alone = Ct(char^0 * "to=" * name * xml), Ct(name * xml)
local analysis, other = (char - P "analysis")^0 * "analysis" * (token - P "<|constrain|>")^0 * -1, (char - P "analysis")^0 * -1
local parameters = s.params { "<rfl:parameter", s.attrs { name = s.key() }, ">\n", s.value(), "\n</rfl:parameter>" }

local any_body = Ct(char^0 * "to=" * name * token^0 * -1)

local function write_any(call)
  return "assistant to=" .. call.name .. "<|channel|>commentary"
end

return inherit("harmony", {
  api = 3, name = "beam",
  models = { "Beam" },
  source = "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/parser/beam.py",
  namespaces = false, result = false,
  blocks = {
    { start, s.match(recipient, function(call)
      return ("assistant to=%s<|channel|>analysis <|constrain|>xml"):format(call.name)
    end), message, parameters, close },
    { at = "start", "to=", s.match(alone, function(call)
      return call.name
    end), message, parameters, close },
    { "<|channel|>", s.match(any_body, write_any), message, s.args { raw = "code" }, close },
    { "<|start|>", s.match(#((token - P "<|channel|>")^0 * "<|channel|>") * any_body, write_any), message, s.args { raw = "code" }, close },
    { start, s.match(analysis, "analysis"), "<|message|> ", s.think(), close },
    { start, s.match(other, "final"), "<|message|> ", s.text(), close },
  },
  examples = { {
    deviates = true,
    text = ' to=get_weather<|channel|>analysis <|constrain|>xml<|message|><rfl:parameter name="city">\nParis\n</rfl:parameter><|call|>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
