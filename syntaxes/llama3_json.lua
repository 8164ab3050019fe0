--- Llama 3: a bare JSON object with `parameters` as the whole message, after an optional <|python_tag|>; several are
-- separated by semicolons. Models: Llama 3.1, 3.2 (large), 3.3, Llama 4 with its JSON template.

local calls = s.calls { s.json { args = { "parameters", "arguments" }, name = { "name", "function" } }, between = s.any { "; ", "," } }
local word = (lpeg.R("az", "AZ", "09") + "_")^1 * -1

return s.syntax {
  api = 3, name = "llama3_json", aliases = { "llama4_json" },
  models = { "Llama-3", "Llama-3.2", "Llama-4" },
  source = "https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct",
  blocks = {
    {
      s.also { s.any { s.tok "<|python_tag|>", s.tok "<|python_start|>" } },
      calls,
      s.also(s.tok "<|python_end|>"),
    },
    { at = "start", s.any { "```json\n", "```\n" }, calls, "\n```" },
    { s.tok "<|python_tag|>", s.name(word), ".call(", s.args "python", ")" }, -- a built-in tool
  },
  stop = { "<|eot_id|>", "<|eom_id|>", "<|eot|>" },
  examples = { {
    text = '{"name": "get_weather", "parameters": {"city": "Paris"}}',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
