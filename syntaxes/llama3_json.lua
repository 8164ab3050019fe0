--- Llama 3: a bare JSON object with `parameters` as the whole message, after an optional <|python_tag|>; several are
-- separated by semicolons.
-- Models: Llama 3.1, 3.2 (large), 3.3, Llama 4 with its JSON template.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "llama3_json", aliases = { "llama4_json" },
  models = { "Llama-3", "Llama-3.2", "Llama-4" },
  source = "https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct",
  special = { "<|python_tag|>", "<|python_start|>", "<|python_end|>" },
  call = {
    s.optional { s.any { "<|python_tag|>", "<|python_start|>" }, write = false },
    s.calls { s.object { arguments = { "parameters", "arguments" } }, between = s.any { "; ", "," } },
    s.optional { "<|python_end|>", write = false },
  },
  stop = { "<|eot_id|>", "<|eom_id|>", "<|eot|>" },
  examples = {
    {
      text = '{"name": "get_weather", "parameters": {"city": "Paris"}}',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
