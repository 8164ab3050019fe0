-- What is special about LuaJIT.
local luajit = require "sluice.luajit"

describe("luajit", function()
  it("is said to be faulty only where it is one", function()
    assert.equal(type(luajit.faulty), "boolean")
    assert.is_true(not luajit.faulty or jit ~= nil)
  end)

  it("does not compile what walks tables where its compiler is faulty", function()
    if not luajit.faulty then
      return pending "this Lua is no LuaJIT 2.1 beta for x64"
    end
    local sluice = require "sluice"
    local begun, own = 0, {}
    local function note(what, _, f)
      local source = what == "start" and debug.getinfo(f, "S").source or ""
      begun = begun + (what == "start" and 1 or 0)
      if source:find "lua/sluice/" and not source:find "sluice/stream%.lua$" or source:find "syntaxes/" then
        own[#own + 1] = source
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
    assert.equal(sum, 500500)
    assert.is_true(begun > 0, "nothing was compiled at all")
    assert.same({}, own)
  end)
end)
