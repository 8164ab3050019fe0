--- Kimi K3: sections opened and closed by tokens; each argument gives its type. Models: Kimi-K3.

return s.syntax {
  api = 3, name = "kimi_k3",
  models = { "Kimi-K3" },
  source = "https://huggingface.co/moonshotai",
  tokens = { "<|open|>", "<|close|>", "<|sep|>" },
  think = { { "<|open|>think<|sep|>", "<|close|>think<|sep|>" }, { "<|open|>think<|sep|>", "<|open|>response<|sep|>" } },
  ignore = { "<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|open|>message<|sep|>", "<|close|>message<|sep|>",
    "<|open|> response <|sep|>", "<|close|> response <|sep|>" },
  stop = { "<|end_of_msg|>", "<|im_end|>" },
  options = { reasoning_opens = "anywhere", calls_in_reasoning = "call" },
  call = {
    "<|open|>tools<|sep|>",
    s.calls {
      "<|open|>call", s.attrs { { "tool", s.name() }, { "index", s.match(lpeg.R "09"^1 * -1, "{index}") } }, "<|sep|>",
      s.any {
        s.also { '<|open|>json type="object"<|sep|>', s.args(), "<|close|>json<|sep|>" },
        s.params {
          "<|open|>argument", s.attrs { { "key", s.key() }, type = { "type" } }, "<|sep|>", s.value(), "<|close|>argument<|sep|>",
        },
      },
      "<|close|>call<|sep|>",
    },
    "<|close|>tools<|sep|>",
  },
  examples = { {
    text = '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
      .. '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
