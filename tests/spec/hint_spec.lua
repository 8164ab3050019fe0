--- The hint of `sluice parse` when a response seems to be in another syntax.

local support = require "support"

local run = support.run
local kimi = '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|>'
  .. "<|tool_calls_section_end|>"
local coder = "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>"
local hermes = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'

describe("the hint of sluice parse", function()
  it("names another syntax that finds a call in a response without calls", function()
    local out, status, err = run("parse -s hermes -o result", kimi)
    assert.are.equal(0, status)
    assert.is_truthy(out:find('"calls": []', 1, true))
    assert.are.equal("sluice: no call in hermes; kimi_k2 reads one: try -s auto\n", err)
    err = select(3, run("parse -s qwen3 -o events --chunk 7", kimi)) -- an alias
    assert.are.equal("sluice: no call in qwen3; kimi_k2 reads one: try -s auto\n", err)
    err = select(3, run("parse -s hermes -o result", coder)) -- the markers are shared
    assert.are.equal("sluice: no call in hermes; qwen3_coder reads one: try -s auto\n", err)
    err = select(3, run("parse -s hermes -o result", "<tool_call>\noops\n</tool_call>")) -- nobody's
    assert.are.equal("", err)
  end)

  it("is not printed with a call, without markers, or with several given syntaxes", function()
    for _, case in ipairs {
      { "parse -s hermes -o result", hermes .. kimi }, { "parse -s hermes -o result", "It is 5 < 6, [see] {here}: <b>bold</b>." },
      { "parse -s hermes -o result", "<think>\nhm\n</think>\n\nHi!" }, { "parse -s caret -o result", "<think>\nhm\n</think>\n\nHi!" },
      { "parse -s hermes -o result", "" }, { "parse -s auto:hermes -o result", kimi }, { "parse -s auto -o result", "<tool_call>\noops" },
    } do
      local _, status, err = run(case[1], case[2])
      assert.are.equal(0, status)
      assert.are.equal("", err, case[2])
    end
  end)
end)
