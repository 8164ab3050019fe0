--- MiroThinker: as mcp_tool, with a blank line between calls. Models: MiroThinker.

return inherit("mcp_tool", {
  api = 3, name = "mirothinker_mcp",
  models = { "MiroThinker" },
  source = "https://huggingface.co/miromind-ai",
  family = false, origin = false, marked = false,
  between = "\n\n",
  stop = { "<|im_end|>" },
  examples = { {
    text = '<use_mcp_tool>\n<server_name>default</server_name>\n<tool_name>get_weather</tool_name>\n<arguments>\n{"city": "Paris"}\n'
      .. "</arguments>\n</use_mcp_tool>",
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
