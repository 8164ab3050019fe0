--- Mistral: a name before a JSON object after [TOOL_CALLS], as of tokenizer version 11; also reads the JSON array
-- of earlier versions. Models: Mistral, Ministral, Magistral, Devstral, Codestral, Pixtral.

return s.syntax {
  api = 3, name = "mistral",
  models = { "Mistral", "Mixtral", "Ministral", "Magistral", "Devstral", "Codestral", "Pixtral", "Voxtral" },
  source = "https://github.com/mistralai/mistral-common",
  think = { { s.tok "[THINK]", s.tok "[/THINK]" }, { "<think>", "</think>" } },
  call = {
    s.tok "[TOOL_CALLS]",
    s.any {
      { s.name(), s.also { s.tok "[CALL_ID]", s.id() }, s.opt(s.tok "[ARGS]"), s.args() },
      s.also(s.json { each = "*", id = "id" }),
    },
  },
  stop = { "</s>" },
  prompt = "[AVAILABLE_TOOLS]{array}[/AVAILABLE_TOOLS]",
  examples = { {
    text = '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}[TOOL_CALLS]now[ARGS]{}',
    calls = { { name = "get_weather", arguments = { city = "Paris" } }, { name = "now", arguments = {} } },
  } },
}
