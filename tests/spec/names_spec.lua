--- A server's --tool-call-parser carries over: every name of the tables of vLLM 0.33, SGLang 0.5.23, smg, dynamo, Ollama and tabbyAPI finds
-- a syntax, but for those that mean no format.

local sluice, names = require "sluice", require "sluice.names"

local servers = {
  vllm = "apertus beam cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32 deepseek_v4 deepseek_v41 dots ernie45 "
    .. "functiongemma gemma4 gigachat3 glm45 glm47 granite granite-20b-fc granite4 hermes hf hunyuan_a13b hy_v3 hy_v4 inkling internlm "
    .. "jamba k2_horizon kimi_k2 kimi_k3 lfm2 ling3 llama3_json llama4_json llama4_pythonic longcat mimo minicpm5 minimax_m2 minimax_m3 "
    .. "mistral muse muse_glimmer musespark1x olmo3 openai phi4_mini_json plamo3 poolside_v1 pythonic qwen3_coder qwen3_json qwen3_xml "
    .. "seed_oss step3 step3p5 step5 xlam",
  sglang = "apertus2509 beam cohere_command4 deepseekv3 deepseekv31 deepseekv32 deepseekv4 deepseekv41 dots gemma4 gigachat3 gigachat35 "
    .. "glm glm45 glm47 gpt-oss hermes hunyuan inkling interns1 iquest_q1 k2_horizon kimi_k2 kimi_k3 lfm2 ling3 llama3 mimo minicpm5 "
    .. "minimax-m2 minimax-m3 mistral muse nanbeige poolside_v1 pythonic qwen qwen25 qwen3_coder response_template spark25 step3 step3p5 "
    .. "trinity",
  smg = "cohere deepseek deepseek31 deepseek32 deepseek_v4 glm45_moe glm47_moe hy_v4 inkling json kimi_k3 kimik2 llama minimax_m2 mistral "
    .. "pythonic qwen qwen_coder qwen_xml sarashina step3",
  dynamo = "deepseek-v4 deepseek_v3 deepseek_v3_1 deepseek_v3_2 deepseek_v4 deepseekv4 default gemma-4 gemma4 glm47 harmony hermes jamba "
    .. "kimi_k2 llama3_json minimax_m2 mistral nemotron_deci nemotron_nano phi4 pythonic qwen25 qwen3_coder",
  ollama = "cogito deepseek3 functiongemma gemma4 gemma4-no-thinking glimmer glm-4.7 glm-ocr harmony laguna lfm2 lfm2-thinking ministral "
    .. "nemotron-3-nano olmo3 olmo3-think poolside-v1 qwen3 qwen3-coder qwen3-thinking qwen3-vl-instruct qwen3-vl-thinking qwen3.5",
  tabbyapi = "common deepseek_v4 gemma4 glm4_5 harmony hermes hy3 kimi lfm2 minimax_m2 mistral mistral_old muse_glimmer olmo3 qwen3_coder "
    .. "spark2_5",
}

describe("names of servers", function()
  for server, list in pairs(servers) do
    it(server .. ": each finds its syntax", function()
      for name in list:gmatch "%S+" do
        assert.is_truthy(sluice.stream(name), name)
      end
    end)
  end

  it("differ from each other in what they mean in no two systems, and name a syntax", function()
    local meant = {}
    for system, list in pairs(names.systems) do
      for name, syntax in pairs(list) do
        assert.is_truthy(sluice.stream(syntax), system .. ": " .. syntax)
        assert.are.equal(meant[name] or syntax, syntax, system .. ": " .. name)
        meant[name] = syntax
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
