--- The names that servers give their parsers, so that a `--tool-call-parser` carries over: those that are not a syntax's own name or alias.
-- Case, `-`, `_` and `.` do not count: deepseekv31 is deepseek_v31.

local M = {}

--- By system. "auto": the format stands in the checkpoint. Names that mean no parser (smg's passthrough) are not here.
M.systems = {
  vllm = { -- vllm/tool_parsers/__init__.py, 0.8 to 0.33
    cohere_command3 = "cohere", cohere_command4 = "cohere", hf = "auto", hy_v4 = "hy3_opensource", intern_s1 = "internlm",
    iquest_coder = "qwen3_coder", iquest_coder_v2 = "iquest_q1", mimov2_flash = "mimo", minicpmv = "qwen3_coder", minimax = "minimax_m1",
    muse = "muse_glimmer", musespark1x = "muse_glimmer", nemotron_nano_v2 = "nemotron_json", openai = "harmony", qwen3_json = "hermes",
    step5 = "qwen3_coder",
  },
  sglang = { -- srt/function_call/parser_names.py, 0.5.23
    apertus2509 = "apertus", glm = "glm45", ["gpt-oss"] = "harmony", hunyuan = "hy_v3", interns1 = "internlm", llama3 = "llama3_json",
    nanbeige = "qwen3_coder", qwen = "hermes", qwen25 = "hermes", response_template = "auto", trinity = "hermes",
  },
  smg = { -- crates/tool_parser/src/factory.rs
    deepseek = "deepseek_v3", deepseek31 = "deepseek_v31", deepseek32 = "deepseek_v32", deepseek_dsml = "deepseek_v32",
    glm45_moe = "glm45", glm47_moe = "glm47", llama = "llama3_json", minimax = "minimax_m1", qwen = "hermes", qwen_coder = "qwen3_coder",
    qwen_xml = "qwen3_coder",
  },
  dynamo = { -- lib/parsers/src/tool_calling/parsers.rs
    default = "auto", nemotron_deci = "nemotron_json", nemotron_nano = "qwen3_coder", phi4 = "phi4_mini", qwen25 = "hermes",
  },
  ollama = { -- model/parsers/parsers.go
    apertus15 = "apertus", bailing = "ling3", cogito = "deepseek_v3", commandr = "command_r", deepseek3 = "deepseek_v31",
    ["gemma4-no-thinking"] = "gemma4", glimmer = "muse_glimmer", ["glm-ocr"] = "glm47", ["glm-4.6"] = "glm45", ["glm-5.2"] = "glm47",
    intellect3 = "qwen3_coder", ["lfm2-thinking"] = "lfm2", longcatflash = "longcat", ministral = "mistral",
    ["nemotron-3-nano"] = "qwen3_coder", ["olmo3-think"] = "olmo3", ornith = "qwen3_coder", ["qwen3-thinking"] = "hermes",
    ["qwen3-vl-instruct"] = "hermes", ["qwen3-vl-thinking"] = "hermes", ["qwen3.8"] = "qwen3_coder",
  },
  tabbyapi = { -- endpoints/OAI/utils/toolcall_formats
    common = "auto", glm4_5 = "glm45", hy3 = "hy_v3", kimi = "kimi_k2", mistral_old = "mistral", minimax = "minimax_m1",
  },
  ["tensorrt-llm"] = { -- tensorrt_llm/serve/tool_parser/tool_parser_factory.py
    glm4 = "glm45", xingchen4 = "xing4",
  },
}

local function fold(name)
  return (name:lower():gsub("[-_.]", ""))
end

local own -- the systems' names, folded

--- The syntax of a server's name: a key of by_name, or "auto"; nil if none is known.
function M.find(name, by_name)
  local wanted = fold(name)
  for known in pairs(by_name) do
    if fold(known) == wanted then
      return known
    end
  end
  if not own then
    own = {}
    for _, names in pairs(M.systems) do
      for given, syntax in pairs(names) do
        own[fold(given)] = syntax
      end
    end
  end
  return own[wanted]
end

return M
