--- MiroThinker: the server, the tool and JSON arguments in tags.
-- Models: MiroThinker.

local s = require "sluice.syntax"
local lpeg = require "lpeg"

local server = (1 - lpeg.S "<>\r\n")^0 * -1

return s.syntax {
  api = 2,
  name = "mirothinker_mcp",
  models = { "MiroThinker" },
  source = "https://huggingface.co/miromind-ai",
  reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  call = {
    "<use_mcp_tool>\n<server_name>", s.pattern(server, "default"), "</server_name>\n<tool_name>", s.name(), "</tool_name>\n<arguments>\n",
    s.arguments(), "\n</arguments>\n</use_mcp_tool>",
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
