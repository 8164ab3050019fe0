--- Scripts: dropped in, inherited, and refused with an understandable message.

local sluice = require "sluice"
local support = require "support"

local function load(text)
  local path = os.tmpname() .. ".lua"
  support.write(path, text)
  local name, message, code = sluice.load(path)
  os.remove(path)
  return name, message and message:gsub("^.-%.lua: ?", ""), code
end

local function syntax(body, name)
  return ('local s = require "sluice.syntax"\nreturn s.syntax { api = 3, name = "%s", %s }'):format(name or "probe", body)
end

describe("the library's scripts", function()
  local core = require "sluice.core"

  local function registry()
    local made = require("sluice.registry").new(require "lpeg", { read = core.read_file, embedded = core.embedded_script })
    made.load_all()
    return made
  end

  -- The number of scripts that were run.
  local function loaded(some)
    local count = 0
    for name, entry in pairs(some.by_name) do
      count = count + (entry.name == name and 1 or 0)
    end
    return count
  end

  it("are loaded on demand, with the same result as loading all", function()
    local all = registry().list_json()
    local some = registry()
    local plan = assert(some.plan "qwen3_coder")
    assert.is_true(loaded(some) < 5)
    assert(some.plan "kimi_k2")
    assert.are.equal(all, some.list_json())
    assert.are.equal(plan, some.plan "qwen3_coder")
    assert.are.equal(some.plan "qwen3", registry().plan "qwen3" and some.plan "hermes") -- an alias
    assert.are.equal(2, #registry().plan("auto:glm45,hermes").names)
    assert.is_truthy(select(2, registry().plan "kimmi_k2"):find("the nearest is 'kimi_k2'", 1, true))
  end)

  it("are loaded on demand beside those of a folder, which take their place", function()
    local folder = support.folder()
    support.write(folder .. "/mine.lua", syntax([[ call = { "@@", s.json() }, aliases = { "qwen3" } ]], "mine"))
    support.write(folder .. "/glm45.lua", syntax([[ call = { "##", s.json() } ]], "glm45"))
    support.write(folder .. "/mistral.lua", "return {")
    local some = require("sluice.registry").new(require "lpeg", { read = core.read_file, embedded = core.embedded_script })
    assert.are.equal(1, #some.load_all(nil, folder))
    assert(some.plan "hermes")
    assert.are.same({ "##" }, some.plan("glm45").opener_list)
    assert.are.equal("[TOOL_CALLS]", some.plan("mistral").opener_list[1])
    assert.is_true(loaded(some) < 6)
    assert.are.same({ "@@" }, some.plan("qwen3").opener_list) -- an alias: now all are loaded
    assert.are.same({ "##" }, some.plan("glm47").opener_list) -- a dialect of what took its parent's place
    assert.are.equal(1 + #core.embedded_script(), #some.list())
    os.execute("rm -r " .. folder)
  end)

  local streams = require "sluice.stream"
  local called = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'

  it("stay the same for existing streams of auto when others replace them", function()
    for _, first in ipairs { "auto", "hermes" } do
      local some = registry()
      assert(some.plan(first))
      local plan = some.plan "auto"
      assert(some.load_memory(syntax([[ call = { "@@", s.json() } ]], "hermes"), "mine.lua"))
      local new = some.plan "auto"
      assert.are.equal("hermes", streams.whole(streams.open(plan), called).calls[1].syntax)
      assert.are.equal("hermes", streams.whole(streams.open(new), '@@{"name": "f", "arguments": {}}').calls[1].syntax)
      assert.are.equal(0, #streams.whole(streams.open(plan), '@@{"name": "f", "arguments": {}}').calls)
    end
  end)

  it("are replaced by others, whatever was loaded before", function()
    for _, before in ipairs { false, "hermes", "auto" } do
      local some = registry()
      if before then
        assert(some.plan(before))
      end
      assert.are.equal("hermes", some.load_memory(syntax([[ call = { "@@", s.json() } ]], "hermes"), "mine.lua"))
      assert.are.same({ "@@" }, some.plan("hermes").opener_list)
      local _, twice = some.list_json():gsub('{"name": "hermes"', "")
      assert.are.equal(1, twice)
    end
  end)
end)

describe("a script", function()
  it("is a dropped-in file", function()
    local name = load(syntax([[
      call = { "<<TOOL>>", s.json(), "<<END>>" }
    ]], "strangers"))
    assert.are.equal("strangers", name)
    local result = sluice.parse("strangers", 'a <<TOOL>>{"name": "f", "arguments": {"x": 1}}<<END>> b')
    assert.are.equal("f", result.calls[1].name)
    assert.are.equal("a  b", result.content)
    assert.are.equal('<<TOOL>>{"name": "f", "arguments": {}}<<END>>', sluice.render("strangers", { { name = "f" } }))
  end)

  it("can be named by its path", function()
    local path = os.tmpname() .. ".lua"
    support.write(path, syntax([[ call = { "@@", s.json() } ]], "by_path"))
    assert.are.equal(1, #sluice.parse(path, '@@{"name": "f", "arguments": {}}').calls)
    os.remove(path)
  end)

  it("inherits with replaced literals", function()
    local name = load([[
      return inherit("glm45", { name = "reworded", literals = { ["tool_call"] = "call", ["\n"] = "" } })]])
    assert.are.equal("reworded", name)
    assert.are.equal("<call>f<arg_key>a</arg_key><arg_value>b</arg_value></call>",
      sluice.render(name, { { name = "f", arguments = { a = "b" } } }))
    assert.is_truthy(sluice.render("glm45", { { name = "f", arguments = { a = "b" } } }):find("<tool_call>f\n", 1, true))
    name = load([[
      return inherit("functionary_v31", { name = "reworded_once", literals = {
        ["<function="] = "~> ", [">"] = " <", ["</function>"] = "<function=" } })]]) -- the longest, and once
    assert.are.equal("~> f <{}<function=", sluice.render(name, { { name = "f", arguments = {} } }))
  end)

  it("inherits by an argument, and does not change its parent", function()
    assert.are.equal("dialect", load [[
      local s = require "sluice.syntax"
      return inherit("hermes", { name = "dialect", call = { "<call>", s.json(), "</call>" } })]])
    local result = sluice.parse("dialect", '<think>\nx\n</think>\n\n<call>{"name": "f", "arguments": {}}</call>')
    assert.are.equal("x", result.reasoning)
    assert.are.equal(1, #result.calls)
    assert.are.equal(0, #sluice.parse("hermes", '<call>{"name": "f", "arguments": {}}</call>').calls)
  end)

  it("may read the lines of a block by a function; if it raises, the stream becomes plain text", function()
    assert.are.equal("by_lines", load(syntax([[ call = { at = "line", s.lines("CALL ", function(l)
      local name = l.take("CALL " * lpeg.C(lpeg.R "az"^1) * ";")
      if not name then
        return false
      end
      l.call(name)
      return true
    end) } ]], "by_lines")))
    assert(load(syntax([[ call = { at = "line", s.lines("CALL ", function(l)
      l.call(l.take("CALL " * lpeg.C(lpeg.R "az"^1) * ";"))
      return true
    end, function(call) return "CALL " .. call.name .. ";\n" end) }, examples = { { text = "CALL f;\n", calls = { { name = "f",
      arguments = {} } } } } ]], "writes_lines")))
    assert.is_truthy(sluice.prompt("writes_lines", { { name = "g" } }):find("CALL g;", 1, true)) -- the example is of another tool
    local result = sluice.parse("by_lines", "a\nCALL now;\nb\nCALL x")
    assert.are.equal("now", result.calls[1].name)
    assert.are.equal("a\n\nb\nCALL x", result.content)
    for body, why in pairs { ["error 'oh no'"] = "oh no", ["error(('x'):rep(1e5))"] = "xxx", ["error {}"] = "error that is not a string",
      ["assert(nil, {})"] = "error that is not a string" } do
      assert(load(syntax(('call = { s.lines("CALL ", function() %s end, function() return {} end) }'):format(body), "raises")))
      result = sluice.parse("raises", "a\nCALL b\nCALL c")
      assert.are.equal("a\nCALL b\nCALL c", result.content)
      assert.are.same({ 1, "script_error" }, { #result.errors, result.errors[1].code })
      assert.is_truthy(result.errors[1].message:find(why, 1, true), result.errors[1].message)
      assert.is_true(#result.errors[1].message < 1100)
    end
    assert.are.equal("a function of raises that writes returned no text", select(2, sluice.render("raises", { { name = "f" } })))
  end)

  it("may read a header with its own pattern", function()
    assert.are.equal("headers", load(syntax([[
      call = { "@@", s.match(
        lpeg.Ct(lpeg.Cg(lpeg.R "az"^1, "name") * (" " * lpeg.Ct(lpeg.Cc "arg" * lpeg.C(lpeg.P(1)^1)))^-1) * -1,
        function(call) return call.name .. " " .. call.arguments.arg, { "arg" } end), "@@" }]], "headers")))
    local result = sluice.parse("headers", "@@open the door@@ @@X@@")
    assert.are.equal(1, #result.calls)
    assert.are.equal('{"arg":"the door"}', result.calls[1].arguments)
    assert.are.equal("@@open it@@", sluice.render("headers", { { name = "open", arguments = { arg = "it" } } }))
  end)

  it("writes `opt`, and only reads `also`", function()
    assert.are.equal("optionals", load(syntax([[
      call = { s.also "<m>", "<c>", s.json(), s.opt "</c>" }]], "optionals")))
    local call = { name = "f", arguments = {} }
    assert.are.equal('<c>{"name": "f", "arguments": {}}</c>', sluice.render("optionals", { call }))
    for _, text in ipairs { '<m><c>{"name": "f"}</c>', '<c>{"name": "f"}</c>', '<c>{"name": "f"}' } do
      local result = sluice.parse("optionals", text)
      assert.are.equal("complete", result.calls[1] and result.calls[1].status, text)
      assert.are.equal(nil, result.content, text)
    end
  end)

  it("forgets which openers an alternative lacked that was not taken", function()
    assert.are.equal("ways", load(syntax([[
      call = { "<c>", s.any { { s.lost "<one>", s.name(), "[" }, { s.name(), "(" } }, s.args(), "</c>" }]], "ways")))
    for text, status in pairs { ["f("] = "complete", ["<one>f["] = "complete", ["f["] = "recovered" } do
      local call = sluice.parse("ways", "<c>" .. text .. '{"a": 1}</c>').calls[1]
      assert.are.equal(status, call and call.status, text)
    end
  end)

  it("begins a block, or a list of words, only at the start of a line if it says so", function()
    assert.are.equal("lines", load(syntax([[ call = { at = "line", exact = true, "@@", s.name(), "\n",
      s.params { s.key(), ":", s.value { line = true }, "\n" }, { at = "line", "@@\n" } }]], "lines")))
    local tools = { { name = "f", parameters = { properties = { a = { type = "string" } } } } }
    local result = sluice.parse("lines", "x @@f\na: 1\n@@\n@@f\na: 2 @@\n@@\n", { tools = tools })
    assert.are.equal(1, #result.calls)
    assert.are.equal('{"a":"2 @@"}', result.calls[1].arguments)
    assert.are.equal("complete", result.calls[1].status)
  end)

  it("reads and writes an id in an attribute", function()
    local name = assert(load(syntax('call = { "<c", s.attrs { { "n", s.name() }, { "id", s.id() } }, ">", s.args(), "</c>" }', "with_id")))
    local text = '<c n="f" id="c7">{"a": 1}</c>'
    local call = sluice.parse(name, text).calls[1]
    assert.are.same({ "c7", "complete", text }, { call.id, call.status, sluice.render(name, { call }) })
  end)

  it("is refused if it names no tool, whatever it reads", function()
    for number, word in ipairs { 's.value { key = "x" }', "s.args()" } do
      local name = "nameless" .. number
      local loaded, message = load(syntax(('call = { "@@\\n", %s, "@@" }, values = { repeated = "array" }'):format(word), name))
      assert.is_nil(loaded)
      assert.is_truthy(message:find("the call has no word for the tool's name", 1, true))
    end
  end)

  it("is refused if its lists of calls nest", function()
    local loaded, message = load(syntax('call = { "@@", s.calls { "<c>", s.json { each = "*" }, "</c>" } }', "lists"))
    assert.is_nil(loaded)
    assert.is_truthy(message:find("lists of calls do not nest", 1, true))
  end)

  it("is refused if it reads calls inside a call", function()
    local loaded, message = load(syntax('call = { "@@", s.json { name = "*" }, s.calls { "<c>", s.json(), "</c>" } }', "before"))
    assert.is_nil(loaded)
    assert.is_truthy(message:find("s.json: it is outside the block's list of calls", 1, true))
    assert.are.equal("nested", load(syntax([[
      call = { at = "line", s.lines("@@", function(l) l.call(l.take("@@" * lpeg.C(lpeg.R "az"))) return true end, nil, { "@@", s.name() }),
        s.calls { "<c>", s.json(), "</c>" } }]], "nested")))
    for _, text in ipairs { '@@f\n<c>[{"name": "g"', '@@f\n<c>[{"name": "g", "arguments": {}}]</c>', '@@f\n <c> x' } do
      for chunk = 1, #text do
        local begun, told, errors = 0, 0, {}
        local stream = sluice.stream "nested"
        for _, event in ipairs(support.events(stream, text, chunk)) do
          begun = begun + (event.type == "call_begin" and 1 or 0)
          told = told + (event.type == "call_end" and 1 or 0)
          errors[#errors + 1] = event.code
        end
        assert.are.same({ 1, 1, "script_error" }, { begun, told, errors[1] }, text)
      end
    end
  end)

  it("keeps the place of a parent's block in a dialect", function()
    assert.are.equal("first", load(syntax([[ call = { at = "start", "@@", s.json() }]], "first")))
    assert.are.equal("second", load [[return inherit("first", { name = "second", literals = { ["@@"] = "%%" } })]])
    assert.are.equal(1, #sluice.parse("second", '%%{"name": "f", "arguments": {}}').calls)
    assert.are.equal(0, #sluice.parse("second", 'x %%{"name": "f", "arguments": {}}').calls)
  end)

  local refused = {
    { "a syntax error", "return {", "unexpected symbol" },
    { "nothing returned", "local x = 1", "the script returns nothing" },
    { "no syntax returned", "return { name = 'x' }", "must return s.syntax" },
    { "it raises", "error 'no'", "no" },
    { "no name", 'local s = require "sluice.syntax"; return s.syntax { api = 3, call = "x" }', "needs a name" },
    { "no api", 'return s.syntax { name = "x", call = "x" }', "needs `api = 3`" },
    { "another api", 'return s.syntax { name = "x", api = 9, call = "x" }', "the field 'api' must be 3" },
    { "a word of API level 2", 'return s.syntax { name = "x", api = 2, call = { "<", s.backref "name" } }',
      "there is no word 's.backref'; write s.same %(docs/upgrading.md%)" },
    { "API level 2", 'return s.syntax { name = "x", api = 2, call = "x", special = { "x" } }', "'api' must be 3; docs/upgrading.md" },
    { "a field that a list has not", syntax [[ call = { "x", { place = "line", s.name() }, ">" } ]],
      "a list of words: there is no option 'place'" },
    { "a place that is none", syntax [[ call = { at = "end", "x", s.json() } ]], "the option 'at' must be \"start\" or \"line\"" },
    { "the start of the message inside a block", syntax [[ call = { "x", { at = "start", s.json() } } ]], "is only for a whole block" },
    { "an option around words", syntax [[ call = { "x", s.lost { "y", wrte = false }, s.json() } ]], "no option 'wrte'" },
    { "a misspelt field", syntax [[ calls = { "x", s.json() } ]], "there is no field 'calls' %(did you mean 'call'%?%)" },
    { "a misspelt word", syntax [[ call = { "x", s.jsn() } ]], "jsn" },
    { "a misspelt option", syntax [[ call = { "x", s.json { nam = "n" } } ]], "json: there is no option 'nam' %(did you mean 'name'%?%)" },
    { "an option of another kind", syntax [[ call = { "x", s.value { key = 1 } } ]], "value: the option 'key' must be a text" },
    { "an empty literal", syntax [[ call = { "", s.json() } ]], "empty literal; leave it out" },
    { "nothing to parse", syntax [[ models = { "x" } ]], "either `call` or `blocks`" },
    { "a value without a key", syntax [[ call = { "<", s.name(), ":", s.value(), ">" } ]], "s.value: it must be inside s.params" },
    { "a repetition that nothing ends", syntax [[ call = { "<", s.name(), ":", s.args(), "/", s.same "name" } ]], "nothing follows it" },
    { "a think pair of white space", syntax [[ call = { "<", s.json(), ">" }, think = { "T: ", "\n" } ]], "the field 'think' must be" },
    { "a value that white space ends", syntax [[ call = { "<", s.name(), ":", s.params { s.key(), "=", s.value(), "\n" }, ">" } ]],
      "s.value: only white space follows it" },
    { "a parameter that white space begins", syntax [[ call = { "<", s.name(), s.params { { exact = true, " +" }, s.key(), "=", s.value() },
      ">" } ]], 'white space before " %+" is skipped' },
    { "a name that nothing ends", syntax [[ call = { "<", s.name(), s.name(), ">" } ]], "it has no clear end" },
    { "a name that a blank ends", syntax [[ call = { "<", s.name(), " ", s.value { key = "x" }, ">" } ]],
      'only white space follows it, .- if " " ends it, write { exact = true, " " }' },
    { "a key that a line break ends", syntax [[ call = { "<", s.name(), ">", s.params { "+", s.key(), "\n", s.value(), ";" }, "." } ]],
      's.key: only white space follows it, .- write { exact = true, "\\n" }' },
    { "a name behind its arguments", syntax [[ call = { "<", s.args(), "|", s.name(), ">" } ]],
      "it comes after s.args, but a call starts with its name" },
    { "a name behind its parameters", syntax [[ call = { "<", s.params { s.key(), "=", s.value(), ";" }, "|", s.name(), ">" } ]],
      "it comes after s.params" },
    { "a key outside parameters", syntax [[ call = { "<", s.name(), ">", s.key(), "=", s.value(), "." } ]], 's.value { key = "KEY" }' },
    { "an example's calls without inner braces", syntax [[ call = { "x", s.json() },
      examples = { { text = "x", calls = { name = "f", arguments = {} } } } ]], "'calls' must be a list" },
    { "an example's arguments as text", syntax [[ call = { "x", s.json() },
      examples = { { text = "x", calls = { { name = "f", arguments = "{}" } } } } ]], "'arguments' must be a table" },
    { "a block without a beginning", syntax [[ call = { s.name(), ">", s.args() } ]], "begins with arbitrary text" },
    { "a block that may be empty", syntax [[ call = { s.opt(s.json()) } ]], "may be empty" },
    { "a notation that is none", syntax [[ call = { "x", s.args "yaml" } ]], "there is no such notation" },
    { "a bad default", syntax [[ call = { "x", s.json() }, options = { calls = "soon" } ]], "'calls' must be" },
    { "a heredoc", syntax [[ call = { "x", s.capture("l", "E"), ":", s.name(), "!", s.value { key = "v" }, "\n",
      s.same "l", ">" } ]], "s.value: what s.same repeats does not end it" },
    { "a parameter without a key", syntax [[ call = { "x", s.name(), "!", s.params { "(", s.value(), ")" }, ">" } ]],
      "has one s.key%(%), not 0" },
    { "a parameter with two values", syntax [[ call = { "x", s.name(), "!", s.params { "(", s.key(), "=", s.value(), "|", s.value(), ")" },
      ">" } ]], "has one s.value%(%), not 2" },
    { "a name among the arguments", syntax [[ call = { "x", s.json { name = "a", args = "a" } } ]], "are the same member" },
    { "a capture before white space", syntax [[ call = { "x", s.capture("l", "E"), " ", s.name(), ">", s.args() } ]], "s.capture: only" },
    { "an api of the future", 'return s.syntax { name = "x", api = 4, call = "x" }', "needs a newer Sluice" },
    { "a line of s.same", syntax [[ call = { "x", s.name(), "!", { at = "line", s.same "name", ">" } } ]], "needs a literal first" },
    { "no pattern", syntax [[ call = { "x", s.name "%a+", ">" } ]], "or an LPeg pattern" },
    { "io", "return io.open('/etc/passwd')", "a syntax has no 'io'" },
    { "os", "return os.getenv('HOME')", "a syntax has no 'os'" },
    { "load", "return load('return 1')", "a syntax has no 'load'" },
    { "debug", "return debug.getregistry()", "a syntax has no 'debug'" },
    { "another module", "return require 'posix'", 'may require "sluice.syntax" and "lpeg"' },
    { "a global", "x = y", "a syntax has no 'y'" },
    { "bytecode", string.dump(function() end), "a script is text, not bytecode" },
    { "a parent that is not there", "return inherit('nobody', {})", "nobody" },
    { "a parent that is misspelt", "return inherit('hermse', {})", "'hermes'" },
    { "a dialect without a name", "return inherit('hermes', {})", "needs a name" },
    { "a literal that the parent lacks", "return inherit('hermes', { name = 'mine', literals = { ['<tool>'] = '<t>' } })", '"<tool>"' },
  }
  it("drops white space from a value that all literals after it begin with, and has a grammar only if one of them ends it", function()
    local tools = '[{"name": "f", "parameters": {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}]'
    for parts, ends in pairs { ['"| ", s.key(), " = ", s.value(), " " }, "@@end"'] = false,
      ['" | ", s.key(), " = ", s.value() }, " @@end"'] = false,
      ['"| ", s.key(), " = ", s.value(), between = "; " }, "@@end"'] = false,
      ['"| ", s.key(), " = ", s.value(), " ;\\n" }, "@@end"'] = true } do
      local plan = assert(sluice.compile(syntax('call = { "@@", s.name(), " ", s.params { ' .. parts .. " }")))
      local text = sluice.render(plan, { { name = "f", arguments = { a = "New York", b = "c" } } })
      assert.are.equal('{"a":"New York","b":"c"}', sluice.parse(plan, text).calls[1].arguments)
      for _, target in ipairs { "lark", "gbnf", "structural-tag" } do
        local grammar, why = sluice.grammar(plan, tools, target)
        assert.are.equal(ends, grammar ~= nil, why)
        assert.is_truthy(ends or why:find("directly after s.value()", 1, true))
      end
    end
    assert.is_nil((sluice.grammar(assert(sluice.compile(syntax [[ call = { "@@", s.name(), s.params { "| ", s.key(), " = ",
      s.value(), " " }, "@@end" } ]])), (tools:gsub(', "b".*', '}, "required": ["a"]}}]')), "lark")))
  end)

  for _, case in ipairs(refused) do
    it("is refused: " .. case[1], function()
      local name, message, code = load(case[2])
      assert.is_nil(name)
      assert.are.equal("script", code)
      assert.is_truthy(message:find(case[3]), message)
    end)
  end
end)

describe("paths.within", function()
  local within = sluice.paths.within
  local root

  setup(function()
    root = os.tmpname()
    os.remove(root)
    os.execute(("mkdir -p %s/in/deep %s/out && ln -s %s/out %s/in/link && ln -s nowhere %s/in/dangling && touch %s/in/file")
      :format(root, root, root, root, root, root))
  end)
  teardown(function()
    os.execute("rm -r " .. root)
  end)

  it("resolves paths inside the root", function()
    local base = require("sluice.core").real_path(root .. "/in")
    for path, want in pairs { file = "/file", ["./deep/./x.txt"] = "/deep/x.txt", ["new/folder/f"] = "/new/folder/f",
      ["a..b"] = "/a..b", ["."] = "" } do
      assert.are.equal(base .. want, within(root .. "/in", path))
    end
  end)

  for _, path in ipairs { "..", "../out/x", "deep/../../out", "/etc/passwd", "link/x", "link", "dangling", "", "a\0b", "C:\\x",
    "deep\\..\\..\\out" } do
    it(("refuses %q"):format(path), function()
      local resolved, message = within(root .. "/in", path)
      assert.is_nil(resolved)
      assert.are.equal("string", type(message))
    end)
  end

  it("refuses a missing root", function()
    assert.is_nil((within(root .. "/none", "x")))
  end)
end)

describe("a mistake in a script is reported with its file and line, the problem, and the fix:", function()
  it("also with a byte order mark or Windows line ends", function()
    local text = '\239\187\191local s = require "sluice.syntax"\r\nreturn s.syntax { api = 3, name = "mine",\r\n call = { "<c>", %s } }\r\n'
    assert(sluice.compile(text:format "s.json()", "mine.lua"))
    local _, said = sluice.compile(text:format "s.jsn()", "mine.lua")
    assert.are.equal("mine.lua:3: there is no word 's.jsn' (did you mean 's.json'?)", said)
    _, said = sluice.compile("\239\187\191\27Lua", "mine.lua")
    assert.are.equal("mine.lua: a script is text, not bytecode", said)
  end)

  it("with a long path once, and in full", function()
    local path = ("/a-folder-with-a-long-name"):rep(5) .. "/mine.lua"
    local _, said = sluice.compile('local s = require "sluice.syntax"\nreturn s.syntax { call = { s.nmae() } }', path)
    assert.are.equal(path .. ":2: there is no word 's.nmae' (did you mean 's.name'?)", said)
    _, said = sluice.compile("return (", path)
    assert.are.equal(path .. ":1: unexpected symbol near", (said:gsub(" near.*", " near")))
  end)

  local head = 'local s = require "sluice.syntax"\n'
  local function described(rest)
    return head .. 'return s.syntax { api = 3, name = "mine",\n  ' .. rest .. " }\n"
  end
  local mistakes = {
    { "a misspelt word", described "call = { '<c>', s.nmae(), '>', s.args() }",
      "mine.lua:3: there is no word 's.nmae' (did you mean 's.name'?)" },
    { "a misspelt field", described "cal = { '<c>', s.name(), '>', s.args() }",
      "mine.lua:3: syntax mine: there is no field 'cal' (did you mean 'call'?)" },
    { "a misspelt option", described "call = { '<c>', s.name(), '>', s.value { kye = 'x' }, '</c>' }",
      "mine.lua:3: s.value: there is no option 'kye' (did you mean 'key'?)" },
    { "an option that is far from all", described "call = { '<c>', s.calls { s.json(), following = 1 }, '</c>' }",
      "mine.lua:3: s.calls: there is no option 'following'; there are between, exact, separate" },
    { "an option of another type", described "call = { '<c>', s.value { key = 1 }, '</c>' }",
      "mine.lua:3: s.value: the option 'key' must be a text that is not empty" },
    { "a text where a list is due", described "call = { '<c>', s.json(), '</c>' }, stop = { 5 }",
      'mine.lua:3: syntax mine: the field \'stop\' must be a list of texts, none of them empty: { "...", "..." }' },
    { "half a pair", described "call = { '<c>', s.json(), '</c>' }, think = { '<t>' }",
      'mine.lua:3: syntax mine: the field \'think\' must be { "<think>", "</think>" }, or a list of such pairs' },
    { "a misspelt stream option", described "call = { '<c>', s.json(), '</c>' }, options = { cals = 'whole' }",
      "mine.lua:3: syntax mine: the field 'options' has an error: there is no option 'cals'; the nearest is 'calls'" },
    { "an option's value", described "call = { '<c>', s.json(), '</c>' }, options = { calls = 'soon' }",
      "mine.lua: syntax mine: the option 'calls' must be one of streamed|whole" },
    { "what stands between results", described "call = { '<c>', s.json(), '</c>' }, result = { s.value(), between = 1 }",
      "mine.lua:3: syntax mine: the field 'result' has `between`, the text between two results, which must be a string" },
    { "a result without its text", described "call = { '<c>', s.json(), '</c>' }, result = { '<r>' }",
      "mine.lua:3: syntax mine: the field 'result' must be a list of literals and words that includes s.value(), the result's text" },
    { "a misspelt field of a model", described "call = { '<c>', s.json(), '</c>' }, models = { { 'X', strat = 'reasoning' } }",
      "mine.lua:3: syntax mine: the field 'models' must hold names, or { name, start = \"reasoning\" }; item 1 has no field 'strat' "
        .. "(did you mean 'start'?)" },
    { "a misspelt field of an example", described "call = { '<c>', s.json(), '</c>' }, examples = { { txt = 'x', calls = {} } }",
      "mine.lua:3: syntax mine: the field 'examples' has an error: item 1 has no field 'txt' (did you mean 'text'?)" },
    { "an example without calls", described "call = { '<c>', s.json(), '</c>' }, examples = { { text = 'x' } }",
      "mine.lua:3: syntax mine: the field 'examples' has an error: item 1 has no `calls`; use {} for none" },
    { "a kind that is none", described "call = { '<c>', s.json { members = { { 'name' }, { 't', 'call' } } }, '</c>' }",
      "mine.lua:3: s.json: the option 'members' has an error: item 2 has an error: '2' must be \"string\" or \"number\" or \"object\" "
        .. "or \"string?\" or \"number?\" or \"object?\"" },
    { "what is never written", described "call = { s.any { s.also '<c>', s.also '<d>' }, s.json(), '</c>' }",
      "mine.lua:3: syntax mine: s.any: every alternative is `also`: none is written" },
    { "one alternative", described "call = { s.any { '<c>' }, s.json(), '</c>' }",
      "mine.lua:3: s.any: expected a list of at least two alternatives" },
    { "entities", described "call = { '<c>', s.name(), '>', s.value { key = 'x', entities = { 'amp' } }, '</c>' }",
      "mine.lua:3: s.value: the option 'entities' must be true, or { \"lt\", \"gt\" }" },
    { "a type that is none", described ("call = { '<c ', s.attrs { { 'n', s.name() }, type = { 't', { x = 'str' } } }, '>', "
      .. "s.args(), '</c>' }"),
      "mine.lua:3: s.attrs: the option 'type' must be { \"attribute\", { spelling = a type of JSON Schema, or \"json\" } }; an attribute "
        .. "of this name is written { { \"type\", s.name() } }" },
    { "an attribute of another word", described "call = { '<c ', s.attrs { n = s.args() }, '>' }",
      "mine.lua:3: s.attrs: the attribute 'n' must hold s.name(), s.key(), s.id(), s.value { key = ... } or s.match(pattern, text), "
        .. "without other options: `entities` is one of s.attrs" },
    { "a word without its s.", described "call = { '<c>', name(), '>' }", "mine.lua:3: there is no 'name'; words are called as s.name()" },
    { "a call that nothing ends", described "call = { '<c>', s.name(), s.params { '|', s.key(), '=', s.value() } }",
      "mine.lua:3: syntax mine: s.value: nothing ends the call after it: put the literal that closes a call at the end of the block" },
    { "a value behind a list of calls", described "call = { '[', s.name(), ']', s.json { each = '*' }, '<v>', s.value(), '</v>' }",
      "mine.lua:3: syntax mine: s.value: it is outside the block's list of calls, so it belongs to no call; put it inside" },
    { "arguments behind alternatives with calls", described ("call = { '<<', s.name(), ']', s.any { s.calls { 'C', s.json() }, 'AA' }, "
      .. "s.args 'python', ';' }"),
      "mine.lua:3: syntax mine: s.args: it is outside the block's list of calls, so it belongs to no call; put it inside" },
    { "a field of an example's call", described "call = { '<c>', s.json() }, examples = { { text = 'x', calls = { { nme = 'f' } } } }",
      "mine.lua:3: syntax mine: the field 'examples' has an error: item 1 has an error: 'calls' has an error: call 1 has no field 'nme' "
        .. "(did you mean 'name'?)" },
    { "an id without an end", described "call = { '<c>', s.id(), s.name(), '>' }",
      "mine.lua:3: syntax mine: s.id: it has no clear end: no literal follows it directly; put one after it" },
    { "a missing return", head .. "s.syntax { api = 3, name = 'mine', call = { '<c>', s.name(), '>' } }\n",
      "mine.lua: the script returns nothing; it must return a syntax: put `return` before s.syntax{...}" },
    { "a missing comma", described "call = { '<c>', s.name() '>', s.args() }",
      "mine.lua:3: s.name: a comma is missing after it" },
    { "a word that is not called", described "call = { '<c>', s.name, '>' }",
      "mine.lua:3: syntax mine: the field 'call': a list of words, item 2: expected a literal, a word or a list of them, not a "
        .. "function; call the word: s.name(), not s.name" },
    { "an empty literal", described "call = { '<c>', s.name(), '', s.args() }",
      "mine.lua:3: syntax mine: the field 'call': a list of words, item 3: empty literal; leave it out" },
    { "a pattern of Lua's", described "call = { '<c>', s.name '%a+', '>' }",
      "mine.lua:3: s.name: must be a name without white space or '%', or an LPeg pattern, such as lpeg.R(\"az\")^1" },
    { "two words with nothing between", described "call = { '<c>', s.name(), '>', s.params { '<p>', s.key(), s.value(), '</p>' } }",
      "mine.lua:3: syntax mine: s.key: it has no clear end: no literal follows it directly; put one after it" },
    { "a block without a beginning", described "call = { s.name(), '(', s.args 'python', ')' }",
      "mine.lua:3: syntax mine: block 1 begins with arbitrary text: put a literal before it, or say "
        .. 'at = "line" or at = "start"' },
    { "a block that may be empty", described "call = { s.opt '<c>', s.opt(s.json()) }",
      "mine.lua:3: syntax mine: block 1 may be empty: all of it may be absent; it needs a literal or a word that is required" },
    { "a call without a name", described "call = { '<c>', s.args(), '</c>' }",
      "mine.lua:3: syntax mine: the call has no word for the tool's name: add s.name(), or s.json{...} if the call is JSON; "
        .. 's.name "NAME" if the block can only name one tool' },
    { "a table that is no syntax", head .. "return { api = 3, name = 'mine' }\n",
      "mine.lua: the script must return s.syntax{...}, not a table of its own" },
    { "a notation that is not there", described "call = { '<c>', s.name(), '>', s.args 'yaml' }",
      "mine.lua:3: s.args: there is no such notation; use \"python\" or { quote =, python =, raw = }" },
  }
  for _, mistake in ipairs(mistakes) do
    it(mistake[1], function()
      local good, message = sluice.compile(mistake[2], "mine.lua")
      assert.is_nil(good)
      assert.are.equal(mistake[3], message)
    end)
  end
end)
