--- MiroThinker: the server, the tool and JSON arguments in tags.
-- Models: MiroThinker.

local server = (1 - lpeg.S "<>\r\n")^0 * -1

return s.syntax {
  api = 3,
  name = "mirothinker_mcp",
  models = { "MiroThinker" },
  source = "https://huggingface.co/miromind-ai",
  think = { "<think>\n", "\n</think>\n\n" },
  call = {
    "<use_mcp_tool>\n<server_name>", s.match(server, "default"), "</server_name>\n<tool_name>", s.name(), "</tool_name>\n<arguments>\n",
    s.args(), "\n</arguments>\n</use_mcp_tool>",
  },
  between = "\n\n",
  stop = { "<|im_end|>" },
  examples = {
    {
      text = '<use_mcp_tool>\n<server_name>default</server_name>\n<tool_name>get_weather</tool_name>\n<arguments>\n{"city": "Paris"}\n'
        .. "</arguments>\n</use_mcp_tool>",
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
