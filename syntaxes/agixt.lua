--- A command's name and its parameters as tags inside <execute>; thinking and the answer have tags of their own. Origin: Josh-XT/AGiXT.

return s.syntax {
  api = 3, name = "agixt", family = "agent",
  origin = "Josh-XT/AGiXT", source = "https://github.com/Josh-XT/AGiXT/blob/main/agixt/Interactions.py",
  think = { "<thinking>\n", "\n</thinking>\n\n" },
  call = {
    "<execute>\n", "<name>", s.name(lpeg.P(1)^1), "</name>\n",
    s.params { "<", s.key(), ">", s.value { trim = true }, "</", s.same "key", ">\n" },
    s.opt "</execute>",
  },
  between = "\n",
  ignore = { "<answer>", "</answer>" },
  stop_words = { "</execute>" },
  values = { default = "string" },
  marked = { "<execute{ mark}>", "</execute{ mark}>" },
  examples = { {
    text = "<execute>\n<name>Web Search</name>\n<query>cats</query>\n</execute>",
    calls = { { name = "Web Search", arguments = { query = "cats" } } },
  } },
}
