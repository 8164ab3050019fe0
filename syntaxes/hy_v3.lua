--- Hunyuan 3: GLM's key and value tags, after an optional separator, in a section.
-- Models: Hunyuan 3 (HY 3). Some releases have a suffix in every token, each its own. That of the open weights is also read here; another
-- one is the mark: with the option mark = "preview" the section begins with `<tool_calls:preview>`.

local s = require "sluice.syntax"

-- A section. suffix: the suffix in its tokens.
local function section(suffix)
  local function t(name)
    return "<" .. name .. suffix .. ">"
  end
  return {
    s.recoverable(t "tool_calls" .. "\n"),
    s.calls {
      t "tool_call", s.name(), s.optional(t "tool_sep"), "\n",
      s.parameters {
        t "arg_key", s.key(), s.recoverable(t "/arg_key"), "\n", s.recoverable(t "arg_value"), s.value(),
        s.recoverable(t "/arg_value"), "\n",
      },
      s.any { t "/tool_call", t "end_of_tool_call" }, "\n",
    },
    s.recoverable(t "/tool_calls"),
  }
end

return s.syntax {
  api = 2,
  name = "hy_v3",
  models = { "HY-3", "Hunyuan-3", "Hy3" },
  source = "https://huggingface.co/tencent",
  special = {
    "<tool_calls>", "</tool_calls>", "<tool_call>", "</tool_call>", "<end_of_tool_call>", "<tool_sep>",
    "<tool_calls:opensource>", "</tool_calls:opensource>", "<tool_call:opensource>", "</tool_call:opensource>",
    "<end_of_tool_call:opensource>", "<tool_sep:opensource>", "<arg_key:opensource>", "</arg_key:opensource>",
    "<arg_value:opensource>", "</arg_value:opensource>",
  },
  reasoning = { { open = "<think>", close = "</think>" }, { open = "<think:opensource>", close = "</think:opensource>" } },
  blocks = { section "", section ":opensource" },
  stop = { "<｜hy_eos:opensource｜>" },
  marked = {
    "<tool_calls{:mark}>", "</tool_calls{:mark}>", "<tool_call{:mark}>", "</tool_call{:mark}>", "<end_of_tool_call{:mark}>",
    "<tool_sep{:mark}>", "<arg_key{:mark}>", "</arg_key{:mark}>", "<arg_value{:mark}>", "</arg_value{:mark}>",
    "<tool_calls:opensource{:mark}>", "<tool_call:opensource{:mark}>",
  },
  examples = {
    {
      text = '<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city'
        .. '</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>\n</tool_calls>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
