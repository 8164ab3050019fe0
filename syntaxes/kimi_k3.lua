--- Kimi K3: sections opened and closed by tokens; each argument gives its type. Servers may put blanks between tokens and text.
-- Models: Kimi-K3.

local function calls(blank)
  local open, close, sep = "<|open|>" .. blank, "<|close|>" .. blank, blank .. "<|sep|>"
  return {
    s.lost(open .. "tools" .. sep),
    s.calls {
      open .. "call", s.attrs { { "tool", s.name() }, { "index", s.match(lpeg.R "09"^1 * -1, "{index}") } }, sep,
      s.any {
        s.also { open .. 'json type="object"' .. sep, s.args(), close .. "json" .. sep },
        s.params { open .. "argument", s.attrs { { "key", s.key() }, type = { "type" } }, sep, s.value(), close .. "argument" .. sep },
      },
      close .. "call" .. sep,
    },
    close .. "tools" .. sep,
  }
end

return s.syntax {
  api = 3, name = "kimi_k3",
  models = { "Kimi-K3" },
  source = "https://huggingface.co/moonshotai",
  tokens = { "<|open|>", "<|close|>", "<|sep|>" },
  think = { { "<|open|>think<|sep|>", "<|close|>think<|sep|>" }, { "<|open|>think<|sep|>", "<|open|>response<|sep|>" },
    { "<|open|> think <|sep|>", "<|close|> think <|sep|>" } },
  ignore = { "<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|open|>message<|sep|>", "<|close|>message<|sep|>",
    "<|open|> response <|sep|>", "<|close|> response <|sep|>", "<|open|> message <|sep|>", "<|close|> message <|sep|>" },
  stop = { "<|end_of_msg|>", "<|im_end|>" },
  options = { reasoning_opens = "anywhere", calls_in_reasoning = "call" },
  blocks = { calls "", calls " " },
  examples = { {
    text = '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
      .. '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
