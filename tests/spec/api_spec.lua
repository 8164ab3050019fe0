--- The Lua module for hosts.

local sluice = require "sluice"
local support = require "support"

local weather = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'

describe("sluice.stream", function()
  it("returns events with the documented names, offsets from 1, inclusive", function()
    local stream = sluice.stream("hermes", { markup = true })
    local events = {}
    for event in stream:feed("Hi " .. weather) do
      events[#events + 1] = event
    end
    for event in stream:finish() do
      events[#events + 1] = event
    end
    assert.are.same({ type = "text", text = "Hi ", first = 1, last = 3 }, events[1])
    local begin = events[3]
    assert.are.equal("call_begin", begin.type)
    assert.are.equal("get_weather", begin.name)
    assert.are.equal(1, begin.index)
    assert.are.equal("get_weather", ("Hi " .. weather):sub(begin.first, begin.last))
    local last = events[#events]
    assert.are.equal("call_end", last.type)
    assert.are.equal("complete", last.status)
    assert.are.equal(last.first - 1, last.last)
  end)

  it("returns its state", function()
    local stream = sluice.stream "hermes"
    for _ in stream:feed("Hi <tool_c") do end
    local state, name, held = stream:state()
    assert.are.same({ "possible_block", nil, 7 }, { state, name, held })
    for _ in stream:feed('all>{"name": "f", "arguments": {"x": "ab') do end
    state, name = stream:state()
    assert.are.equal("call", state)
    assert.are.equal("f", name)
    stream:reset()
    assert.are.equal("text", (stream:state()))
  end)

  it("holds a call in a fence in reasoning until either ends", function()
    local content, text = "", "<think>\n```\n<tool_call>\n<function=f>\n</function>\n</tool_call>\n</think>\nNo."
    for e in sluice.stream("qwen3_coder"):feed(text) do content = content .. (e.type == "text" and e.text or "") end
    assert.are.equal("No.", content)
  end)

  it("goes on after a call that is too long to hold", function()
    local text = "<tool:f>\n<param:p>a <tool:h> that must be held, and so on</param:p>\n</tool:f> and <tool:g>\n</tool:g>"
    for _, chunk in ipairs { 1, 5 } do
      local stream = sluice.stream("xml_tags", { limit_held = 24 })
      local said = support.lines(support.events(stream, text, chunk))
      assert.is_truthy(said:find("limit_exceeded", 1, true), said)
      assert.is_truthy(said:find("#1 incomplete", 1, true), said)
      assert.is_truthy(said:find("#2 complete", 1, true), said)
    end
  end)

  it("keeps no value that its limits allow", function()
    local limits = { limit_value = 32, limit_held = 64, limit_name = 24, limit_header = 40 }
    local text = "Now.\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\">\n"
      .. "<｜DSML｜parameter name=\"city\" string=\"true\">Tokyo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>"
    for chunk = 1, #text do
      local stream = sluice.stream("deepseek_v4", limits)
      local arguments, status = "", nil
      for _, event in ipairs(support.events(stream, text, chunk)) do
        arguments = arguments .. (event.type == "arguments" and event.text or "")
        status = status or event.status
      end
      assert.are.same({ '{"city":"Tokyo"}', "complete" }, { arguments, status }) -- no limit stands in its way
    end
  end)

  it("takes white space of any length between the members of arguments", function() -- a grammar without a bound for it let 11 KB be written
    local stream, ends, space = sluice.stream "mistral", {}, (" "):rep(5000)
    for piece in ('[TOOL_CALLS]f[ARGS]{"a": 1,' .. space .. '"b"' .. space .. ": 2}"):gmatch "..?.?.?" do
      for event in stream:feed(piece) do
        ends[#ends + 1] = event.status
      end
    end
    for event in stream:finish() do
      ends[#ends + 1] = event.status
    end
    assert.are.same({ "complete" }, ends)
  end)

  it("closes arguments that it gives up, and reports an earlier parameter first", function() -- found by fuzzing
    local long = '<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="arguments" string="false">{"loca ' .. ("x y"):rep(30)
    local both = [[local s = require "sluice.syntax"
      return s.syntax { api = 3, name = "both", values = { repeated = "array" }, call = { "<c ", s.name(), ">", "<k>",
        s.value { key = "a", trim = true }, s.lost { "</k>", "{", s.args() }, "</c>" } }]]
    for _, case in ipairs { { "deepseek_v32", long .. "</｜DSML｜inv", { limit_held = 64 }, '{"arguments":{}}' },
      { sluice.compile(both), '<c f><k>1</k>{{"x": 1}</c>', {}, '{"a":1,"x":1}' } } do
      for chunk = 0, 30 do
        local text = ""
        for _, event in ipairs(support.events(sluice.stream(case[1], case[3]), case[2], chunk)) do
          text = text .. (event.type == "arguments" and event.text or "")
        end
        assert.are.equal(case[4], text)
      end
    end
  end)

  it("forgets where a literal was cut in a block that limit_held ended", function() -- found by fuzzing: read before the buffer
    for name = 10, 24 do
      local before = "[TOOL_CALLS]" .. ("a"):rep(name) .. "[ARGS] x [TOOL_CALLS]f[ARGS]"
      local stream, arguments = sluice.stream("mistral", { limit_held = 32 }), ""
      for _, piece in ipairs { before, "  ", '{"x": 1}' } do
        for event in stream:feed(piece) do
          arguments = arguments .. (event.type == "arguments" and event.text or "")
        end
      end
      assert.are.equal('{"x": 1}', arguments:sub(-8))
    end
  end)

  it("holds a whole call of any number of events", function()
    local value = ("\\194\\169\\162"):gsub("\\(%d+)", function(n) return string.char(tonumber(n)) end):rep(400)
    local text = ('<tool_call>{"name": "f", "arguments": {"x": "%s"}}</tool_call>'):format(value)
    for _, parameters in ipairs { false, true } do
      local stream = sluice.stream("hermes", { calls = "whole", parameters = parameters, markup = true })
      local ends = 0
      for from = 1, #text do
        for event in stream:feed(text:sub(from, from)) do
          ends = ends + (event.type == "call_end" and 1 or 0)
        end
      end
      assert.are.equal(1, ends)
    end
    local lines = {}
    for i = 1, 200 do
      lines[i] = ("<parameter=p%d>\n%d\n</parameter>\n"):format(i, i)
    end
    local result = sluice.parse("qwen3_coder", "<tool_call>\n<function=f>\n" .. table.concat(lines) .. "</function>\n</tool_call>",
      { calls = "whole", parameters = true, markup = true })
    assert.are.equal("complete", result.calls[1].status)
  end)

  it("starts again after reset, even in the middle of a call", function()
    local stream = sluice.stream "hermes"
    for _ in stream:feed('<tool_call>{"name": "f", "argum') do end
    stream:reset()
    local text = ""
    for event in stream:feed "plain" do
      text = text .. event.text
    end
    assert.are.equal("plain", text)
  end)

  it("keeps events that were not taken", function()
    local stream = sluice.stream "hermes"
    stream:feed "one "
    stream:feed "two "
    local text = ""
    for event in stream:finish() do
      text = text .. event.text
    end
    assert.are.equal("one two ", text)
  end)

  it("can be used from any coroutine", function()
    local stream = sluice.stream "hermes"
    local got = {}
    for i = 1, #weather do
      coroutine.wrap(function()
        for event in stream:feed(weather:sub(i, i)) do
          got[#got + 1] = event.type
        end
      end)()
      collectgarbage()
    end
    for event in stream:finish() do
      got[#got + 1] = event.type
    end
    assert.are.equal("call_end", got[#got])
  end)

  it("raises on misuse, and suggests the nearest name", function()
    for message, case in pairs {
      ["there is no syntax 'hermse'; the nearest is 'hermes'"] = { "hermse" },
      ["there is no option 'call'; the nearest is 'calls'"] = { "hermes", { call = "whole" } },
      ["the option 'calls' must be one of streamed|whole"] = { "hermes", { calls = "later" } },
      ["the option 'strict' must be a boolean, not a string"] = { "hermes", { strict = "yes" } },
      ["there is a NUL character in the option 'mark'"] = { "hermes", { mark = "text\0x" } },
      ["there is a NUL character in the option 'start'"] = { "hermes", { start = "text\0x" } },
      ["there is a NUL character in the option 'prompt'"] = { "hermes", { prompt = "text\0x" } },
    } do
      assert.has_error(function()
        sluice.stream(case[1], case[2])
      end, message)
    end
    for _, wrong in ipairs { -1, 1.5, 0 / 0, -math.huge } do
      for _, name in ipairs { "max_calls", "limit_held" } do
        local good, message = pcall(sluice.stream, "hermes", { [name] = wrong })
        assert.is_false(good)
        assert.is_truthy(message:find("the option '" .. name .. "' must be a whole number from 0, not ", 1, true), message)
      end
    end
    local stream = sluice.stream "hermes"
    stream:finish()
    for _, feed in ipairs { stream.feed, stream.feed_special } do
      local good, message = pcall(function()
        feed(stream, "more")
        return nil -- not a tail call: the error needs this line
      end)
      assert.is_false(good)
      assert.is_truthy(message:find("api_spec.lua:%d+: the stream was finished; reset it first$"), message)
    end
  end)

  it("accepts math.huge as no limit", function()
    local held = "<tool_call>" .. (" "):rep(1200000)
    assert.is_table((sluice.stream("hermes"):feed(held)()))
    assert.is_nil((sluice.stream("hermes", { limit_held = math.huge }):feed(held)()))
    assert.are.equal(2, #sluice.parse("hermes", weather .. weather, { max_calls = math.huge }).calls)
  end)

  it("reads the start from the prompt's tail", function()
    for prompt, case in pairs {
      ["<|im_start|>assistant\n<think>\n"] = { "hermes", "reasoning" }, ["<think>\n\n</think>\n\n"] = { "hermes", "content" },
      ["<|channel|>analysis<|message|>"] = { "harmony", "reasoning" }, ["<|channel|>final<|message|>"] = { "harmony", "content" },
    } do
      assert.are.equal("hm", sluice.parse(case[1], "hm", { prompt = prompt })[case[2]], prompt)
    end
  end)
end)

describe("sluice.parse", function()
  it("returns content, reasoning, calls and errors", function()
    local result = sluice.parse("hermes", "<think>\nx\n</think>\n\nHi " .. weather, { tools = '[{"name": "other", "parameters": {}}]' })
    assert.are.equal("Hi ", result.content)
    assert.are.equal("x", result.reasoning)
    assert.are.equal('{"city": "Paris"}', result.calls[1].arguments)
    assert.are.equal("unknown_tool", result.errors[1].code)
    assert.is_nil(sluice.parse("hermes", "").content)
  end)

  it("accepts tools as a table or as JSON", function()
    local tools = { { type = "function", ["function"] = { name = "f", parameters = { properties = { a = { type = "string" } } } } } }
    local text = "<tool_call>\n<function=f>\n<parameter=a>\n12\n</parameter>\n</function>\n</tool_call>"
    assert.are.equal('{"a":"12"}', sluice.parse("qwen3_coder", text, { tools = tools }).calls[1].arguments)
    assert.are.equal('{"a":12}', sluice.parse("qwen3_coder", text).calls[1].arguments)
    assert.has_error(function()
      sluice.parse("hermes", "", { tools = "[{" })
    end)
    assert.has_error(function()
      sluice.parse("hermes", "", { tools = "{}" })
    end, "the tools are not an array")
    assert.has_error(function()
      sluice.parse("hermes", "", { tools = "[{}]" })
    end, "tool 1 has no name")
  end)

  it("takes a table of the host for what it can say", function()
    local properties = { a = { type = "string" }, b = { enum = { 1 } } }
    local tools = { { name = "f", handler = print, parameters = { required = {}, properties = properties } } }
    assert.is_true(sluice.parse("pythonic", '[f(a="x")]', { tools = tools }).calls[1].valid) -- an empty list
    assert.are.equal("incomplete", sluice.parse("pythonic", '[f("x", 1)]', { tools = tools }).calls[1].status) -- in which order?
    properties.b.default = print
    assert.has_error(function()
      sluice.prompt("hermes", tools)
    end, "tool 1, 'f': JSON cannot represent a function")
  end)

  it("generates unique ids, with the host's generator if there is one", function()
    local seen = {}
    for _ = 1, 200 do
      local id = sluice.parse("hermes", weather).calls[1].id
      assert.is_nil(seen[id])
      seen[id] = true
    end
    local other, tools = sluice.stream "hermes", [[ [{"name": "f", "parameters": {"type": "object"}}] ]]
    sluice.call_ids(function() -- it may use the library, in a coroutine that ends
      coroutine.wrap(function() other:feed "a" end)()
      collectgarbage()
      for i = 1, 500 do seen[i] = ("x"):rep(i) end -- where it was
      return "mine"
    end)
    local text = "<tool_call><function=f><parameter=a>1</parameter></function></tool_call>"
    assert.are.equal("mine", sluice.parse("qwen3_coder", text, { tools = tools }).calls[1].id)
    sluice.call_ids(nil)
    text = '[TOOL_CALLS] [{"name": "f", "id": "a\\u0000b", "arguments": {}}, {"name": "f", "id": "a\\u0000c", "arguments": {}}]'
    local calls = sluice.parse("mistral", text).calls
    assert.are_not.equal(calls[1].id, calls[2].id) -- C would end both at the NUL
  end)
end)

-- Common spellings of names: of repositories, files and tags.
local models = {
  apertus = { "swiss-ai/Apertus-8B-Instruct-2509" },
  apriel = { "ServiceNow-AI/Apriel-1.6-15b-Thinker" },
  cohere = { "CohereLabs/c4ai-command-r7b-12-2024", "CohereLabs/command-a-reasoning-08-2025",
    "CohereLabs/c4ai-command-a-03-2025" },
  command_r = { "CohereForAI/c4ai-command-r-plus-08-2024" },
  deepseek_v3 = { "deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V3-0324", "deepseek-ai/DeepSeek-R1-0528",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B" },
  deepseek_v31 = { "deepseek-ai/DeepSeek-V3.1-Terminus", "deepseek-ai/DeepSeek-V3.2-Exp" },
  deepseek_v32 = { "deepseek-ai/DeepSeek-V3.2" },
  ernie45 = { "baidu/ERNIE-4.5-21B-A3B-Thinking" },
  functionary_v31 = { "meetkai/functionary-medium-v3.1" },
  functionary_v32 = { "meetkai/functionary-small-v3.2" },
  functiongemma = { "google/functiongemma-270m-it" },
  functools = { "fireworks-ai/llama-3-firefunction-v2" },
  gemma4 = { "google/gemma-4-27b-it" },
  gigachat3 = { "ai-sage/GigaChat3-10B-A1.8B" },
  glm45 = { "zai-org/GLM-4.5-Air", "zai-org/GLM-4.6" },
  glm47 = { "zai-org/GLM-4.7-Flash" },
  granite = { "ibm-granite/granite-3.1-8b-instruct" },
  granite4 = { "ibm-granite/granite-4.0-h-small", "granite4:3b" },
  granite_20b_fc = { "ibm-granite/granite-20b-functioncalling" },
  ["auto:granite_pythonic,granite"] = { "ibm-granite/granite-3.3-8b-instruct" },
  harmony = { "openai/gpt-oss-20b", "gpt-oss:120b", "llm-jp/llm-jp-4-8b-thinking" },
  hermes = {
    "Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen3-32B", "Qwen3_8B", "Qwen/QwQ-32B", "Qwen/Qwen3-Next-80B-A3B-Thinking",
    "NousResearch/Hermes-3-Llama-3.1-8B", "NousResearch/Hermes-4-70B", "NousResearch/Hermes-2-Pro-Mistral-7B",
    "HuggingFaceTB/SmolLM3-3B", "katanemo/Arch-Function-3B",
  },
  hunyuan_a13b = { "tencent/Hunyuan-A13B-Instruct" },
  internlm = { "internlm/internlm2_5-7b-chat" },
  jamba = { "ai21labs/AI21-Jamba-1.5-Mini" },
  kimi_k2 = { "moonshotai/Kimi-K2-Instruct-0905", "moonshotai/Kimi-K2-Thinking" },
  lfm2 = { "LiquidAI/LFM2-1.2B-Tool" },
  llama3_json = { "meta-llama/Llama-3.1-8B-Instruct", "Meta-Llama-3.1-70B-Instruct-Q4_K_M.gguf",
    "meta-llama/Llama-3.3-70B-Instruct" },
  ["auto:pythonic,llama3_json"] = { "meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama3.2:3b" },
  longcat = { "meituan-longcat/LongCat-Flash-Chat" },
  minimax_m1 = { "MiniMaxAI/MiniMax-M1-80k" },
  minimax_m2 = { "MiniMaxAI/MiniMax-M2.1" },
  mistral = { "mistralai/Mistral-7B-Instruct-v0.3", "mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral-nemo:12b",
    "mistralai/Devstral-Small-2507", "mistralai/Magistral-Small-2509" },
  nemotron_json = { "nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5" },
  olmo3 = { "allenai/Olmo-3-7B-Instruct" },
  phi4_mini = { "microsoft/Phi-4-mini-instruct" },
  pythonic = { "Team-ACE/ToolACE-8B" },
  qwen3_coder = { "qwen3-coder:30b", "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", "Qwen/Qwen3.5-35B-A3B",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B" },
  sarashina = { "sbintuitions/sarashina2.2-3b-instruct-v0.1" },
  seed_oss = { "ByteDance-Seed/Seed-OSS-36B-Instruct" },
  step3 = { "stepfun-ai/step3" },
  step3p5 = { "stepfun-ai/Step-3.5-Flash" },
  xlam = { "Salesforce/Llama-xLAM-2-8b-fc-r", "Salesforce/xLAM-2-3b-fc-r" },
}

describe("sluice.syntax_for", function()
  it("finds the syntax of a model, the most specific first", function()
    for syntax, names in pairs(models) do
      for _, name in ipairs(names) do
        local found, message = sluice.syntax_for(name)
        assert.are.equal(syntax, found, ("%s: %s"):format(name, tostring(message)))
      end
    end
    local none, message = sluice.syntax_for "my-own-model"
    assert.is_nil(none)
    assert.are.equal("no syntax lists the model 'my-own-model'; the syntax 'auto' recognises a format by its markers", message)
    for _, name in ipairs { "google/gemma-3-27b-it", "llama-30b", "Hermes-22B", "Qwen33" } do
      assert.is_nil((sluice.syntax_for(name)), name)
    end
  end)
  it("returns where a thinking model's responses start", function()
    for _, name in ipairs { "Qwen/Qwen3-235B-A22B-Thinking-2507", "deepseek-ai/DeepSeek-R1-0528", "Qwen/QwQ-32B" } do
      assert.are.equal("reasoning", (select(3, sluice.syntax_for(name))), name)
    end
    assert.is_nil((select(3, sluice.syntax_for "Qwen/Qwen3-8B")))
  end)
end)

describe("a host's own state", function()
  it("keeps its globals, string metatable and LPeg limit", function()
    local globals = {}
    for k in pairs(_G) do
      globals[k] = true
    end
    package.loaded["sluice"], package.loaded["sluice.registry"] = nil, nil
    local again = require "sluice"
    again.parse("caret", "^^^f\na: b\n^^^\n")
    for k in pairs(_G) do
      assert.is_true(globals[k], "a global was set: " .. tostring(k))
    end
    assert.are.equal(string, getmetatable("").__index)
    package.loaded["sluice"] = sluice
  end)

  it("is collected as fast as it is made, with its tools", function()
    local function most(count)
      local kilobytes = 0
      for _ = 1, count do
        sluice.parse("hermes", weather, { tools = { { name = "get_weather", parameters = { type = "object" } } } })
        kilobytes = math.max(kilobytes, collectgarbage "count")
      end
      return kilobytes
    end
    local first = most(4000)
    assert.is_true(most(12000) < 2 * first)
  end)

  it("survives garbage collection at every step", function()
    collectgarbage("setpause", 0)
    for name, text in pairs { hermes = weather, qwen3_coder = "<tool_call>\n<function=f>\n<parameter=a>\nb\n</parameter>\n</function>" } do
      for _ = 1, 20 do
        local stream = sluice.stream(name, { parameters = true, markup = true })
        for i = 1, #text do
          for _ in stream:feed(text:sub(i, i)) do
            collectgarbage "step"
          end
        end
        for _ in stream:finish() do end
      end
    end
    collectgarbage("setpause", 200)
  end)
end)

describe("sluice.json", function()
  local json = sluice.json

  it("keeps big numbers, NUL bytes, key order and empty arrays", function()
    for _, text in ipairs { '{"b":1,"a":[],"c":{}}', '9007199254740993', '[99999999999999999999,-5,0.1]', '"a\\u0000b"',
      '[9007199254740993.0,1e-400,4.35]', '{"x":null,"y":[true,false]}', '"ü"' } do
      assert.are.equal(text, json.encode(json.decode(text)))
    end
    assert.are.equal('"\239\191\189\239\189\156"', json.encode "\237\239\189\156") -- only the first byte is ill-formed
    assert.are.equal('[1.10,1e5,1E+2]', json.encode(json.decode("[1.10, 1e5, 1E+2]", { exact = true })))
    assert.are.equal("a\0b", json.decode '"a\\u0000b"')
    assert.are.equal(1.5, json.decode "1.5")
    for text, value in pairs { ["-1.5e1"] = -15, ["1-2"] = false, ["1."] = false, ["01"] = false, [""] = false } do
      assert.are.equal(value or nil, (json.number(text)))
    end
  end)

  it("refuses invalid JSON, with the place", function()
    local value, message = json.decode '{"a": }'
    assert.is_nil(value)
    assert.are.equal("not valid JSON: expected a value (at byte 7)", message)
    assert.is_nil((json.decode "[1,]"))
    assert.is_nil((json.decode "{} x"))
    assert.is_nil((json.decode ""))
    assert.are.equal('{"a":true}', json.encode(json.decode("{a: True,}", { lenient = true })))
    for _, text in ipairs { '{"a", "b": 1}', "{a, b, c: [{d}, 2]}", '{"a"}' } do
      assert.is_nil((json.decode(text, { lenient = true })), text)
    end
  end)

  it("raises on values that JSON cannot express", function()
    local loop = {}
    loop[1] = loop
    for _, value in ipairs { { print }, 0 / 0, loop } do
      assert.is_false(pcall(json.encode, value) or pcall(json.object, { value }))
    end
  end)
end)

describe("PARAMETER events of single values in JSON", function()
  it("have the text of strings, and other values as written", function()
    for syntax, input in pairs {
      codebuff = '<codebuff_tool_call>\n{"cb_tool_name": "f", "a": "x\\ny\\"", "b": "", "c": [1, "z"], "d": 2}\n</codebuff_tool_call>',
      lfm2 = [[<|tool_call_start|>[f(a='x\ny"', b='', c=[1, "z"], d=2)]<|tool_call_end|>]],
    } do
      for chunk = 1, 9 do
        local stream, shown = sluice.stream(syntax, { parameters = true }), {}
        for at = 1, #input, chunk do
          for event in stream:feed(input:sub(at, at + chunk - 1)) do
            if event.type == "parameter" then
              shown[event.key] = (shown[event.key] or "") .. event.text
            end
          end
        end
        assert.are.same({ a = 'x\ny"', b = "", c = '[1, "z"]', d = "2" }, shown)
      end
    end
  end)
end)

describe("PARAMETER events of escapes", function()
  it("are the same however the response is cut", function()
    local pair, lone = [[\ud83c\udf27]], [[\ud83c]]
    local input = ([[<tool_call>{"name": "f", "arguments": {"a": "P L" L P\"\\z L", "b": ["q\"]\\", {"c": "L"}], "Pk": 1}}</tool_call>]])
      :gsub('L"', lone, 1):gsub("P", pair):gsub("L", lone)
    for chunk = 1, #input do
      local stream, shown = sluice.stream("hermes", { parameters = true }), {}
      for at = 1, #input, chunk do
        for event in stream:feed(input:sub(at, at + chunk - 1)) do
          if event.type == "parameter" then
            shown[event.key] = (shown[event.key] or "") .. event.text
          end
        end
      end
      assert.are.same({ a = '🌧 � � 🌧"\\z �', b = [=[["q\"]\\", {"c": "\ud83c"}]]=], ["🌧k"] = "1" }, shown)
    end
  end)
end)

describe("the generation prompt", function()
  local tools = '[{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}, {"name": "g"}]'
  for name, opener in pairs { harmony = " to=functions.", muse_glimmer = " to=" } do
    it("is written only in a turn that asks for it, and grammars begin after it: " .. name, function()
      local calls, header = { { name = "f", arguments = { a = 1 } }, { name = "g", arguments = {} } }, "<|start|>assistant"
      local text = assert(sluice.render(name, calls))
      assert.are.equal(opener .. "f", text:sub(1, #opener + 1))
      assert.are.equal(1, select(2, text:gsub(header, "")))
      assert.are.equal(header .. text, sluice.render(name, { calls = calls, generation_prompt = true }))
      assert.are.equal("Hi." .. header .. text, sluice.render(name, { content = "Hi.", calls = calls }))
      for _, whole in ipairs { text, header .. text } do
        local got = sluice.parse(name, whole, { tools = tools }).calls
        assert.are.same({ "f", true, "g", true }, { got[1].name, got[1].valid, got[2].name, got[2].valid })
      end
      local grammar = assert(sluice.grammar(name, tools, "gbnf", { tool_choice = "required" }))
      assert.are.equal('root ::= "' .. opener, grammar:sub(1, #opener + 10))
      assert.is_truthy(sluice.prompt(name, tools):find(header .. opener .. "f", 1, true))
    end)
  end
end)

describe("sluice.render", function()
  it("accepts tables and JSON text, and refuses with a message", function()
    assert.are.equal('<tool_call>\n{"name": "f", "arguments": {"id": 9007199254740993}}\n</tool_call>',
      sluice.render("hermes", '[{"name": "f", "arguments": {"id": 9007199254740993}}]'))
    local turn = "<think>\nhm\n</think>\n\nHi " .. weather -- a parse result is a turn
    local again = sluice.parse("hermes", assert(sluice.render("hermes", sluice.parse("hermes", turn))))
    assert.are.same({ "hm", "Hi ", '{"city": "Paris"}' }, { again.reasoning, again.content, again.calls[1].arguments })
    for _, case in ipairs {
      { "emoji_bracket", { { name = "f", arguments = { x = 1 } } }, "^emoji_bracket has no place for the argument 'x' of call 1$" },
      { "emoji_bracket", { { name = "f", arguments = { raw_args = "a]b" } } }, "cannot carry" },
      { "qwen3_coder", { { name = "f", arguments = { x = "a\n</parameter>" } } }, "cannot carry" },
      { "qwen3_coder", { { name = "f", arguments = { x = "a <parameter=y> b" } } }, "cannot carry the arguments of call 1 %(.*in doubt" },
      { "caret", { { name = "a" }, { name = "b" } }, "^caret carries at most 1 call per message$" },
      { "hermes", '[{"arguments": {}}]', "^call 1 has no name$" },
      { "hermes", '{"calls": {"name": "f"}}', "^the turn's 'calls' must be of the type array, not object$" },
      { "hermes", { results = { 1 } }, "^result 1 is not an object$" },
      { "hermes", { results = { { contents = "x" } } }, "^result 1 has no content$" },
      { "hermes", '[{"name": "f", "extra": {"q": 1}}]', "^hermes cannot carry the value of 'q' of call 1$" },
      { "hermes", { { name = "f", arguments = { a = print } } }, "^call 1: JSON cannot represent a function$" },
      { "hermes", '[{"name": "f", "extra": 5}]', "^the `extra` of call 1 is not an object$" },
      { "hermes", "[{]", "^the calls: not valid JSON", "json" },
      { "hermes", '[{"name": "f", "arguments": {"a": [{"b": 1, "b": 2}]}}]', "key twice", "json" },
    } do
      local text, message, code = sluice.render(case[1], case[2])
      assert.is_nil(text)
      assert.is_truthy(message:match(case[3]), message)
      assert.are.equal(case[4] or "refused", code)
    end
  end)
end)

describe("the module in its host", function()
  -- Runs a program in a new interpreter of the same Lua; returns its output.
  local function run(program)
    local path = os.tmpname()
    support.write(path, program)
    local pipe = io.popen(("%s %s 2>&1"):format(os.getenv "SLUICE_LUA" or "lua5.4", path))
    local out = pipe:read "*a"
    pipe:close()
    os.remove(path)
    return out
  end

  it("does not change globals, string methods or LPeg's settings", function()
    assert.are.equal("same\n", run [[
      local before, methods = {}, getmetatable("").__index
      for key, value in pairs(_G) do before[key] = value end
      local wraps = {}
      for key, value in pairs(string) do wraps[key] = value end
      package.preload["lpeg"] = function(...)
        package.preload["lpeg"] = nil
        local lpeg = require "lpeg_real"
        lpeg.setmaxstack = function() error "touched" end
        return lpeg
      end
      package.preload["lpeg_real"] = function()
        local path = package.searchpath and package.searchpath("lpeg", package.cpath)
        for name in package.cpath:gmatch "[^;]+" do
          local f = package.loadlib((name:gsub("%?", "lpeg")), "luaopen_lpeg")
          if f then return f() end
        end
      end
      local sluice, wire = require "sluice", require "sluice.wire"
      local tools = { { type = "function", ["function"] = { name = "f", parameters = { type = "object" } } } }
      for _, item in ipairs(sluice.syntaxes()) do
        sluice.parse(item.name, "<tool_call>x", { tools = tools })
      end
      sluice.grammar("hermes", tools, "gbnf")
      sluice.prompt("hermes", tools)
      wire.filter { from = "text", to = "openai", stream = function() return sluice.stream "hermes" end }:feed "x"
      for key, value in pairs(_G) do
        if before[key] ~= value and key ~= "lpeg" then print(key) end
      end
      for key, value in pairs(string) do
        if wraps[key] ~= value then print("string." .. key) end
      end
      print(getmetatable("").__index == methods and "same" or "string metatable")
    ]])
  end)

  it("uses vim.lpeg if there is no LPeg, and raises if there is neither", function()
    assert.are.equal("f\n", run [[
      local lpeg = require "lpeg"
      package.loaded.lpeg = nil
      package.preload.lpeg = function() error "none" end
      vim = { lpeg = lpeg }
      print(require("sluice").parse("hermes", '<tool_call>{"name": "f", "arguments": {}}</tool_call>').calls[1].name)
    ]])
    assert.is_truthy(run([[
      package.preload.lpeg = function() error "none" end
      print(pcall(require, "sluice"))
    ]]):find("sluice needs LPeg", 1, true))
  end)

  it("compiles a script without registering it", function()
    local mine = assert(sluice.compile [[
      local s = require "sluice.syntax"
      return s.syntax { api = 3, name = "of_a_text", call = { "<<", s.name(), ">>", s.args(), "<END>" } }
    ]])
    assert.are.equal("of_a_text", mine.name)
    assert.are.equal('{"x": 1}', sluice.parse(mine, '<<f>>{"x": 1}<END>').calls[1].arguments)
    assert.are.equal("<<f>>{}<END>", sluice.render(mine, { { name = "f", arguments = {} } }))
    assert.are.equal("of_a_text", sluice.description(mine).name)
    assert.has_error(function()
      sluice.parse("of_a_text", "x")
    end)
    local nothing, message, code = sluice.compile("return {", "my.lua")
    assert.is_nil(nothing)
    assert.is_truthy(message:find "my.lua:1:")
    assert.are.equal("script", code)
  end)
end)

describe("openers made from the tools' names", function()
  it("are those of the given tools, not of earlier ones", function()
    local lists = { { "a" }, { "a\0b" }, { "a", "b" }, { "b" }, { "c" }, { "d" }, { "b", "a" }, {}, { "a" } }
    for _, names in ipairs(lists) do
      local tools, given, found = {}, {}, {}
      for i, name in ipairs(names) do
        tools[i], given[name] = { name = name, parameters = { type = "object" } }, true
      end
      for _, call in ipairs(sluice.parse("cline", "<a>\n</a>\n<b>\n</b>\n<c>\n</c>", { tools = tools }).calls) do
        found[call.name] = true
      end
      for _, name in ipairs { "a", "b", "c" } do
        assert.are.equal(given[name], found[name], table.concat(names, " ") .. ": " .. name)
      end
    end
  end)
end)

describe("luajit", function()
  local luajit = require "sluice.luajit"

  it("is marked as faulty only on LuaJIT", function()
    assert.equal(type(luajit.faulty), "boolean")
    assert.is_true(not luajit.faulty or jit ~= nil)
  end)

  it("can be loaded again in the same state", function()
    local again = 'for n in pairs(package.loaded) do if n:find "^sluice" then package.loaded[n] = nil end end require "sluice"'
    local done = os.execute(("%s -e 'require \"sluice\" %s'"):format(os.getenv "SLUICE_LUA" or "lua5.4", again))
    assert.is_true(done == true or done == 0)
  end)

  it("does not compile code that traverses tables if its compiler is faulty", function()
    if not luajit.faulty then
      return pending "this Lua is no LuaJIT 2.1 beta for x64"
    end
    local started = {}
    -- LuaJIT calls this while it is about to compile, even during the lookup of a global (which busted handles with its own
    -- function): it may neither look one up nor call anything.
    local function note(what, _, f)
      if what == "start" then
        started[#started + 1] = f
      end
    end
    local sum = 0
    jit.flush()
    jit.attach(note, "trace")
    for i = 1, 1000 do
      sum = sum + i
    end
    sluice.infer({ '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>', 'a <call name="g">{"b": [1, 2]}</call> b' })
    for _, item in ipairs(sluice.syntaxes()) do
      sluice.render(item.name, { { name = "f", arguments = { a = "b" } } })
    end
    jit.attach(note)
    local own = {}
    for _, f in ipairs(started) do
      local source = debug.getinfo(f, "S").source
      if source:find "lua/sluice/" or source:find "syntaxes/" then
        own[#own + 1] = source
      end
    end
    assert.equal(sum, 500500)
    assert.is_true(#started > 0, "nothing was compiled at all")
    assert.same({}, own)
  end)
end)

describe("two registries in one Lua state", function()
  it("have scripts of their own, also under the same name", function()
    local core, streams = require "sluice.core", require "sluice.stream"
    local lpeg = package.loaded.lpeg or rawget(_G, "vim").lpeg
    local registries = {}
    for _, tag in ipairs { "one", "two" } do
      local own = require("sluice.registry").new(lpeg, { read = core.read_file, embedded = core.embedded_script })
      own.load_all()
      assert(own.load_memory(('return s.syntax { api = 3, name = "mine", call = { "<%s>", s.json(), "</%s>" } }'):format(tag, tag), "mine"))
      registries[tag] = own
    end
    for tag, own in pairs(registries) do
      for text, count in pairs { one = tag == "one" and 1 or 0, two = tag == "two" and 1 or 0 } do
        local stream = streams.open(own.plan "mine", nil, {})
        assert.are.equal(count, #streams.whole(stream, ('<%s>{"name": "f", "arguments": {}}</%s>'):format(text, text)).calls)
      end
      assert.are.equal("hermes", (own.syntax_for "Qwen3-8B"))
    end
  end)
end)
