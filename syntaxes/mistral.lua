--- Mistral: a name before a JSON object after [TOOL_CALLS], as of tokenizer version 11; also reads the JSON array
-- of earlier versions.
-- Models: Mistral, Ministral, Magistral, Devstral, Codestral, Pixtral.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "mistral",
  models = { "Mistral", "Ministral", "Magistral", "Devstral", "Codestral", "Pixtral" },
  source = "https://github.com/mistralai/mistral-common",
  special = { "[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]" },
  reasoning = { { open = "[THINK]", close = "[/THINK]" }, { open = "<think>", close = "</think>" } },
  call = {
    "[TOOL_CALLS]",
    s.any {
      { s.name(), s.optional { "[CALL_ID]", s.id(), write = false }, s.optional "[ARGS]", s.arguments() },
      s.array(s.object { id = "id" }),
    },
  },
  stop = { "</s>" },
  template = "[AVAILABLE_TOOLS]{array}[/AVAILABLE_TOOLS]",
  examples = {
    {
      text = '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
    {
      text = '[TOOL_CALLS]add[ARGS]{"a": 1}[TOOL_CALLS]now[ARGS]{}',
      calls = { { name = "add", arguments = { a = 1 } }, { name = "now", arguments = {} } },
    },
    {
      deviates = true,
      text = '[TOOL_CALLS] [{"name": "add", "arguments": {"a": 1}, "id": "bbc5b7ede"}]</s>',
      calls = { { name = "add", arguments = { a = 1 }, id = "bbc5b7ede" } },
    },
  },
}
