local s = require "sluice.syntax"

return s.syntax {
  api = 1,
  name = "xml_tags",
  reasoning = { open = "<thinking>", close = "</thinking>" },
  call = {
    "<tool:", s.name(), ">\n",
    s.parameters { "<param:", s.key(), ">", s.value { pad = true }, "</param:", s.same "key", ">\n" },
    "</tool:", s.same "name", ">",
  },
  between = "\n",
  options = { reasoning_opens = "anywhere" },
  untyped = "string", repeats = true, plural = true,
}
