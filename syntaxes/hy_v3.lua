--- Hunyuan 3: GLM's key and value tags, after an optional separator, in a section.
-- Models: Hunyuan 3 (HY 3). Some releases have a suffix in every token, each its own. That of the open weights is also read here; another
-- one is the mark: with the option mark = "preview" the section begins with `<tool_calls:preview>`.

-- The calls, in tags with this suffix.
local function calls(suffix)
  local function tag(text)
    return s.tok("<" .. text .. suffix .. ">")
  end
  return {
    s.lost { tag "tool_calls", "\n" },
    s.calls {
      tag "tool_call", s.name(), s.opt(tag "tool_sep"), "\n",
      s.params { tag "arg_key", s.key(), s.lost(tag "/arg_key"), "\n", s.lost(tag "arg_value"), s.value(), tag "/arg_value", "\n" },
      s.any { tag "/tool_call", tag "end_of_tool_call" }, "\n",
    },
    tag "/tool_calls",
  }
end

return s.syntax {
  api = 3, name = "hy_v3",
  models = { "HY-3", "Hunyuan-3", "Hy3" },
  source = "https://huggingface.co/tencent",
  think = { { "<think>", "</think>" }, { "<think:opensource>", "</think:opensource>" } },
  blocks = { calls "", calls ":opensource" },
  stop = { "<｜hy_eos:opensource｜>" },
  marked = {
    "<tool_calls{:mark}>", "</tool_calls{:mark}>", "<tool_call{:mark}>", "</tool_call{:mark}>", "<end_of_tool_call{:mark}>",
    "<tool_sep{:mark}>", "<arg_key{:mark}>", "</arg_key{:mark}>", "<arg_value{:mark}>", "</arg_value{:mark}>",
    "<tool_calls:opensource{:mark}>", "<tool_call:opensource{:mark}>",
  },
  examples = { {
    text = '<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city'
      .. '</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>\n</tool_calls>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
