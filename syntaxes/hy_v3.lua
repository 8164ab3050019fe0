--- Hunyuan 3: GLM's key and value tags, after an optional separator, in a section.
-- Models: Hunyuan 3 (HY 3). Some releases have a suffix in every token, each its own: that of the open weights, and any other that the
-- first tag has, are also read here; or it is the mark: with the option mark = "preview" the section begins with `<tool_calls:preview>`.

-- The calls, in tags made by this function.
local function calls(tag)
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

local function with(suffix)
  return function(text)
    return s.tok("<" .. text .. suffix .. ">")
  end
end

return s.syntax {
  api = 3, name = "hy_v3",
  models = { "Hunyuan-3" },
  source = "https://huggingface.co/tencent",
  think = { { "<think>", "</think>" }, { "<think:opensource>", "</think:opensource>" } },
  blocks = {
    calls(with ""), calls(with ":opensource"),
    {
      "<tool_calls:", s.capture("suffix", "6124c78e"), ">\n",
      s.calls {
        "<tool_call:", s.same "suffix", ">", s.name(), s.opt { "<tool_sep:", s.same "suffix", ">" }, "\n",
        s.params { "<arg_key:", s.same "suffix", ">", s.key(), "</arg_key:", s.same "suffix", ">\n", "<arg_value:", s.same "suffix", ">",
          s.value(), "</arg_value:", s.same "suffix", ">\n" },
        "</tool_call:", s.same "suffix", ">\n",
      },
      "</tool_calls:", s.same "suffix", ">",
    },
    { "<think:", s.capture("suffix", "6124c78e"), ">", s.think(), "</think:", s.same "suffix", ">" },
  },
  stop = { "<｜hy_eos:opensource｜>" },
  marked = {
    "<tool_calls{:mark}>", "</tool_calls{:mark}>", "<tool_call{:mark}>", "</tool_call{:mark}>", "<end_of_tool_call{:mark}>",
    "<tool_sep{:mark}>", "<arg_key{:mark}>", "</arg_key{:mark}>", "<arg_value{:mark}>", "</arg_value{:mark}>",
    "<tool_calls:opensource{:mark}>", "<tool_call:opensource{:mark}>", "<tool_calls:{mark:}",
  },
  examples = { {
    text = '<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city'
      .. '</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>\n</tool_calls>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
