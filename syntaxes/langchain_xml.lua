--- The tool's name and its input, a text, each in a tag; the closing tag of the input is the stop word. Origin: LangChain's XML agent.

return s.syntax {
  api = 3, name = "langchain_xml", family = "agent",
  origin = "LangChain",
  source = "https://github.com/langchain-ai/langchain/blob/master/libs/langchain/langchain_classic/agents/output_parsers/xml.py",
  blocks = {
    { "<tool>", s.name(), "</tool>", s.any { { "<tool_input>", s.value { key = "input" }, "</tool_input>" }, s.also(s.args()),
      s.also { s.params { "<tool_i", s.key(lpeg.P "nput" * -1), ">", s.value() }, "</tool_i>" } } }, -- it may be cut
    { "<final_answer>", s.text(), s.opt "</final_answer>" },
  },
  values = { fixed = { "input" }, default = "string" },
  options = { max_calls = 1 },
  stop_words = { "</tool_input>", "</final_answer>" },
  examples = {
    { text = "<tool>search</tool><tool_input>cats</tool_input>", calls = { { name = "search", arguments = { input = "cats" } } } },
  },
}
