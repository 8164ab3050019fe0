--- IQuest Q1: as GLM 4.7, in tags of its own.
-- Models: IQuest-Q1, IQuest-Coder.

return inherit("glm47", {
  name = "iquest_q1",
  models = { "IQuest-Q1", "IQuest-Coder" },
  source = "https://huggingface.co/IQuestLab",
  special = { "<iquest_tool_call>", "</iquest_tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>" },
  literals = { ["<tool_call>"] = "<iquest_tool_call>", ["</tool_call>"] = "</iquest_tool_call>" },
  stop = { "<|im_end|>" },
  examples = {
    {
      text = "<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></iquest_tool_call>",
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
})
