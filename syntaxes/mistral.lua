local s = require "sluice.syntax"

return s.syntax {
  api = 1,
  name = "mistral",
  models = { "Mistral", "Ministral", "Magistral", "Devstral", "Codestral", "Pixtral" },
  reasoning = { open = "[THINK]", close = "[/THINK]" },
  call = {
    "[TOOL_CALLS]",
    s.any {
      { s.name(), s.optional { "[CALL_ID]", s.id() }, s.usually "[ARGS]", s.arguments() },
      s.array(s.object { id = "id" }),
    },
  },
  stop = { "</s>" },
}
