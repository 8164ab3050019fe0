--- The name and the parameters in tags, the latter named after them. Models: Amazon Nova, as its prompts for tools have it.

return s.syntax {
  api = 3, name = "nova",
  models = { "amazon-nova", "nova-pro", "nova-lite", "nova-micro" },
  origin = "Amazon Bedrock", source = "https://docs.aws.amazon.com/nova/latest/userguide/prompting-tools-function.html",
  think = { "<thinking>", "</thinking>" },
  call = {
    "<tool>\n", "<tool_name>", s.name(), "</tool_name>\n", s.opt { "<parameters>\n",
    s.params { nested = "item", "<", s.key(), ">", s.value(), "</", s.same "key", ">\n" },
    "</parameters>\n" }, "</tool>",
  },
  between = "\n",
  options = { reasoning_opens = "anywhere" },
  examples = { {
    text = "<tool>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</tool>",
    calls = { { name = "get_weather", arguments = { city = "Oslo" } } },
  } },
}
