--- HyperCLOVA X SEED Think: like GLM 4.5, but values are JSON, strings in quotes. Models: HyperCLOVAX-SEED-Think-32B.

return inherit("glm45", {
  api = 3, name = "hyperclovax_glm", aliases = { "hyperclovax_seed_think" },
  models = { "HyperCLOVAX-SEED-Think" },
  source = "https://github.com/vllm-project/vllm/pull/45313 (hyperclovax_seed_think_tool_parser.py)",
  think = { "<think>\n", "</think>\n\n" },
  stop = { "<|im_end|>", "<|endofturn|>" },
  call = {
    s.tok "<tool_call>", s.name(), "\n",
    s.params { "<arg_key>", s.key(), "</arg_key>", "\n", "<arg_value>", s.value { json = true }, "</arg_value>", "\n" },
    s.tok "</tool_call>",
  },
  examples = { {
    text = '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>"Paris"</arg_value>\n</tool_call>',
    calls = { { name = "get_weather", arguments = { city = "Paris" } } },
  } },
})
