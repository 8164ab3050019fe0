--- IQuest Q1 and IQuest-Coder V2: like GLM 4.7, each in its own tags.
-- Models: IQuest-Q1, IQuest-Coder-V2. The first IQuest-Coder writes Qwen3-Coder's format.

return inherit("glm47", {
  api = 3, name = "iquest_q1",
  models = { "IQuest-Q1", "IQuest-Coder-V2" },
  source = "https://huggingface.co/IQuestLab",
  tokens = { "<iquest_tool_call>", "</iquest_tool_call>", "<iquestcoder_tool_call>", "</iquestcoder_tool_call>" },
  literals = { { tool_call = "iquest_tool_call" }, { tool_call = "iquestcoder_tool_call" } },
  stop = { "<|im_end|>", "<|iquest_end|>", "<|endoftext|>" },
  examples = { {
    text = "<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></iquest_tool_call>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
