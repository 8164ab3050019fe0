--- Muse Glimmer: messages with a recipient in the header; a call's body is invocations with parameters in tags.
-- A message to the user is text, and one to the model itself is reasoning, whatever it contains. Models: Muse Glimmer.

local P, R, S = lpeg.P, lpeg.R, lpeg.S

local to, blank = (P " " + "\n")^0 * "to=", P " "^0
local over = -(R("az", "AZ", "09") + S "_-.:/") * (1 - P "<|")^0 * -1
local himself, user = blank * "self" * over, blank * "user" * over
local tool = -(himself + user) * S " \n"^0 * (1 - S " \n<")^1 * S " \n"^0 * lpeg.C((1 - P "<")^1)^-1 * -1

local message, close = s.tok "<|message|>", s.any { s.tok "<|eom|>", s.tok "<|eot|>" }
local list = {
  s.lost "<atem:function_calls>\n",
  s.calls {
    "<atem:invoke", s.attrs { name = s.name() }, ">\n",
    s.params { "<atem:parameter", s.attrs { name = s.key() }, ">", s.value(), "</atem:parameter>", "\n" },
    "</atem:invoke>", "\n", separate = true,
  },
  "</atem:function_calls>", close,
}
local calls = { message, list }
local prose = { message, s.text(), s.any { list, s.also(close) } } -- a message to a tool that begins with prose

return s.syntax {
  api = 3, name = "muse_glimmer",
  models = { "muse-glimmer", "Muse-Spark" },
  source = "https://github.com/ollama/ollama/tree/main/model/parsers",
  tokens = { "<|start|>" },
  ignore = { "<|eom|>", "<|start|>assistant" },
  stop = { "<|eot|>", "<|end_of_text|>" },
  repair_name = function(given, tools) -- a header token in the name, or a wrong namespace
    local name = given:gsub("<|message|>", "")
    local last = name:match "[^.]*$"
    return tools[name] and name or tools[last] and last
  end,
  begins = "<|start|>assistant",
  blocks = {
    { "<|start|>assistant", s.match(to * tool, " to={name}"), calls },
    { "<|start|>assistant", s.match(to * himself, " to=self"), message, s.think(), close },
    { "<|start|>assistant", s.match(to * user, " to=user"), message, s.text(), close },
    { "<|start|>assistant", s.match(to * tool, " to={name}"), prose },
    { at = "start", "to=", s.match(tool, "{name}"), calls },
    { at = "start", "to=", s.match(himself, "self"), message, s.think(), close },
    { at = "start", "to=", s.match(user, "user"), message, s.text(), close },
    { at = "start", "to=", s.match(tool, "{name}"), prose },
    { at = "start", calls },
    { at = "start", message, s.text(), close },
  },
  examples = { {
    text = ' to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n'
      .. '<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
