--- Muse Glimmer: messages with a recipient in the header; a call's body is invocations with parameters in tags.
-- A message to the user is text, and one to the model itself is reasoning, whatever it contains.
-- Models: Muse Glimmer.

local s = require "sluice.syntax"

local lpeg = require "lpeg"
local P = lpeg.P

local to, blank = (P " " + "\n")^0 * "to=", P " "^0
local over = -(lpeg.R("az", "AZ", "09") + lpeg.S "_-.:/")
local himself, user = blank * "self" * over, blank * "user" * over
local tool = (1 - (himself + user) - "<") * (1 - P "<")^0 * -1

local function recipient(prefix)
  return function(call)
    return prefix .. call.name
  end
end

local closers = s.any { "<|eom|>", "<|eot|>" }
local close = s.recoverable(closers)

local function list()
  return "<atem:function_calls>\n",
    s.calls {
      "<atem:invoke", s.attributes { { "name", s.name() } }, ">\n",
      s.parameters {
        "<atem:parameter", s.attributes { { "name", s.key() } }, ">", s.value(), s.recoverable "</atem:parameter>", "\n",
      },
      s.recoverable "</atem:invoke>", "\n", separate_blocks = true,
    },
    s.recoverable "</atem:function_calls>", close
end

local function calls()
  return "<|message|>", list()
end

-- A message to a tool that begins with prose.
local function prose()
  return "<|message|>", s.text(), s.any { { list() }, closers, write = 1 }
end

return s.syntax {
  api = 2,
  name = "muse_glimmer",
  models = { "muse-glimmer", "Muse-Spark" },
  source = "https://github.com/ollama/ollama/tree/main/model/parsers",
  special = { "<|start|>", "<|message|>", "<|eom|>", "<|eot|>" },
  ignored_tokens = { "<|eom|>", "<|start|>assistant" },
  stop = { "<|eot|>" },
  repair_name = function(given, tools) -- a header token in the name, or a wrong namespace
    local name = given:gsub("<|message|>", "")
    local last = name:match "[^.]*$"
    return tools[name] and name or tools[last] and last
  end,
  generation_prompt = "<|start|>assistant",
  blocks = {
    { "<|start|>assistant", s.pattern(to * tool, recipient " to="), calls() },
    { "<|start|>assistant", s.pattern(to * himself, " to=self"), "<|message|>", s.reasoning(), close },
    { "<|start|>assistant", s.pattern(to * user, " to=user"), "<|message|>", s.text(), close },
    { "<|start|>assistant", s.pattern(to * tool, recipient " to="), prose() },
    { at = "message", "to=", s.pattern(tool, recipient ""), calls() },
    { at = "message", "to=", s.pattern(himself, "self"), "<|message|>", s.reasoning(), close },
    { at = "message", "to=", s.pattern(user, "user"), "<|message|>", s.text(), close },
    { at = "message", "to=", s.pattern(tool, recipient ""), prose() },
    { at = "message", calls() },
    { at = "message", "<|message|>", s.text(), close },
  },
  examples = {
    {
      text = ' to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n'
        .. '<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
