-- Special cases of LuaJIT.
local luajit = require "sluice.luajit"

describe("luajit", function()
  it("is marked as faulty only on LuaJIT", function()
    assert.equal(type(luajit.faulty), "boolean")
    assert.is_true(not luajit.faulty or jit ~= nil)
  end)

  it("does not compile code that traverses tables if its compiler is faulty", function()
    if not luajit.faulty then
      return pending "this Lua is no LuaJIT 2.1 beta for x64"
    end
    local sluice = require "sluice"
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
      if source:find "lua/sluice/" and not source:find "sluice/stream%.lua$" or source:find "syntaxes/" then
        own[#own + 1] = source
      end
    end
    assert.equal(sum, 500500)
    assert.is_true(#started > 0, "nothing was compiled at all")
    assert.same({}, own)
  end)
end)
