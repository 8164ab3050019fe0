--- Functionary v3.1: the name in a tag, then JSON. Also Llama's spellings, where the tag does not end. Models: functionary v3.1.

return s.syntax {
  api = 3, name = "functionary_v31",
  models = { "functionary-small-v3.1", "functionary-medium-v3.1" },
  source = "https://huggingface.co/meetkai/functionary-small-v3.1",
  blocks = {
    { "<function=", s.name(), ">", s.args(), "</function>" },
    { "<function=", s.given(), s.opt(s.any { "=", ",", "(" }), s.args(), s.also ")", "</function>" },
  },
  stop = { "<|eom_id|>", "<|eot_id|>" },
  examples = { {
    text = '<function=get_weather>{"city": "Paris"}</function>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
}
