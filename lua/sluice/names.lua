--- The names that servers give their parsers, so that a `--tool-call-parser` carries over: those that are not a syntax's own name or alias.
-- Case, `-`, `_` and `.` do not count: deepseekv31 is deepseek_v31.

local M = {}

--- By syntax: names of tool parsers, and of reasoning parsers of another name. "auto": the format is in the checkpoint, or not in the name.
-- Names that mean no parser (passthrough) are not here. They are from vLLM 0.33.0 (tool_parsers and reasoning), SGLang 0.5.23
-- (parser_names.py, reasoning_parser_names.py), smg 1.13.0 (factory.rs), dynamo-parsers 11.0.1 and its v2 0.9.6, Ollama (parsers.go),
-- tabbyAPI (OAI/utils/tools.py), TensorRT-LLM (tool_parser_factory.py); tests/spec/names_spec.lua has them by server.
M.names = {
  apertus = "apertus15 apertus2509", auto = "base basic default hf response_template",
  cohere = "cohere_cmd cohere_command3 cohere_command4", command_r = "commandr",
  deepseek_v3 = "cogito deepseek deepseek_r1", deepseek_v31 = "deepseek3 deepseek31",
  deepseek_v32 = "deepseek32", deepseek_v4 = "dsv4", gemma4 = "gemma4-no-thinking",
  glm45 = "glm glm4 glm45_moe glm4_5 glm4_6", glm47 = "glm-5.2 glm-ocr glm47_moe",
  harmony = "gpt-oss harmony_text openai openai_gptoss",
  hermes = "holo2 qwen qwen25 qwen3-thinking qwen3-vl-instruct qwen3-vl-thinking qwen3_json smollm3 trinity",
  hy3_opensource = "hy_v4", hy_v3 = "hunyuan hy3", internlm = "interns1",
  kimi_k2 = "kimi kimi_k25 kimi_linear kimi_thinking", lfm2 = "lfm lfm2-thinking lfm2.5", ling3 = "bailing",
  llama3_json = "llama llama3", longcat = "longcatflash",
  minimax_m2 = "minimax minimax-append-think minimax_m2_1 minimax_m2_5 minimax_m2_append_think",
  minimax_m3 = "minimax_m3_nom", mistral = "ministral mistral_old",
  muse_glimmer = "glimmer muse muse_spark muse_spark_open musespark1x", nemotron_json = "nemotron_deci",
  olmo3 = "olmo olmo3-think", phi4_mini = "phi4",
  qwen3_coder = "granite_thinking_parser intellect3 minicpmv nanbeige nano_v3 nemotron nemotron-3-nano nemotron_3 nemotron_nano "
    .. "nemotron_v3 ornith qwen3.6 qwen3.8 qwen_coder qwen_xml step5",
  step3p5 = "step3_5 step3_7", xing4 = "xingchen4",
}

local function fold(name)
  return (name:lower():gsub("[-_.]", ""))
end

--- The syntax of a server's name: a key of by_name, or "auto"; nil if none is known.
function M.find(name, by_name)
  local wanted = fold(name)
  for known in pairs(by_name) do
    if fold(known) == wanted then
      return known
    end
  end
  for syntax, names in pairs(M.names) do
    for given in names:gmatch "%S+" do
      if fold(given) == wanted then
        return syntax
      end
    end
  end
end

return M
