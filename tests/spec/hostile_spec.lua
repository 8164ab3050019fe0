--- Third-party scripts in the private state: each ends with an error message or in plain text, within the limits, and the engine keeps
-- working.

local sluice = require "sluice"
local support = require "support"
local json = sluice.json

local frame = [[
%s
return s.syntax { api = 3, name = "hostile", call = { "<<", s.name%s, ">>", s.args(), "<END>" } }
]]
local by_hand = [[
local kept
return s.syntax { api = 3, name = "hostile", call = { at = "line", s.lines("<<", function(l)
%s
end) } }
]]

-- For each script: what it is, and its text; what its message must contain ("": anything); the text that triggers it,
-- if not `text`; a tool's name.
local text = 'before <<f>>{"a": 1}<END> after'
local block = "before\n<<f>>\na\nb\nafter\n"
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
  { "table.move without end", "table.move({}, 1, 2^53, 2, {})", "nil value (field 'move')" },
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
  { "string.dump", "string.dump(function() end)", "nil value (field 'dump')" },
  { "its own copy of string", "string.rep = nil string.format = nil table.concat = nil", nil },
  { "an error that is not a string", "error({})", "" },
  { "an error with a value that raises when it is shown", "error(setmetatable)", "" },
  { "nesting", "return " .. ("{"):rep(300) .. ("}"):rep(300), "" },
  { "many locals", ("local a = 1\n"):rep(300), "" },
  { "a name that is a path", 'return require "sluice.syntax".syntax { api = 3, name = "../x", call = {} }', "needs a name" },
  { "a description that contains itself", 'local s = require "sluice.syntax" local t = {} t[1] = t '
    .. 'return s.syntax { api = 3, name = "hostile", call = t }', "" },
  { "inheriting from a file elsewhere", 'return inherit("../../etc/passwd", {})', "no syntax" },
  { "inheriting from itself", 'return inherit("hostile", {})', "inherits from itself" },
  { "nothing", "", "returns nothing" },
  { "a number", "return 1", "must return" },
  { "a false description", "return { is_syntax = true }", "" },
  { "a false description with a name", 'return { is_syntax = true, name = "hostile", blocks = { { 1 } } }', "" },
  { "a pattern repeated more often than LPeg can count", "local p = lpeg.P(1)^2147483647", "so large" },
  { "a pattern of negative bytes", "local p = lpeg.P(-2147483648)", "so large" },
  { "the least of them", "local p = lpeg.P(-2147483647)", "so large" },
  { "a pattern that may be there very often", 'local p = lpeg.P "a" ^ -500000 lpeg.match(p, "a")', "a pattern may not be" },
  { "a pattern that may be there often", 'local p = lpeg.P "a" ^ -30000 lpeg.match(p, "a")', "a pattern may not be" },
  { "captures, often", 'local p = (lpeg.P "ab" * lpeg.C(1)) ^ -100000 lpeg.match(p, "a")', "so large" },
  { "a pattern that doubles", 'local p = lpeg.P "a" while true do p = p * p end', "so large" },
  { "a choice that grows", 'local p = lpeg.P "a" while true do p = lpeg.P "b" * p + "c" end', "so large" },
  { "a pattern in a pattern without end", 'local p = lpeg.P "a" while true do p = #p end', "so large" },
  { "captures in captures", [[
    local V = lpeg.V
    local p = V(1)
    for _ = 1, 1000 do p = lpeg.Ct(p) end
    lpeg.match(lpeg.P { "a" * p + "b" }, ("a"):rep(390) .. "b")]], "captures so deep" },
  { "a grammar of many rules", [[
    local g = { lpeg.V(2) }
    for i = 2, 30000 do g[i] = "a" * lpeg.V(i + 1) + "b" end
    lpeg.P(g)]], "a pattern may not be" },
  { "matches within matches", [[
    local f
    local p = lpeg.Cmt(1, function(...) return f(...) end)
    function f() return p:match "a" end
    f()]], "too many matches" },
  { "a string as a pattern that is too long", 'lpeg.P(("a"):rep(1e6))', "so large" },
  { "loops in loops in a pattern", [[
    local a = lpeg.P "a"
    local p = (#(#(#(a^0 * "b") * 1 + 1)^0 * 1 + 1)^0 * 1 + 1)^0
    local q = ((#((#((a^1)^0 * "x") + a)^0 * "x") + a)^0 * "x")^0
    local r = (((a * #(a^0 * -1) * #((a * #(a^0 * "y") + a)^0 * -1))^0 * "z") + 1)^0
    while true do q:match(("a"):rep(4000)) r:match(("a"):rep(4000)) end]], "" },
  { "a pattern that is exponential, while it is loaded", [[
    local P, V = lpeg.P, lpeg.V
    P { (P "a" * V(1) + P "a" * V(1) + P "a") * "b" }:match(("a"):rep(200))]], "" },
  { "nothing, repeated", 'local x = ("").rep("", 1 << 62)', "more instructions" },
  { "a pattern with many a ?", '("a"):rep(40):find(("a?"):rep(40) .. ("a"):rep(40))', "may take too long" },
  { "a pair of brackets, looked for at each byte", '("("):rep(1e6):find "%b()"', "may take too long" },
  { "a long pattern, at each byte", '("a"):rep(1e6):match(("a"):rep(5e5) .. "b")', "may take too long" },
  { "a grammar with more ways through its rules than LPeg can go", [[
    local V, g = lpeg.V, { "r1", r40 = "a" }
    for i = 1, 39 do g["r" .. i] = V("r" .. i + 1) * V("r" .. i + 1) end
    lpeg.P(g)]], "so many ways" },
  { "insertions at the head of a table",
    "local t = {} for i = 1, 1e6 do t[i] = i end while true do table.insert(t, 1, 0) table.remove(t, 1) end", "more instructions" },
  { "long strings in upper case", 'local x = ("a"):rep(1e7) while true do local y = x:upper() end', "more instructions" },
  { "sorting without end", "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.sort(t) end", "more instructions" },
  { "a sort of long strings alike", [[
    local t, a = {}, ("a"):rep(1e6)
    for i = 1, 2e5 do t[i] = a end
    t[7] = ("a"):rep(1e6 - 1) .. "b" table.sort(t)]], "more instructions" },
  { "long strings that are counted", 'local x = ("a"):rep(1e7) while true do utf8.len(x) end', "more instructions" },
  { "long strings in a format", 'local x = ("a"):rep(1e6) while true do local y = ("%s%s"):format(x, x) end', "more instructions" },
  { "long strings put together", 'local x = ("a"):rep(5e6) while true do local y = x .. "b" end', "more instructions" },
  { "a table with holes, looked through over and over", [[
    local t = {}
    for i = 1, 1e6 do t[i + 0.5] = i end
    for i = 1, 1e6 do t[i + 0.5] = nil end
    t.x = 1
    while true do next(t) end]], "than allowed" },
  { "long strings that are compared", [[
    local a, b = ("a"):rep(1e7) .. "b", ("a"):rep(1e7) .. "c"
    while true do local c = a < b end]], "than allowed" },
  -- in use
  { "a pattern whose function never ends", frame:format(
    "local p = lpeg.Cmt(lpeg.P(1)^1, function() while true do end end)", "(p)"), "more instructions" },
  { "a pattern of a header whose function never ends", [[
    local s = require "sluice.syntax"
    local p = lpeg.Ct(lpeg.Cg(lpeg.Cmt(lpeg.P(1)^1, function() while true do end end), "name"))
    return s.syntax { api = 3, name = "hostile",
      call = { "<<", s.match(p, function() return "f" end), ">>", s.args(), "<END>" } }]], "more instructions" },
  { "a function that mends names without end", [[
    local s = require "sluice.syntax"
    return s.syntax { api = 3, name = "hostile", repair_name = function() while true do end end,
      call = { "<<", s.name(), ">>", s.args(), "<END>" } }]], "more instructions", nil, "g" },
  { "memory bombs where names are mended", [[
    local s = require "sluice.syntax"
    return s.syntax { api = 3, name = "hostile", repair_name = function(n) while true do n = n .. n end end,
      call = { "<<", s.name(), ">>", s.args(), "<END>" } }]], "not enough memory", nil, "g" },
  { "a pattern whose function raises", frame:format(
    "local p = lpeg.Cmt(lpeg.P(1)^1, function() error 'mine' end)", "(p)"), "mine" },
  { "a pattern that goes back exponentially", frame:format([[
    local P, V = lpeg.P, lpeg.V
    local p = P { (P "a" * V(1) + P "a" * V(1) + P "a") * "b" }]], "(p)"), nil,
    "<<" .. ("a"):rep(18) .. '>>{"a": 1}<END>' },
  { "a block read by an endless loop", by_hand:format "while true do end", "more instructions", block },
  { "an endless loop of looks at the same line", by_hand:format "while true do l.peek() end", "more instructions", block },
  { "an endless loop of patterns that do not match", by_hand:format "while true do l.take(lpeg.P 'x') end", "more instructions", block },
  { "lines taken after the last, without end", by_hand:format "while true do l.line() end", "", block },
  { "memory in a block", by_hand:format "local t = {} while true do t[#t + 1] = ('x'):rep(100000) .. #t end", "not enough memory", block },
  { "what it tells out of order", by_hand:format "l.cut() l.more('x') l.done() l.value('a', 'x') return true", "", block },
  { "a value before the call", by_hand:format "l.line() l.value('a', 'x') l.call 'f' return true", "", block },
  { "arguments that are none", by_hand:format "l.line() l.call 'f' l.value('a', { 1, {}, { 'a' } }) return true", "", block },
  { "a value that is the reader", by_hand:format "l.line() l.call 'f' l.value('a', l) return true", nil, block },
  { "names that are none", by_hand:format "l.line() l.call {} return true", "", block },
  { "a pattern that is none", by_hand:format "l.take(l)", "", block },
  { "operations on nothing", by_hand:format "l.value(nil, nil)", "", block },
  { "a reader kept for later", by_hand:format
    "if kept then kept.line() kept.call 'g' end kept = l l.line() l.call 'f' return true", nil, block .. "<<g>>\na\n" },
  { "other readers in place of its own", by_hand:format
    "for k in pairs(l) do l[k] = function() return 'x' end end l.line() return true", nil, block },
  { "a big value over and over", by_hand:format
    "l.line() l.call 'f' local x = ('a'):rep(2e7) while true do l.value('x', x) l.value('y', x) end", "more than it reads", block },
  { "a value in big parts", by_hand:format
    "l.line() l.call 'f' local x = ('a'):rep(1e7) while true do l.value('x', x) end", "", block },
  { "arguments without end", by_hand:format
    "l.line() l.call 'f' for i = 1, 1e6 do l.value('k' .. i, 'v') end return true", "", block },
  { "a list without end", by_hand:format
    "l.line() l.call 'f' local t = {} for i = 1, 1e6 do t[i] = 'v' end l.value('k', t) return true", "", block },
  { "calls without end", by_hand:format "l.line() while true do l.call 'f' end", "more than it reads", block },
  { "a call of nothing", by_hand:format "l.call 'f' return true", "consumed no input", block },
  { "a block of nothing", by_hand:format "return true", nil, block },
  { "a huge name", by_hand:format "l.line() l.call(('a'):rep(3e7)) return true", "a name may have", block },
  { "a text carried from block to block that grows", by_hand:format
    "l.carry(('x'):rep(3e7)) l.line() l.call 'f' l.value('a', l.carried()) return true", "", block },
  { "work between calls without end", by_hand:format
    "l.line() while true do for i = 1, 1e5 do end l.call 'f' end", "", block },
  { "a pattern of a line whose function never ends", by_hand:format
    "l.take(lpeg.Cmt(lpeg.P(1)^1, function() while true do end end))", "more instructions", block },
  { "an empty quote", 'return s.syntax { api = 3, name = "hostile", call = { "<<", s.name(), ">>", s.args { quote = "" }, "<END>" } }',
    "not empty" },
  { "parameters that read nothing", [[return s.syntax { api = 3, name = "hostile",
    call = { "<<", s.name(), ">>", s.params { s.args(), "|\n", s.key(), "=", s.value() }, "<END>" }, values = { repeated = "array" } }]],
    "no object", '<<f>>"<END>' },
  { "calls that may be nothing", [[return s.syntax { api = 3, name = "hostile",
    call = { "<<", s.name(), ">>", s.calls { s.params { s.id(), "|", s.key(), "=", s.value() }, between = ";" }, "<END>" } }]],
    "nothing in it has to be there" },
  { "a parameter that fails behind its arguments", [[return s.syntax { api = 3, name = "hostile", call = { "<<", s.name(), ">>",
    s.params { s.args(), "|", s.match(lpeg.Ct(lpeg.Cg(lpeg.R "az"^1, "name")) * -1, function() return "f" end), "|", s.key(), "=",
      s.value(), "|" }, "<END>" } }]],
    "was not read", '<<f>>{"x": 1, "y": "long text in it"}|9|<END>' },
  { "a parameter behind encoded arguments", [[return s.syntax { api = 3, name = "hostile", call = { "<<", s.name(), ">>",
    s.params { s.value { key = "x" }, "|", s.args(), "|", s.key(), "=", s.value(), "|" }, "<END>" } }]],
    "follows a whole object", [[<<f>>a|"{\"z\": 1}"|y=b|<END>]] },
  { "members behind arguments", [[return s.syntax { api = 3, name = "hostile",
    call = { "<<", { at = "line", s.json(), ">>" }, s.json { args = "*" }, "<END>" } }]],
    "follows a whole object", '<<{"name": "f", "arguments": {"x": 1}}>> {"y": 2}<END>' },
  { "a pattern that it changes", frame:format("local p = lpeg.R 'az' p.match = function() end", "(p)"), "cannot be changed" },
  { "a pattern for a deep stack", frame:format("local p = lpeg.P(1) for i = 1, 900 do p = #p + 1 end", "(p)"), "so large" },
  { "a name with a NUL", by_hand:format "l.line() l.call 'f\\0g' return true", "may not contain a NUL", block },
  { "a function that repairs names and answers a table", [[
    local s = require "sluice.syntax"
    return s.syntax { api = 3, name = "hostile", repair_name = function() return {} end,
      call = { "<<", s.name(), ">>", s.args(), "<END>" } }]], "not a name", nil, "g" },
  { "a function that repairs names and answers a huge one", [[
    local s = require "sluice.syntax"
    return s.syntax { api = 3, name = "hostile", repair_name = function() return ("a"):rep(3e7) end,
      call = { "<<", s.name(), ">>", s.args(), "<END>" } }]], "too long", nil, "g" },
  { "a function that repairs names with nothing, often", [[
    local s = require "sluice.syntax"
    return s.syntax { api = 3, name = "hostile", repair_name = function() return ("").rep("", 1 << 62) end,
      call = { "<<", s.name(), ">>", s.args(), "<END>" } }]], "more instructions", nil, "g" },
}

describe("hostile input", function()
  it("may contain a NUL, which does not begin a line", function() -- found by fuzzing
    local input = "x\0name" .. ("\0"):rep(300) .. "\n"
    local whole = support.lines(support.events(sluice.stream("functionary_v32", { markup = true }), input, 0))
    for chunk = 1, 20 do
      assert.are.equal(whole, support.lines(support.events(sluice.stream("functionary_v32", { markup = true }), input, chunk)))
    end
  end)

  it("may be a run that is not a closer, or two adjacent ones", function()
    local fourteen = ("😊"):rep(14)
    local good, bad = '\n{"name": "a", "arguments": {}}\n', '\n{"name": "a", "arguments": {"q": x,}}\n'
    for _, input in ipairs { fourteen .. bad .. fourteen .. fourteen .. good .. fourteen, fourteen .. good .. fourteen .. fourteen
      .. good .. fourteen, fourteen .. good .. fourteen .. "😊" .. good .. fourteen, fourteen .. good .. ("😊"):rep(13) .. "\240" } do
      for _, calls in ipairs { "streamed", "whole" } do
        local options = { markup = true, calls = calls }
        local whole = support.lines(support.events(sluice.stream("smiley", options), input, 0))
        for chunk = 1, 20 do
          assert.are.equal(whole, support.lines(support.events(sluice.stream("smiley", options), input, chunk)))
        end
      end
    end
  end)

  it("may break off a list of calls after an announced one", function() -- found by fuzzing
    local input = "I'm\nthinking<|END_THINKING|><|START_ACTION|>[\n    {\"tool_call_id\": \"5\", \"tool_name\": \"special_function\", "
      .. '"parameters": {"arg1": 1}},\n    {"tool_caTION|>'
    for _, options in ipairs { { markup = true, strict = true, unknown_tools = "text" }, { markup = true } } do
      local whole = support.lines(support.events(sluice.stream("cohere", options), input, 0))
      for chunk = 1, 30 do
        assert.are.equal(whole, support.lines(support.events(sluice.stream("cohere", options), input, chunk)))
      end
    end
  end)

  it("takes a thousand tools in every syntax", function()
    local tools = {}
    for i = 1, 1000 do
      tools[i] = { name = "tool_number_" .. i, parameters = { type = "object" } }
    end
    for _, syntax in ipairs(sluice.syntaxes()) do
      assert.are.equal("x", sluice.parse(syntax.name, "x", { tools = tools }).content, syntax.name)
    end
  end)

  it("gives the same result in every chunking, even with limits of a few bytes", function() -- found by fuzzing
    local small = { markup = true, max_calls = 1, limit_held = 64, limit_name = 24, limit_header = 40 }
    local invalid = ("\225"):rep(15) .. "\0" .. ("\225"):rep(110)
    for _, case in ipairs {
      { "caret", "^^^write_file\npath: file\npath: a\n---\nconten@: |\n  " .. invalid .. "---\nz\n^^^", small },
      { "longcat", '<longcat_tool_call>{"name": "f", "arguments": {"o": {"n": 1}, 42 ["a"], "o": {"n": 1}}}</longcat_tool_call>' },
      { "lfm2", '<|tool_call_start|>[f(con`\224``[}x"": "g": "g"}]}<|tool_call_start|>[f(", "param:\0*b'
        .. '<|tool_call_start|>[f(con[}x"": "g"|>' },
      { "pythonic", "[f(a=1+2, b=2**3), g\182(a=0x10, b=2024-01-31, c=me+x@x.org)]" },
      { "lfm2", "<|tool_call_start|>[f(x=1), g(y=2) ,note]<|tool_call_end|> [f(x=('a' 'b')), h(z=({'k': 1}))]", small },
      { "functiongemma", '<start_function_call>call:f{a: "e:<escape>UTC<escape>}<end_functioape>}<gebegin_tool_reqonll>', small },
      { "dyad", '<dyad-write path="a">\n```ts\nlet x```</dyad-write>' },
      { "xml_tags", '<tool:h><param:t></tool:h><tool:</tool:b>' },
      { "caret", "^^^f\na: 1\nb: 2\na: [\n O" },
      { "hermes", '<tool_call>{"name": "f", "arguments": "{\\"a\\": \\"b\\\204\0', { markup = true, strict = true } },
      { "lfm2", "<|tool_call_start|>g(''c='\\\"", { markup = true, parameters = true } },
      { "gemma4", '<|tool_call>call:f{x:<|"|><|"|>v> <|"|>y' },
      { "glm4_9b", 'write\n{"a": "w rite\n{"b": "here"}<\240\159e"', { markup = true } },
      { "hermes", '<tool_call>\n{"name": "f", "argu}\nAnd ' .. ("\186"):rep(10) .. "soAnd so kn.",
        { markup = true, start = "reasoning", limit_held = 64, limit_name = 24, limit_header = 40 } },
      { "deepseek_v32", '<｜DSML｜function_calls><｜DSML｜invoke name="f">\n<｜DSML｜parameter name="arguments" string="false">{"a": "b"}'
        .. "</｜DSML｜pfm|teter>\n</x><ifm|tool_calls><ifm|too" },
    } do
      local options = case[3] or { markup = true }
      local whole = support.lines(support.events(sluice.stream(case[1], options), case[2], 0))
      for chunk = 1, 30 do
        assert.are.equal(whole, support.lines(support.events(sluice.stream(case[1], options), case[2], chunk)), case[1])
      end
    end
  end)

  it("may be anything in lenient decoding of JSON", function() -- found by fuzzing: a key without a value
    local random = support.random(4711)
    local pieces = { "{", "}", "[", "]", ",", ":", '"a"', "'b'", "c", "0", "-", "1.5", "null", '"x', "\\", "=", "(", ")", " ",
      "\n", "/", "#", "\133" }
    for _ = 1, 20000 do
      local input = random(2) == 1 and "{" or ""
      for _ = 1, random(14) do
        input = input .. pieces[random(#pieces)]
      end
      local value = sluice.json.decode(input, { lenient = true })
      assert.is_truthy(value == nil or sluice.json.encode(value), input)
    end
  end)

  it("may have long parentheses: the amount searched does not depend on the chunking, and limit_held bounds it", function()
    for _, case in ipairs { { 1000, "incomplete" }, { 200000, "incomplete" }, { 200000, "incomplete", { limit_held = 4096 } },
      { 1100000, "incomplete" } } do
      local input = "[f(x=('" .. ("a"):rep(case[1]) .. "'), y=2)]"
      for _, chunk in ipairs { #input, 65536, 5000 } do
        local stream, status, most = sluice.stream("pythonic", case[3]), nil, 0
        for from = 1, #input, chunk do
          for event in stream:feed(input:sub(from, from + chunk - 1)) do
            status = event.status or status
          end
          most = math.max(most, select(3, stream:state()))
        end
        for event in stream:finish() do
          status = event.status or status
        end
        assert.are.equal(case[2], status)
        assert.is_true(most <= (case[3] and case[3].limit_held + chunk or 1048576), tostring(most))
      end
    end
  end)

  it("may have very many candidate calls: some are then not examined, which is reported once", function()
    local result = sluice.parse("agent_zero", ('{"a":'):rep(20000))
    local told = 0
    for _, e in ipairs(result.errors) do
      told = told + (e.message:find "too many false starts" and 1 or 0)
    end
    assert.are.equal(1, told)
  end)
end)

describe("a hostile script", function()
  local folder = support.folder()
  local path = folder .. "/hostile.lua"
  local slow = { ["more instructions"] = true, ["than allowed"] = true, ["without consuming input"] = true,
    ["not enough memory"] = true } -- under a sanitizer: minutes
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
      local out, status, errors = support.run("batch --allow-paths --max-line 1000000", table.concat(lines, "\n") .. "\n")
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
      -- what it attacks is there
      assert.is_true((said or ""):find "nil value" ~= nil or not (message or ""):find "attempt to call a nil value", message)
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

describe("a description with two arguments words in a call", function() -- found by fuzzing
  local folder = support.folder()
  local path = folder .. "/twice.lua"
  local either = 's.any { s.args "python", "AA" }'
  for words, input in pairs {
    ['s.args(), "=", s.args(), "END"'] = '{"a": 1}={"b": 2}END',
    ['s.args(), "=", s.value { key = "x" }, "END"'] = '{"a": 1}=2END',
    ['s.args(), "=", s.json(), "END"'] = '{"a": 1}={"name": "g", "arguments": {}}END',
    ['s.json(), "=", s.args(), "END"'] = '{"name": "g", "arguments": {"a": 1}}={"b": 2}END',
    [either .. ', "=``", s.value { key = "z" }, "\\n;"'] = "x=1 y\n=``  b\n;",
    ['s.opt { s.args() }, "=", s.args "python", "END"'] = '{"a": 1}=x=4END',
    ['s.value { key = "x", line = true }, "\\n=", s.args "python", "END"'] = "3\n=b=4, c='d'END",
    ['s.args(), "=", s.value { key = "y" }, "END"'] = '{"a": 1}=\nb\nEND',
    ['s.any { s.calls { "C", s.json() }, { "AA", s.args "python", s.value { key = "y" }, ";" } }'] = 'AAf"\n;',
    ['s.any { "AA", s.calls { s.json { id = "id" }, "BB" } }, s.name(), "CC"'] = "AA",
  } do
    it("still gives one object, or none: " .. words, function()
      support.write(path, 'local s = require "sluice.syntax"\n'
        .. 'return s.syntax { api = 3, name = "twice", call = { "<<", s.name(), "]", ' .. words .. " } }\n")
      local out = support.run("batch --allow-paths", json.encode { syntax = path, text = "<<f]" .. input } .. "\n")
      local answer = json.decode(out) -- two objects would be invalid JSON
      assert.is_table(answer.calls, out)
      for _, call in ipairs(answer.calls) do
        assert.are.equal("object", json.kind(call.arguments))
      end
      assert.is_truthy(#answer.calls > 0 or answer.content == "<<f]" .. input, out)
    end)
  end
  teardown(function()
    os.execute("rm -r " .. folder)
  end)
end)

describe("scripts side by side", function()
  local function parsed(folder, lines)
    for i, line in ipairs(lines) do
      line.id = i
      lines[i] = json.encode(line)
    end
    local out, _, errors = support.run("batch", table.concat(lines, "\n") .. "\n", "SLUICE_PATH=" .. folder)
    local answers = {}
    for line in out:gmatch "[^\n]+" do
      answers[#answers + 1] = json.decode(line)
    end
    return answers, errors
  end
  local function script(name, head, tail)
    return ('%s\nlocal s = require "sluice.syntax"\nreturn s.syntax { api = 3, name = %q, '):format(head or "", name)
      .. 'call = { "<<", s.name(), ">>", s.args(), "<END>" }, ' .. (tail or "") .. "}\n"
  end

  it("do not see another's changes to its libraries", function()
    local folder = support.folder()
    support.write(folder .. "/a.lua", script("a", [[
      lpeg.P = function() error "poisoned" end
      lpeg.stash, string.format, table.insert = {}, nil, nil
      require "lpeg".S = nil
      local words = require "sluice.syntax"
      words.name = nil]]))
    support.write(folder .. "/b.lua", script("b", [[
      assert(lpeg.P "x" and lpeg.stash == nil and lpeg.S "a")
      assert(("%d"):format(1) == "1" and string.format and table.insert)]]))
    local answers, errors = parsed(folder, { { syntax = "b", text = '<<f>>{}<END>' } })
    os.execute("rm -r " .. folder)
    assert.are.equal("f", answers[1].calls and answers[1].calls[1].name, errors)
  end)

  it("cannot change their parents", function()
    local folder = support.folder()
    support.write(folder .. "/a.lua", script("a"))
    support.write(folder .. "/b.lua", [[
      local d = inherit("a", { name = "b" })
      local function spoil(t)
        for k, v in pairs(t) do
          if type(v) == "table" then spoil(v) elseif k == "text" then t[k] = "((" end
        end
      end
      spoil { d }
      return d]])
    local answers = parsed(folder, { { syntax = "a", text = '<<f>>{}<END>' } })
    os.execute("rm -r " .. folder)
    assert.are.equal("f", answers[1].calls[1] and answers[1].calls[1].name)
  end)

  -- Each way to change a word, a node or a description that others use: run in a script of its own, after which others still work.
  local changes = {
    ["the vocabulary"] = "s.name = nil s.json = function() end s.value = s.tok",
    ["the vocabulary of `require`"] = 'local w = require "sluice.syntax" w.name = nil w.args = w.id',
    ["options through a node"] = "local n = s.value() if n.options then for k in pairs(n.options) do n.options[k] = nil end end",
    ["a class through a node"] = 'local n = s.value() if n.__index then n.__index.parse = error end if n.parse then n.parse = error end',
    ["a class through its base"] = 'local n = s.calls { "x" } for _, k in pairs { "bound", "context", "base", "class", "metas" } do '
      .. 'local t = n[k] if type(t) == "table" then for m in pairs(t) do t[m] = nil end end end',
    ["all that a node holds"] = [[
      local seen = {}
      local function spoil(t)
        if type(t) ~= "table" or seen[t] then return end
        seen[t] = true
        for k, v in pairs(t) do spoil(v) t[k] = nil end
      end
      for _, n in pairs { s.tok "x", s.any { "a", "b" }, s.calls { s.json { each = "*" } }, s.params { "a", s.key() } } do spoil(n) end]],
    ["a method of its node"] = 'local n = s.name() n.parse, n.first, n.write, n.tree = error, error, error, error',
    ["the table of a literal"] = 'local n = s.tok "<<" n.text = "((" n.body = error',
    ["functions of libraries"] = "string.format, string.rep, table.insert, math.floor, ipairs = nil, nil, nil, nil, nil lpeg.P = nil",
    ["methods of strings"] = 'local f = ("").format local ok = f == string.format string.format = function() return "" end',
    ["the functions of a pattern"] = 'local p = lpeg.P "a" if type(p) == "table" then p.match = nil end',
    ["an ordered object"] = 'local o = s.ordered { { "a", 1 } } o.a = nil o.b = 2',
  }
  for what, code in pairs(changes) do
    it("cannot change " .. what .. " for others", function()
      local folder = support.folder()
      support.write(folder .. "/a.lua", code .. '\nreturn s.syntax { api = 3, name = "a", call = { "((", s.text() } }\n')
      support.write(folder .. "/b.lua", [[return s.syntax { api = 3, name = "b",
        call = { s.tok "<<", s.name(), ">>", s.any { s.params { "[", s.key(), "=", s.value(), "]" }, s.args() }, "<END>" } }]])
      local answers, errors = parsed(folder, { { syntax = "a", text = "x" }, { syntax = "b", text = "<<f>>[a=1]<END>" },
        { syntax = "hermes", text = '<tool_call>{"name": "g", "arguments": {}}</tool_call>' } })
      os.execute("rm -r " .. folder)
      assert.are.equal('{"a":1}', answers[2].calls and json.encode(answers[2].calls[1].arguments), errors)
      assert.are.equal("g", answers[3].calls and answers[3].calls[1].name, errors)
    end)
  end

  it("cannot change a description after it is made, nor give a node a method", function()
    local folder = support.folder()
    support.write(folder .. "/a.lua", [[
      local name, list, keys = s.name(), { "<<" }, { "f" }
      list[2], list[3], list[4], list[5] = name, ">>", s.args(), "<END>"
      name.parse = function(_, plan) plan.program = nil end
      name.first = function() return true end
      local d = s.syntax { api = 3, name = "a", call = list, tools = keys }
      list[1], list[2], keys[1], name.word, name.text = "((", nil, "g", "value", "x"
      assert(d.blocks == nil and d.call == nil)
      d.blocks = { { "((" } }
      return d]])
    local answers, errors = parsed(folder, { { syntax = "a", text = "<<f>>{}<END>" } })
    os.execute("rm -r " .. folder)
    assert.are.equal("f", answers[1].calls and answers[1].calls[1] and answers[1].calls[1].name, errors)
  end)

  it("get nothing of the house in functions that write", function()
    local plan = assert(sluice.compile [[
      local seen
      return s.syntax { api = 3, name = "a", call = { "<<", s.match(lpeg.Ct(lpeg.Cg(lpeg.R "az"^1, "name")) * -1, function(call)
        for key in pairs(call) do
          assert(key == "name" or key == "arguments" or key == "index" or type(call[key]) == "function", key)
        end
        return call.name
      end), ">>", s.args(), "<END>" } }]])
    assert.are.equal("<<f>>{}<END>", sluice.render(plan, { { name = "f", arguments = {} } }))
  end)

  it("receive their own copies of names and tools", function()
    local folder = support.folder()
    support.write(folder .. "/a.lua", script("a", "", [[
      repair_name = function(name, tools)
        for k in pairs(tools) do tools[k] = nil end
        tools.evil = {}
        return "evil"
      end]]))
    support.write(folder .. "/b.lua", [[
      return s.syntax { api = 3, name = "b", prompt = function(tools)
        for i, tool in pairs(tools) do tool.name, tools[i] = "evil", nil end
        return ""
      end, call = { "<<", s.name(), ">>", s.args(), "<END>" } }]])
    local tools = { { type = "function", ["function"] = { name = "f", parameters = { type = "object",
      properties = { x = { type = "integer" } } } } } }
    local two = '<tool_call>{"name": "f", "arguments": {"x": "s"}}</tool_call>'
      .. '<tool_call>{"name": "evil", "arguments": {}}</tool_call>'
    -- an engine shares the tools of equal lines
    local answers = parsed(folder, { { syntax = "hermes", text = two, tools = tools },
      { syntax = "a", text = "<<g>>{}<END>", tools = tools },
      { syntax = "b", text = "<<g>>{}<END>", tools = tools }, { syntax = "hermes", text = two, tools = tools } })
    os.execute("rm -r " .. folder)
    assert.are.equal("schema_mismatch unknown_tool", support.codes(answers[1]))
    assert.are.equal("unknown_tool", support.codes(answers[2]))
    assert.are.equal(support.codes(answers[1]), support.codes(answers[4]))
  end)

  it("in a folder are loaded even if others fail", function()
    local folder = support.folder()
    support.write(folder .. "/a.lua", "while true do end")
    support.write(folder .. "/b.lua", 'local x = ("a"):rep(1e7) while true do local y = x:upper() end')
    support.write(folder .. "/c.lua", script("c"))
    local answers, errors = parsed(folder, { { syntax = "c", text = '<<f>>{}<END>' } })
    os.execute("rm -r " .. folder)
    assert.are.equal("f", answers[1].calls and answers[1].calls[1].name, errors)
  end)
end)

describe("patterns for scripts", function() -- also in the host's own Lua
  local function refused(script)
    local plan, message = sluice.compile(script, "x.lua")
    assert.is_nil(plan)
    return message
  end
  local frame_of = 'local s = require "sluice.syntax"\n%s\nreturn s.syntax { api = 3, name = "x", '
    .. 'call = { "<<", s.name(p), ">>", s.args(), "<END>" } }'

  it("are bounded in any Lua", function()
    for _, p in ipairs { "lpeg.P(1)^2147483647", "lpeg.P(-2147483648)", 'lpeg.P "a"^-500000', 'lpeg.P(("a"):rep(1e6))' } do
      assert.is_truthy(refused(frame_of:format("local p = " .. p)):find("a pattern may not be", 1, true))
    end
  end)

  it("support all that LPeg's do", function()
    local plan = assert(sluice.compile(frame_of:format [[
      local P, S, R, C, Ct, Cg, Cc, V = lpeg.P, lpeg.S, lpeg.R, lpeg.C, lpeg.Ct, lpeg.Cg, lpeg.Cc, lpeg.V
      local function same(a, b) assert(a == b, tostring(a) .. " is not " .. tostring(b)) end
      local m = lpeg.match
      same(m((P "a" + "b")^1, "abc"), 3)
      same(m((1 - P "c")^0, "abc"), 3)
      same(m(#P "a" * C(1), "a"), "a")
      same(m(-P "a" * 1, "b"), 2)
      same(m(C(R "09"^1) / tonumber, "12"), 12)
      same(m(C(R "09"^1) / "<%1>", "12"), "<12>")
      same(m(C(1) / { a = 7 }, "a"), 7)
      same(m(Ct(Cg(C(1), "x") * Cc(3)), "a").x, "a")
      same(m(lpeg.Cs((P "a" / "b" + 1)^0), "aca"), "bcb")
      same(m(lpeg.Cf(Cc(0) * (C(1) / function() return 1 end)^0, function(a, b) return a + b end), "abc"), 3)
      same(m(P { "all", all = "(" * V "all" * ")" + "x" }, "((x))"), 6)
      same(m(P { V(2) * -1, S "ab"^1 }, "abab"), 5)
      same(m(C(P "a"^-3) * lpeg.Cp(), "aaaa"), "aaa")
      same(m(P "b", "ab", 2), 3)
      same(m(lpeg.B "a" * "b", "ab", 2), 3)
      same(select(1, m(lpeg.Cmt(1, function(_, i) return i, "got" end), "a")), "got")
      same(m(P(function(_, i) return i + 1 end), "ab"), 2)
      same(lpeg.type(P "a"), "pattern") same(lpeg.type "a", nil)
      same(m(lpeg.locale().digit^1, "12a"), 3)
      same(lpeg.Cb, nil)
      same(m(lpeg.Carg(1), "", 1, "extra"), "extra")
      same(m(P(true), ""), 1) same(m(P(false), ""), nil)
      same((P "a"^1):match "aa", 3)
      local p = R("az")^1]]))
    assert.is_truthy(plan)
    local result = sluice.parse(plan, '<<abc>>{}<END>')
    assert.are.equal("abc", result.calls[1].name)
  end)

  it("of a host's own LPeg are checked on entry", function()
    local lpeg = require "lpeg"
    local patterns = require("sluice.patterns").new(lpeg, { size = require("sluice.core").size_of })
    local s = require("sluice.vocabulary").new { raw = patterns.raw }
    assert.has_no.errors(function() s.name(lpeg.R "az"^1) end)
    local ok, message = pcall(s.name, lpeg.P "a"^-20000)
    assert.is_false(ok)
    assert.is_truthy(message:find("so large", 1, true), message)
  end)

  it("that reads line by line has its limits for each response of a stream", function()
    local stream, ended = sluice.stream "tool_codeblock", 0
    local calls = ("```tool\nTOOL_NAME: f\nBEGIN_ARG: a\nb\nEND_ARG\n```\n"):rep(20)
    for i = 1, 300 do
      stream:reset()
      for event in stream:feed(calls) do
        ended = ended + (event.status == "complete" and 1 or 0)
      end
      assert.are.equal(20 * i, ended)
    end
  end)
end)
