--- A JSON object after `Action:`; `final_answer` is a tool like others. Origin: Hugging Face's smolagents, its agent that calls tools.

return s.syntax {
  api = 3, name = "smolagents_json", family = "agent",
  origin = "huggingface/smolagents",
  source = "https://github.com/huggingface/smolagents/blob/main/src/smolagents/prompts/toolcalling_agent.yaml",
  blocks = {
    { at = "indent", "Action:\n", s.json { raw = "answer" } },
    { at = "indent", "Action:\n", s.any { "```json\n", "```\n" }, s.json { raw = "answer" }, "\n```" },
    { at = "line", s.json { raw = "answer" } },
    { at = "indent", "Thought: ", s.think(), "\n" },
  },
  between = "\n",
  ignore = { "<end_code>" },
  stop_words = { "\nObservation:", "<end_code>" },
  examples = { {
    text = 'Action:\n{"name": "search", "arguments": {"query": "cats"}}', calls = { { name = "search", arguments = { query = "cats" } } },
  } },
}
