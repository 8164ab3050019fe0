--- The names that servers give their parsers, so that a `--tool-call-parser` carries over: those that are not a syntax's own name or alias.
-- Case, `-`, `_` and `.` do not count: deepseekv31 is deepseek_v31.

local M = {}

--- By system: tool parsers, and reasoning parsers of another name. "auto": the format is in the checkpoint, or not in the name. Names that
-- mean no parser (passthrough) are not here.
M.systems = {
  vllm = { -- vllm/{tool_parsers,reasoning}/__init__.py and rust/src/chat/src/parser, 0.33.0
    cohere_cmd = "cohere", cohere_command3 = "cohere", cohere_command4 = "cohere", deepseek_r1 = "deepseek_v3",
    granite_thinking_parser = "qwen3_coder", hf = "auto", holo2 = "hermes", hy_v4 = "hy3_opensource", kimi = "kimi_k2",
    minicpmv = "qwen3_coder", minimax_m2_append_think = "minimax_m2", muse = "muse_glimmer", musespark1x = "muse_glimmer",
    nemotron_v3 = "qwen3_coder", openai = "harmony", openai_gptoss = "harmony", qwen3_json = "hermes", step5 = "qwen3_coder",
  },
  sglang = { -- srt/function_call/parser_names.py and srt/parser/reasoning_parser_names.py, 0.5.23
    apertus2509 = "apertus", glm = "glm45", ["gpt-oss"] = "harmony", hunyuan = "hy_v3", interns1 = "internlm", llama3 = "llama3_json",
    minimax = "minimax_m2", ["minimax-append-think"] = "minimax_m2", nanbeige = "qwen3_coder", nemotron_3 = "qwen3_coder", qwen = "hermes",
    qwen25 = "hermes", response_template = "auto", trinity = "hermes",
  },
  smg = { -- crates/{tool_parser,reasoning_parser}/src/factory.rs, 1.13.0
    base = "auto", deepseek = "deepseek_v3", deepseek31 = "deepseek_v31", deepseek32 = "deepseek_v32", glm45_moe = "glm45",
    glm47_moe = "glm47", kimi_k25 = "kimi_k2", kimi_thinking = "kimi_k2", llama = "llama3_json", nano_v3 = "qwen3_coder",
    nemotron = "qwen3_coder", qwen_coder = "qwen3_coder", qwen_xml = "qwen3_coder",
  },
  dynamo = { -- src/{tool_calling/parsers,reasoning/mod}.rs of dynamo-parsers 11.0.1; src/unified/mod.rs of dynamo-parsers-v2 0.9.6
    basic = "auto", default = "auto", harmony_text = "harmony", minimax_append_think = "minimax_m2", minimax_m3_nom = "minimax_m3",
    muse_spark = "muse_glimmer", muse_spark_open = "muse_glimmer", nemotron3 = "qwen3_coder", nemotron_deci = "nemotron_json",
    nemotron_nano = "qwen3_coder", phi4 = "phi4_mini",
  },
  ollama = { -- model/parsers/parsers.go
    apertus15 = "apertus", bailing = "ling3", cogito = "deepseek_v3", commandr = "command_r", deepseek3 = "deepseek_v31",
    ["gemma4-no-thinking"] = "gemma4", glimmer = "muse_glimmer", ["glm-ocr"] = "glm47", ["glm-5.2"] = "glm47",
    intellect3 = "qwen3_coder", ["lfm2-thinking"] = "lfm2", longcatflash = "longcat", ministral = "mistral",
    ["nemotron-3-nano"] = "qwen3_coder", ["olmo3-think"] = "olmo3", ornith = "qwen3_coder", ["qwen3-thinking"] = "hermes",
    ["qwen3-vl-instruct"] = "hermes", ["qwen3-vl-thinking"] = "hermes",
  },
  tabbyapi = { -- endpoints/OAI/utils/tools.py
    dsv4 = "deepseek_v4", glm4_5 = "glm45", glm4_6 = "glm45", hy3 = "hy_v3", kimi_linear = "kimi_k2", lfm = "lfm2",
    ["lfm2.5"] = "lfm2", minimax_m2_1 = "minimax_m2", minimax_m2_5 = "minimax_m2", mistral_old = "mistral", olmo = "olmo3",
    ["qwen3.6"] = "qwen3_coder", ["qwen3.8"] = "qwen3_coder", smollm3 = "hermes", step3_5 = "step3p5", step3_7 = "step3p5",
  },
  ["tensorrt-llm"] = { -- tensorrt_llm/serve/tool_parser/tool_parser_factory.py
    glm4 = "glm45", xingchen4 = "xing4",
  },
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
  for _, names in pairs(M.systems) do
    for given, syntax in pairs(names) do
      if fold(given) == wanted then
        return syntax
      end
    end
  end
end

return M
