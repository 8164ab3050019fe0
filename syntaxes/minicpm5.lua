--- MiniCPM 5: functions and parameters in tags with attributes; values may be in CDATA.
-- Models: MiniCPM5.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "minicpm5",
  models = { "MiniCPM5" },
  source = "https://huggingface.co/openbmb",
  default_type = "any_json",
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = {
    "<function", s.attributes { { "name", s.name() } }, ">",
    s.parameters {
      "<param", s.attributes { { "name", s.key() } }, ">",
      s.any { { "<![CDATA[", s.value(), s.any { "]]></param>", "]]>\n</param>" } }, { s.value(), "</param>" }, write = 2 },
    },
    "</function>",
  },
  stop = { "<|im_end|>" },
  examples = {
    {
      text = '<function name="get_weather"><param name="city">Paris</param></function>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
