--- Scripts from strangers, in the private state: each ends in a sentence or in plain text, within the limits; the engine
-- serves on.

local sluice = require "sluice"
local support = require "support"
local json = sluice.json

local frame = [[
local s = require "sluice.syntax"
%s
return s.syntax { api = 2, name = "hostile", call = { "<<", s.name%s, ">>", s.arguments(), "<END>" } }
]]
local by_hand = [[
local s = require "sluice.syntax"
return s.syntax { api = 2, name = "hostile", starts = { "<<" }, parse = function(st, tools)
%s
end }
]]

-- What each script is, and its text; what must be said of it ("": nothing in particular); what brings it to do its worst,
-- if not `text`; a tool's name.
local text = 'before <<f>>{"a": 1}<END> after'
local scripts = {
  { "an endless loop while it is loaded", "while true do end", "more instructions" },
  { "pcall, which would swallow a kill", "while true do pcall(function() while true do end end) end", "no 'pcall'" },
  { "endless recursion", "local function f() return 1 + f() end f()", "" },
  { "a string that doubles", 'local t = "x" while true do t = t .. t end', "not enough memory" },
  { "a table that grows", "local t = {} while true do t[#t + 1] = {} end", "" },
  { "string.rep", 'local t = ("x"):rep(1e10)', "" },
  { "string.rep, many", 'local t = {} for i = 1, 1e6 do t[i] = ("x"):rep(1e6) .. i end', "not enough memory" },
  { "table.concat", 'local t = {} for i = 1, 1e5 do t[i] = ("x"):rep(1e4) end return table.concat(t)', "" },
  { "string.format", 'local t = ("%99999d"):format(1)', "" },
  { "table.move without end", "table.move({}, 1, 2^53, 2, {})", "" },
  { "a plain find of half a text in it", '("a"):rep(1e6):find(("a"):rep(5e5) .. "b", 1, true)', "may take too long" },
  { "a pattern handed to a function in C", 'table.sort({ ("a"):rep(60), ("a-"):rep(30) .. "c", "x" }, string.find)', "" },
  { "a pattern that goes back and forth", '(("a"):rep(30) .. "b"):find(("a-"):rep(30) .. "c")', "" },
  { "bytecode", "\27Lua", "bytecode" },
  { "io", "io.open '/etc/passwd'", "no 'io'" },
  { "os", "os.execute 'true'", "no 'os'" },
  { "package", "package.loadlib('x', 'y')", "no 'package'" },
  { "debug", "debug.getregistry()", "no 'debug'" },
  { "load", "load 'return 1'", "no 'load'" },
  { "dofile", "dofile '/etc/passwd'", "no 'dofile'" },
  { "ffi", "require 'ffi'", "may require" },
  { "other modules", "require 'sluice.core'", "may require" },
  { "setmetatable", "setmetatable({}, {})", "no 'setmetatable'" },
  { "getmetatable", "getmetatable('').__index = nil", "no 'getmetatable'" },
  { "_G", "_G.x = 1", "no '_G'" },
  { "collectgarbage", "collectgarbage 'stop'", "no 'collectgarbage'" },
  { "coroutine", "coroutine.wrap(function() end)", "no 'coroutine'" },
  { "string.dump", "string.dump(function() end)", "" },
  { "its own copy of string", "string.rep = nil string.format = nil table.concat = nil", nil },
  { "an error that is no string", "error({})", "" },
  { "an error with a value that raises when it is shown", "error(setmetatable)", "" },
  { "nesting", "return " .. ("{"):rep(300) .. ("}"):rep(300), "" },
  { "many locals", ("local a = 1\n"):rep(300), "" },
  { "a name that is a path", 'return require "sluice.syntax".syntax { api = 2, name = "../x", call = {} }', "needs a name" },
  { "a description that holds itself", 'local s = require "sluice.syntax" local t = {} t[1] = t '
    .. 'return s.syntax { api = 2, name = "hostile", call = t }', "" },
  { "inheriting from a file elsewhere", 'return inherit("../../etc/passwd", {})', "no syntax" },
  { "inheriting from itself", 'return inherit("hostile", {})', "inherits from itself" },
  { "nothing", "", "returns nothing" },
  { "a number", "return 1", "must return" },
  { "a false description", "return { is_syntax = true }", "" },
  { "a false description with a name", 'return { is_syntax = true, name = "hostile", blocks = { { 1 } } }', "" },
  -- in use
  { "a pattern whose function never ends", frame:format(
    "local p = lpeg.Cmt(lpeg.P(1)^1, function() while true do end end)", "{ pattern = p }"), "more instructions" },
  { "a pattern of a header whose function never ends", [[
    local s = require "sluice.syntax"
    local p = lpeg.Ct(lpeg.Cg(lpeg.Cmt(lpeg.P(1)^1, function() while true do end end), "name"))
    return s.syntax { api = 2, name = "hostile",
      call = { "<<", s.header(p, function() return "f" end), ">>", s.arguments(), "<END>" } }]], "more instructions" },
  { "a function that mends names without end", [[
    local s = require "sluice.syntax"
    return s.syntax { api = 2, name = "hostile", repair_name = function() while true do end end,
      call = { "<<", s.name(), ">>", s.arguments(), "<END>" } }]], "more instructions", nil, "g" },
  { "memory bombs where names are mended", [[
    local s = require "sluice.syntax"
    return s.syntax { api = 2, name = "hostile", repair_name = function(n) while true do n = n .. n end end,
      call = { "<<", s.name(), ">>", s.arguments(), "<END>" } }]], "not enough memory", nil, "g" },
  { "a pattern whose function raises", frame:format(
    "local p = lpeg.Cmt(lpeg.P(1)^1, function() error 'mine' end)", "{ pattern = p }"), "mine" },
  { "a pattern that goes back exponentially", frame:format([[
    local P, V = lpeg.P, lpeg.V
    local p = P { (P "a" * V(1) + P "a" * V(1) + P "a") * "b" }]], "{ pattern = p }"), nil,
    "<<" .. ("a"):rep(18) .. '>>{"a": 1}<END>' },
  { "a block read by an endless loop", by_hand:format "while true do end", "more instructions" },
  { "an endless loop of operations that read nothing", by_hand:format "while true do st:pos() end", "any further" },
  { "an endless loop back and forth", by_hand:format "while true do local p = st:pos() st:byte(true) st:seek(p) end", "any further" },
  { "memory in a block", by_hand:format "local t = {} while true do t[#t + 1] = ('x'):rep(100000) .. #t end", "not enough memory" },
  { "operations out of order", by_hand:format
    "st:param_text 'x' st:param_json '}' st:lower 'incomplete' st:end_call() st:end_call() st:seek(1) return true", nil },
  { "a seek far away", by_hand:format "st:seek(1e9) st:byte() return true", nil },
  { "a seek to before the start", by_hand:format "st:seek(-5) st:byte() return true", nil },
  { "a handle for a set", by_hand:format "st:accept(st)", "" },
  { "operations on nothing", by_hand:format
    "st.value(1, 2, 3)", "" },
  { "events without end", by_hand:format "while true do st:error('stray_markup', 'x') end", "" },
  { "a stream kept for later", by_hand:format "kept = st", nil },
}

describe("hostile input", function()
  it("may hold a NUL: it begins no line", function() -- found by fuzzing
    local input = "x\0name" .. ("\0"):rep(300) .. "\n"
    local whole = support.lines(support.events(sluice.stream("functionary_v32", { markup = true }), input, 0))
    for chunk = 1, 20 do
      assert.are.equal(whole, support.lines(support.events(sluice.stream("functionary_v32", { markup = true }), input, chunk)))
    end
  end)

  it("may look like calls over and over: some of it is then not looked at, and that is told once", function()
    local result = sluice.parse("seed_oss", "<function=>None" .. ("None<seed:tool_call>\n<function="):rep(20000))
    local told = 0
    for _, e in ipairs(result.errors) do
      told = told + (e.message:find "too much looked like calls" and 1 or 0)
    end
    assert.are.equal(1, told)
  end)
end)

describe("a hostile script", function()
  local folder = support.folder()
  local path = folder .. "/hostile.lua"
  local slow = { ["more instructions"] = true, ["any further"] = true, ["not enough memory"] = true } -- under a sanitizer: minutes
  for _, case in ipairs(scripts) do
    local what, script, said, input = case[1], case[2], case[3], case[4] or text
    local test = os.getenv "SLUICE_PRELOAD" and slow[said] and function() end or it
    test("that has " .. what .. " does no harm", function()
      support.write(path, script)
      local tools = case[5] and { { type = "function", ["function"] = { name = case[5] } } } or nil
      local good = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'
      local lines = {}
      for i, line in ipairs { { syntax = path, text = input, chunk = 3, tools = tools }, { syntax = "hermes", text = good },
        { syntax = "qwen3_coder", text = "plain" } } do
        line.id = i
        lines[i] = json.encode(line)
      end
      local out, status, errors = support.run("batch --max-line 1000000", table.concat(lines, "\n") .. "\n")
      assert.are.equal(0, status, errors)
      local answers = {}
      for line in out:gmatch "[^\n]+" do
        answers[#answers + 1] = json.decode(line)
      end
      assert.are.equal(3, #answers)
      assert.are.equal("complete", answers[2].calls[1].status)
      assert.are.equal("plain", answers[3].content, answers[3].error and answers[3].error.message)
      local answer = answers[1]
      local message = answer.error and answer.error.message or answer.errors[1] and answer.errors[1].message
      if said then
        assert.is_string(message)
        assert.is_truthy(message:find(said, 1, true), message)
      end
      -- a script that fails in use makes its stream plain text
      if not answer.error and #answer.calls == 0 then
        assert.are.equal(input, answer.content)
      end
    end)
  end
  teardown(function()
    os.execute("rm -r " .. folder)
  end)
end)
