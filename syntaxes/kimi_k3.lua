--- Kimi K3: sections opened and closed by tokens; each argument gives its type.
-- Models: Kimi-K3.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "kimi_k3",
  models = { "Kimi-K3" },
  source = "https://huggingface.co/moonshotai",
  special = { "<|open|>", "<|close|>", "<|sep|>" },
  reasoning = {
    { open = "<|open|>think<|sep|>", close = "<|close|>think<|sep|>" },
    { open = "<|open|>think<|sep|>", close = "<|open|>response<|sep|>" },
  },
  ignored_tokens = { "<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|open|>message<|sep|>",
    "<|close|>message<|sep|>", "<|open|> response <|sep|>", "<|close|> response <|sep|>" },
  stop = { "<|end_of_msg|>", "<|im_end|>" },
  options = { reasoning_opens = "anywhere", calls_in_reasoning = "call" },
  call = {
    "<|open|>tools<|sep|>",
    s.calls {
      "<|open|>call", s.attributes { { "tool", s.name() }, { "index", s.number { from = 1 } } }, "<|sep|>",
      s.any {
        { '<|open|>json type="object"<|sep|>', s.arguments(), "<|close|>json<|sep|>" },
        s.parameters {
          "<|open|>argument", s.attributes { { "key", s.key() }, { "type", s.type() } }, "<|sep|>", s.value(),
          "<|close|>argument<|sep|>",
        },
        write = 2,
      },
      "<|close|>call<|sep|>",
    },
    "<|close|>tools<|sep|>",
  },
  examples = {
    {
      text = '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
        .. '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
  },
}
