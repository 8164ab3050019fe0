--- Rubra: a JSON array of calls between two words. Models: Rubra's enhanced Llama, Mistral, Phi, Qwen and Gemma.

return s.syntax {
  api = 3, name = "rubra",
  models = { "rubra" },
  source = "https://docs.rubra.ai/ (rubra-tools)",
  call = { "starttoolcall", s.any { s.json { each = "*" }, s.also(s.json()) }, "endtoolcall" },
  examples = { {
    text = 'starttoolcall[{"name": "get_weather", "arguments": {"city": "Paris"}}]endtoolcall',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
