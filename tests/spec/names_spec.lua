--- A server's --tool-call-parser carries over: every name of a tool or reasoning parser of vLLM 0.33, SGLang 0.5.23, smg 1.13,
-- dynamo-parsers 11, Ollama and tabbyAPI finds a syntax, except passthrough, which means no format.

local sluice, names = require "sluice", require "sluice.names"

local servers = {
  vllm = "apertus beam cohere_cmd cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v31 deepseek_v32 deepseek_v4 "
    .. "deepseek_v41 dots ernie45 functiongemma gemma4 gigachat3 glm45 glm47 granite granite-20b-fc granite4 granite_thinking_parser "
    .. "hermes hf holo2 hunyuan_a13b hy_v3 hy_v4 inkling internlm jamba k2_horizon kimi kimi_k2 kimi_k3 lfm2 ling3 llama3_json "
    .. "llama4_json llama4_pythonic longcat mimo minicpm5 minicpmv minimax_m2 minimax_m2_append_think minimax_m3 mistral muse "
    .. "muse_glimmer musespark1x nemotron_v3 olmo3 openai openai_gptoss phi4_mini_json plamo3 poolside_v1 pythonic qwen3 qwen3_coder "
    .. "qwen3_json qwen3_xml seed_oss step3 step3p5 step5 xlam",
  sglang = "apertus2509 beam cohere_command4 deepseek-r1 deepseek-v3 deepseek-v4 deepseek-v41 deepseekv3 deepseekv31 deepseekv32 "
    .. "deepseekv4 deepseekv41 dots gemma4 gigachat3 gigachat35 glm glm45 glm47 gpt-oss granite_thinking_parser hermes hunyuan inkling "
    .. "interns1 iquest_q1 k2_horizon kimi kimi_k2 kimi_k3 lfm2 ling3 llama3 mimo minicpm5 minimax minimax-append-think minimax-m2 "
    .. "minimax-m3 mistral muse nanbeige nemotron_3 poolside_v1 pythonic qwen qwen25 qwen3 qwen3-thinking qwen3_coder response_template "
    .. "spark25 step3 step3p5 trinity",
  smg = "base cohere cohere_cmd deepseek deepseek31 deepseek32 deepseek_r1 deepseek_v31 deepseek_v4 deepseek_v41 gemma4 glm45 "
    .. "glm45_moe glm47_moe hy_v4 inkling json kimi kimi_k25 kimi_k3 kimi_thinking kimik2 llama minimax minimax_m2 minimax_m3 mistral "
    .. "nano_v3 nemotron pythonic qwen qwen3 qwen3_thinking qwen_coder qwen_xml sarashina step3",
  dynamo = "basic beam deepseek-v4 deepseek_r1 deepseek_v3 deepseek_v3_1 deepseek_v3_2 deepseek_v4 deepseek_v41 deepseekv4 default "
    .. "gemma-4 gemma4 glm45 glm47 gpt_oss granite harmony harmony_text hermes inkling jamba kimi kimi-k3 kimi_k2 kimi_k25 kimi_k3 "
    .. "llama3_json minimax-m3 minimax-m3-nom minimax_append_think minimax_m2 minimax_m3 minimax_m3_nom mistral muse_glimmer "
    .. "muse_spark muse_spark_open nemotron3 nemotron_deci nemotron_nano nemotron_v3 phi4 pythonic qwen25 qwen3 qwen3_coder step3",
  tabbyapi = "deepseek_v4 dsv4 gemma4 glimmer glm4_5 glm4_6 glm4_7 harmony hermes hy3 hy_v3 kimi kimi_k2 kimi_linear laguna lfm "
    .. "lfm2 lfm2_5 minimax_m2 minimax_m2_1 minimax_m2_5 mistral mistral_old muse_glimmer olmo olmo3 poolside_v1 qwen2_5 qwen3 qwen3_5 "
    .. "qwen3_6 qwen3_8 qwen3_coder smollm3 spark2_5 step3_5 step3_7",
  ollama = "apertus15 bailing cogito cohere commandr deepseek3 functiongemma gemma4 gemma4-no-thinking glimmer glm-4.6 glm-4.7 "
    .. "glm-5.2 glm-ocr harmony intellect3 laguna lfm2 lfm2-thinking longcatflash minicpm5 minimax-m2 ministral nemotron-3-nano olmo3 "
    .. "olmo3-think ornith poolside-v1 qwen3 qwen3-coder qwen3-thinking qwen3-vl-instruct qwen3-vl-thinking qwen3.5 qwen3.8",
}

describe("names of servers", function()
  for server, list in pairs(servers) do
    it(server .. ": each finds its syntax", function()
      for name in list:gmatch "%S+" do
        assert.is_truthy(sluice.stream(name), name)
      end
    end)
  end

  it("mean one syntax each", function()
    local seen = {}
    for syntax, list in pairs(names.names) do
      assert.is_truthy(sluice.stream(syntax), syntax)
      for name in list:gmatch "%S+" do
        local folded = name:gsub("[-_.]", "")
        assert.is_nil(seen[folded], name)
        seen[folded] = true
      end
    end
  end)

  it("read as their syntax does", function()
    for name, syntax in pairs { deepseekv31 = "deepseek_v31", glm45_moe = "glm45", openai = "harmony", ["MiniMax-M2"] = "minimax_m2" } do
      assert.are.equal(sluice.render(syntax, { { name = "f", arguments = { a = "1" } } }),
        sluice.render(name, { { name = "f", arguments = { a = "1" } } }))
    end
  end)

  it("that no system gives are still unknown, with the nearest", function()
    local ok, message = pcall(sluice.stream, "deepseek_v99")
    assert.is_false(ok and message ~= nil)
  end)
end)
