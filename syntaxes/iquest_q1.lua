--- IQuest Q1 and IQuest-Coder V2: as GLM 4.7, each in its own tags.
-- Models: IQuest-Q1, IQuest-Coder-V2. The first IQuest-Coder writes Qwen3-Coder's format.

-- GLM 4.7's block in these tags.
local function block(tag)
  return inherit("glm47", {
    name = "iquest_q1", literals = { ["<tool_call>"] = "<" .. tag .. ">", ["</tool_call>"] = "</" .. tag .. ">" },
  }).blocks[1]
end

return inherit("glm47", {
  name = "iquest_q1",
  models = { "IQuest-Q1", "IQuest-Coder-V2" },
  source = "https://huggingface.co/IQuestLab",
  special = {
    "<iquest_tool_call>", "</iquest_tool_call>", "<iquestcoder_tool_call>", "</iquestcoder_tool_call>", "<arg_key>", "</arg_key>",
    "<arg_value>", "</arg_value>",
  },
  blocks = { block "iquest_tool_call", block "iquestcoder_tool_call" },
  stop = { "<|im_end|>" },
  examples = {
    {
      text = "<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></iquest_tool_call>",
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
})
