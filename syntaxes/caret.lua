local s = require "sluice.syntax"
local lpeg = require "lpeg"

local word = (lpeg.R("az", "AZ", "09") + "_")^1 * -1
local x = s.exact

return s.syntax {
  api = 1,
  name = "caret",
  call = {
    s.at_line(), x "^^^", s.name { pattern = word }, x "\n",
    s.parameters {
      s.any {
        { x "---\n", s.any {
          { s.key(), x ": |\n", s.block_text() },
          s.value { key = "content" },
        } },
        { s.key(), s.any {
          { x " ---\n", s.value { several = true }, x "\n--- ", s.same "key", x "\n" },
          { x ": [\n", s.items(), x "]\n" },
          { x ": |\n", s.block_text() },
          { x ": |-\n", s.block_text { chomp = true } },
          { x ":\n", s.items { prefix = "- " } },
          { ": ", s.value { line = true }, "\n" },
          write = { 2, 1, 6 },
        } },
        write = 2,
      },
    },
    s.at_line(), x "^^^\n",
  },
  untyped = "string", repeats = true, plural = true, max_calls = 1,
}
