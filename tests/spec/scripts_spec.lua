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
    made.load_installed {}
    return made
  end

  it("are loaded on demand, with the same result as loading all", function()
    local all = registry().list_json()
    local some = registry()
    local plan = assert(some.plan "qwen3_coder")
    assert.is_true(#some.order < 5)
    assert(some.plan "kimi_k2")
    assert.are.equal(all, some.list_json())
    assert.are.equal(plan, some.plan "qwen3_coder")
    assert.are.equal(some.plan "qwen3", registry().plan "qwen3" and some.plan "hermes") -- an alias
    assert.are.equal(2, #registry().plan("auto:glm45,hermes").names)
    assert.is_truthy(select(2, registry().plan "kimik2"):find("the nearest is 'kimi_k2'", 1, true))
  end)

  local streams = require "sluice.stream"
  local called = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'

  it("are recognised by auto before they are loaded: each is loaded when one of its blocks is tried", function()
    local some = registry()
    local plan = assert(some.plan "auto")
    assert.are.equal("just text", streams.whole(streams.open(plan), "just text").content)
    assert.are.equal(0, #some.order)
    for _ = 1, 2 do
      local result = streams.whole(streams.open(plan, assert(some.tools '[{"name": "f"}]')), called)
      assert.are.equal("hermes", result.calls[1].syntax)
    end
    assert.is_true(#some.order > 0 and #some.order < 30)
    assert.are.equal(plan, some.plan "auto")
    assert(some.list_json()) -- which loads all
    assert.are.equal(plan, some.plan "auto")
  end)

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
      local _, twice = some.list_json():gsub('"hermes"', "")
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

  it("may parse a block by a function; if it raises, the stream becomes plain text", function()
    assert.are.equal("by_hand", load(syntax([[
      starts = { "CALL " },
      parse = function(stream)
        local close = s.set { ";" }
        stream:seek(stream:pos() + 5)
        local item, first, last = stream:upto(close, 64, true)
        if not item then return false end
        stream:begin(stream:text(first, last))
        stream:accept(close)
        stream:end_call()
        return true
      end]], "by_hand")))
    local result = sluice.parse("by_hand", "a CALL now; b CALL x")
    assert.are.equal("now", result.calls[1].name)
    assert.are.equal("a  b CALL x", result.content)
    load(syntax([[ starts = { "CALL " }, parse = function() error "oh no" end ]], "raises"))
    result = sluice.parse("raises", "a CALL b CALL c")
    assert.are.equal("a CALL b CALL c", result.content)
    assert.are.equal("script_error", result.errors[1].code)
    assert.is_truthy(result.errors[1].message:match "oh no")
    assert.are.equal(1, #result.errors)
  end)

  it("may read a header with its own pattern", function()
    assert.are.equal("headers", load(syntax([[
      call = { "@@", s.header(
        lpeg.Ct(lpeg.Cg(lpeg.R "az"^1, "name") * (" " * lpeg.Ct(lpeg.Cc "arg" * lpeg.C(lpeg.P(1)^1)))^-1) * -1,
        function(call) return call.name .. " " .. call.arguments.arg, { "arg" } end), "@@" }]], "headers")))
    local result = sluice.parse("headers", "@@open the door@@ @@X@@")
    assert.are.equal(1, #result.calls)
    assert.are.equal('{"arg":"the door"}', result.calls[1].arguments)
    assert.are.equal("@@open it@@", sluice.render("headers", { { name = "open", arguments = { arg = "it" } } }))
  end)

  it("may read the name in an id, and writes one if the call has none", function()
    assert.are.equal("ids", load(syntax([[
      call = { "<c>", s.name_in_id { prefix = "fn/", counter = "##", from = 1 }, "<a>", s.args(), "</c>" }]], "ids")))
    for text, want in pairs {
      ["fn/get##12"] = "get", [" \n fn/get \r\n"] = "get", ["get##1"] = "get", ["a##1##2"] = "a##1", ["a##b"] = "a##b", ["a###3"] = "a#",
      ["fn/fn/a"] = "fn/a", ["12"] = "12", ["fn/#1"] = "#1", ["fn/é##1"] = "é", ["a##1x"] = "a##1x", [""] = "", [" "] = "", ["fn/"] = "",
      ["##1"] = "", ["fn/##1"] = "", ["a b"] = "", ["fn/ a"] = "", ["a##1 x"] = "", ["a ##1"] = "",
    } do
      local whole = "<c>" .. text .. "<a>{}</c>"
      for chunk = 1, #whole do
        local stream, call = sluice.stream "ids", { name = "" }
        for from = 1, #whole, chunk do
          for event in stream:feed(whole:sub(from, from + chunk - 1)) do
            call = event.type == "call_begin" and event or call
          end
        end
        for event in stream:finish() do
          call = event.type == "call_begin" and event or call
        end
        assert.are.equal(want, call.name, text)
        if want ~= "" then
          assert.are.equal(want, whole:sub(call.first, call.last), text)
          assert.are.equal(text:match "^%s*(.-)%s*$", call.id, text)
        end
      end
    end
    assert.are.equal("<c>fn/f##1<a>{}</c><c>x<a>{}</c>", sluice.render("ids", { { name = "f" }, { name = "x", id = "x" } }))
  end)

  it("writes optional words, unless `write` is false", function()
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

  it("reads a run of a character only with the given length, or a multiple", function()
    assert.are.equal("runs", load(syntax([[ call = { s.run("#", 3), s.json(), s.run("#", 3) }]], "runs")))
    assert.are.equal('###{"name": "f", "arguments": {}}###', sluice.render("runs", { { name = "f", arguments = {} } }))
    for number, count in pairs { [2] = 0, [3] = 1, [4] = 0, [6] = 0 } do
      local result = sluice.parse("runs", ("#"):rep(number) .. '{"name": "f", "arguments": {}}###')
      assert.are.equal(count, #result.calls, number)
    end
  end)

  it("begins a block, or a list of words, only at the start of a line if it says so", function()
    assert.are.equal("lines", load(syntax([[ call = { at = "line", "@@", s.name(), s.exact "\n",
      s.params { s.key(), ":", s.value { to_line_end = true }, "\n" }, { at = "line", s.exact "@@\n" } }]], "lines")))
    local tools = { { name = "f", parameters = { properties = { a = { type = "string" } } } } }
    local result = sluice.parse("lines", "x @@f\na: 1\n@@\n@@f\na: 2 @@\n@@\n", { tools = tools })
    assert.are.equal(1, #result.calls)
    assert.are.equal('{"a":"2 @@"}', result.calls[1].arguments)
    assert.are.equal("complete", result.calls[1].status)
  end)

  it("is refused if it names no tool, whatever it reads", function()
    for number, word in ipairs { "s.items()", "s.block_text()", "s.value()" } do
      local name = "nameless" .. number
      local loaded, message = load(syntax(('call = { "@@\\n", %s, "@@" }, values = { repeated = "array" }'):format(word), name))
      assert.is_nil(loaded)
      assert.is_truthy(message:find("the call has no word for the tool's name", 1, true))
    end
  end)

  it("is refused if it reads calls inside a call", function()
    assert.are.equal("nested", load(syntax([[
      call = { "@@", s.json { key_is_name = true }, s.calls { "<c>", s.json { each = "*" }, "</c>" } }]], "nested")))
    for _, text in ipairs { '@@{"f": {}}<c>[{"name": "g"', '@@{"f": {}}<c>[{"name": "g", "arguments": {}}]</c>', '@@{"f": {}} <c> x' } do
      for chunk = 1, #text do
        local begun, told, errors = 0, 0, {}
        local stream = sluice.stream "nested"
        local function take(event)
          begun = begun + (event.type == "call_begin" and 1 or 0)
          told = told + (event.type == "call_end" and 1 or 0)
          errors[#errors + 1] = event.code
        end
        for from = 1, #text, chunk do
          for event in stream:feed(text:sub(from, from + chunk - 1)) do
            take(event)
          end
        end
        for event in stream:finish() do
          take(event)
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
    { "no api", 'local s = require "sluice.syntax"; return s.syntax { name = "x", call = "x" }', "needs `api`" },
    { "another api", 'local s = require "sluice.syntax"; return s.syntax { name = "x", api = 9, call = "x" }',
      "was written for API level 9; this version reads level 2" },
    { "the names of API level 1",
      'local s = require "sluice.syntax"; return s.syntax { name = "x", api = 1, untyped = "string", call = "x" }',
      "was written for API level 1; this version reads level 2" },
    { "a field that a list has not", syntax [[ call = { "x", { place = "line", s.name() }, ">" } ]],
      "a list of words has no field 'place'" },
    { "a place that is none", syntax [[ call = { at = "end", "x", s.json() } ]], "`at` must be \"start\", \"message\"" },
    { "the start of the message inside a block", syntax [[ call = { "x", { at = "start", s.json() } } ]], "is only for a whole block" },
    { "an option around words", syntax [[ call = { "x", s.lost { "y", write = false }, s.json() } ]], "no option 'write'" },
    { "a run of a word", syntax [[ call = { s.run("ab", 3), s.json() } ]], "run: expected one character" },
    { "a run of one", syntax [[ call = { s.run("#", 1), s.json() } ]], "from 2 to 1000" },
    { "a pattern for a value behind the header", syntax [[ call = { "x", s.name(), ":",
      s.value { key = "k", pattern = require "lpeg".P(1)^0 }, "." } ]], "add inline = true" },
    { "a misspelt field", syntax [[ calls = { "x", s.json() } ]], "there is no field 'calls' %(did you mean 'call'%?%)" },
    { "a misspelt word", syntax [[ call = { "x", s.objekt() } ]], "objekt" },
    { "a misspelt option", syntax [[ call = { "x", s.json { nam = "n" } } ]], "object: there is no option 'nam'" },
    { "an option of another kind", syntax [[ call = { "x", s.value { key = 1 } } ]], "value: the option 'key' must be a string" },
    { "an empty literal", syntax [[ call = { "", s.json() } ]], "an empty literal" },
    { "nothing to parse", syntax [[ models = { "x" } ]], "needs `call`" },
    { "parse without starts", syntax [[ parse = function() end ]], "needs `starts`" },
    { "a name that nothing ends", syntax [[ call = { "<", s.name(), s.name(), ">" } ]], "it has no clear end" },
    { "a name that a blank ends", syntax [[ call = { "<", s.name(), " ", s.value { key = "x" }, ">" } ]],
      'only white space follows it, .- if " " ends it, write s.exact " "' },
    { "a key that a line break ends", syntax [[ call = { "<", s.name(), ">", s.params { "+", s.key(), "\n", s.value(), ";" }, "." } ]],
      's.key: only white space follows it, .- write s.exact "\\n"' },
    { "a pattern that can never match", syntax [[ call = { "<", s.name(require "lpeg".P "\n"), ">", s.args() } ]],
      "s.name: its pattern can never match" },
    { "a key's pattern that can never match", syntax [[ call = { "<", s.name(), ">", s.params { "+",
      s.key(require "lpeg".P(1) - 1), "=", s.value(), ";" }, "." } ]], "s.key: its pattern can never match" },
    { "a name behind its arguments", syntax [[ call = { "<", s.args(), "|", s.name(), ">" } ]],
      "it comes after s.args, but a call is announced by its name" },
    { "a name behind its parameters", syntax [[ call = { "<", s.params { s.key(), "=", s.value(), ";" }, "|", s.name(), ">" } ]],
      "it comes after s.params" },
    { "a block without a beginning", syntax [[ call = { s.name(), ">", s.args() } ]], "begins with what may be anything" },
    { "a block that may be empty", syntax [[ call = { s.opt "x" } ]], "may be empty" },
    { "a notation that is none", syntax [[ call = { "x", s.args "yaml" } ]], "there is no such notation" },
    { "a bad default", syntax [[ call = { "x", s.json() }, options = { calls = "soon" } ]], "'calls' must be" },
    { "no pattern", syntax [[ call = { "x", s.name("%a+"), ">" } ]], "must be an LPeg pattern" },
    { "io", "return io.open('/etc/passwd')", "a syntax has no 'io'" },
    { "os", "return os.getenv('HOME')", "a syntax has no 'os'" },
    { "load", "return load('return 1')", "a syntax has no 'load'" },
    { "debug", "return debug.getregistry()", "a syntax has no 'debug'" },
    { "another module", "return require 'posix'", 'may require "sluice.syntax" and "lpeg"' },
    { "a global", "x = y", "a syntax has no 'y'" },
    { "bytecode", string.dump(function() end), "a script is text, not bytecode" },
    { "a parent that is not there", "return inherit('nobody', {})", "nobody" },
  }
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
    local _, said = sluice.compile(text:format "s.objekt()", "mine.lua")
    assert.are.equal("mine.lua:3: there is no word 's.objekt' (did you mean 's.json'?)", said)
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
    { "a misspelt option", described "call = { '<c>', s.name { patern = 1 }, '>' }",
      "mine.lua:3: s.name: there is no option 'patern'; the options are declared, is, pattern" },
    { "an option of another type", described "call = { '<c>', s.value { key = 1 }, '</c>' }",
      "mine.lua:3: s.value: the option 'key' must be a string, not a number" },
    { "a text where a list is due", described "call = { '<c>', s.json(), '</c>' }, stop = { 5 }",
      'mine.lua:3: syntax mine: the field \'stop\' must be a list of texts, none of them empty: { "...", "..." }' },
    { "half a pair", described "call = { '<c>', s.json(), '</c>' }, reasoning = { open = '<t>' }",
      'mine.lua:3: syntax mine: the field \'reasoning\' must be { open = "...", close = "..." }, or a list of such pairs' },
    { "a misspelt stream option", described "call = { '<c>', s.json(), '</c>' }, options = { cals = 'whole' }",
      "mine.lua:3: syntax mine: the field 'options' has no field 'cals' (did you mean 'calls'?)" },
    { "an option's value", described "call = { '<c>', s.json(), '</c>' }, options = { calls = 'soon' }",
      "mine.lua: syntax mine: the option 'calls' must be \"streamed\" or \"whole\"" },
    { "how JSON is spaced", described "call = { '<c>', s.json(), '</c>' }, json = { item = 3 }",
      "mine.lua:3: syntax mine: the field 'json' must be { item = \", \", key = \": \" }, with other white space" },
    { "no count", described "call = { '<c>', s.json(), '</c>' }, max_calls = 1.5",
      "mine.lua:3: syntax mine: the field 'max_calls' must be a whole number from 1" },
    { "a result without its text", described "call = { '<c>', s.json(), '</c>' }, result = { '<r>' }",
      "mine.lua:3: syntax mine: the field 'result' must be a list of literals and words that includes s.value(), the result's text" },
    { "a misspelt field of a model", described "call = { '<c>', s.json(), '</c>' }, models = { { 'X', strat = 'reasoning' } }",
      "mine.lua:3: syntax mine: the field 'models' must hold names, or { name, start = \"reasoning\" }; one has no field 'strat' "
        .. "(did you mean 'start'?)" },
    { "a misspelt field of an example", described "call = { '<c>', s.json(), '</c>' }, examples = { { txt = 'x', calls = {} } }",
      "mine.lua:3: syntax mine: the field 'examples' has an error: number 1 has no field 'txt' (did you mean 'text'?)" },
    { "an example without calls", described "call = { '<c>', s.json(), '</c>' }, examples = { { text = 'x' } }",
      "mine.lua:3: syntax mine: the field 'examples' has an error: number 1 has no `calls`; use {} for none" },
    { "a kind that is none", described "call = { '<c>', s.json { required = { t = 'call' } }, '</c>' }",
      "mine.lua:3: syntax mine: s.json: the option 'required' has 'call' for 't'; allowed: \"string\", \"object\", \"number\" or "
        .. "\"number?\"; write a member with one fixed value in a literal" },
    { "what is never written", described "call = { '<c>', s.json { defaults = { t = 'call' } }, '</c>' }",
      "mine.lua:3: syntax mine: s.json: the option 'defaults' has 't', which is not the key of the name, the arguments or the id, "
        .. "nor in `extra`" },
    { "an alternative that is not there", described "call = { s.any { '<c>', '<d>', write = 3 }, s.json(), '</c>' }",
      "mine.lua:3: syntax mine: s.any: the option 'write' must be the number of an alternative, from 1 to 2, or a list of them" },
    { "entities", described "call = { '<c>', s.name(), '>', s.value { key = 'x', entities = { 'amp' } }, '</c>' }",
      "mine.lua:3: syntax mine: s.value: the option 'entities' must be true, or { \"lt\", \"gt\" }" },
    { "a type that is none", described ("call = { '<c ', s.attrs { { 'n', s.name() }, { 't', s.type { map = { x = 'str' } } } }, '>', "
      .. "s.args(), '</c>' }"), "mine.lua:3: syntax mine: s.type: the option 'map' has 'str' for 'x'; allowed: a type of JSON "
      .. "Schema, or \"json\"" },
    { "an empty prefix", described "call = { '<c>', s.name_in_id { prefix = '' }, '>', s.args(), '</c>' }",
      "mine.lua:3: syntax mine: s.name_in_id: the option 'prefix' must not be empty" },
    { "a counter that ends in digits", described "call = { '<c>', s.name_in_id { counter = '_0' }, '>', s.args(), '</c>' }",
      "mine.lua:3: syntax mine: s.name_in_id: the option 'counter' must not contain white space or digits" },
    { "an id without an end", described "call = { '<c>', s.name_in_id(), s.name(), '>' }",
      "mine.lua:3: syntax mine: s.name_in_id: it has no clear end: no literal follows it directly; put one after it" },
    { "a word of an attribute elsewhere", described "call = { '<c>', s.name(), '>', s.type(), s.args(), '</c>' }",
      "mine.lua:3: syntax mine: s.type: it is only for attributes of a tag: s.attrs { { \"type\", s.type() } }" },
    { "a missing return", head .. "s.syntax { api = 3, name = 'mine', call = { '<c>', s.name(), '>' } }\n",
      "mine.lua: the script returns nothing; it must return a syntax: put `return` before s.syntax{...}" },
    { "a missing require", "return s.syntax { api = 3, name = 'mine', call = { '<c>', s.name(), '>' } }\n",
      'mine.lua:1: a syntax has no \'s\': begin with `local s = require "sluice.syntax"`' },
    { "a missing comma", described "call = { '<c>', s.name() '>', s.args() }",
      "mine.lua:3: s.name: a comma is missing after it" },
    { "a word that is not called", described "call = { '<c>', s.name, '>' }",
      "mine.lua:3: syntax mine: call, item 2: expected a literal, a word or a list of them, got a function; call the word: "
        .. "s.name(), not s.name" },
    { "an empty literal", described "call = { '<c>', s.name(), '', s.args() }",
      "mine.lua:3: syntax mine: call, item 3: an empty literal has no effect; leave it out" },
    { "a pattern of Lua's", described "call = { '<c>', s.name('%a+'), '>' }",
      "mine.lua:3: s.name: the option 'pattern' must be an LPeg pattern, such as lpeg.R(\"az\")^1, not a string" },
    { "two words with nothing between", described "call = { '<c>', s.name(), '>', s.params { '<p>', s.key(), s.value(), '</p>' } }",
      "mine.lua:3: syntax mine: s.key: it has no clear end: no literal follows it directly; put one after it" },
    { "a block without a beginning", described "call = { s.name(), '(', s.args 'python', ')' }",
      "mine.lua:3: syntax mine: block 1 begins with what may be anything: put a literal before it, or say "
        .. 'at = "line" or at = "start"' },
    { "a block that may be empty", described "call = { s.opt '<c>', s.opt(s.args()) }",
      "mine.lua:3: syntax mine: block 1 may be empty: all of it may be absent; it needs a literal or a word that must stand" },
    { "a call without a name", described "call = { '<c>', s.args(), '</c>' }",
      "mine.lua:3: syntax mine: the call has no word for the tool's name: add s.name(), or s.json{...} if the call is JSON; "
        .. 's.name "NAME" if the block always means one tool' },
    { "a table that is no syntax", head .. "return { api = 3, name = 'mine' }\n",
      "mine.lua: the script must return s.syntax{...}, not a table of its own" },
    { "a notation that is not there", described "call = { '<c>', s.name(), '>', s.args 'python' }",
      "mine.lua:3: s.args: there is no such notation; use \"kwargs\" or { quote =, kwargs = }" },
  }
  for _, mistake in ipairs(mistakes) do
    it(mistake[1], function()
      local good, message = sluice.compile(mistake[2], "mine.lua")
      assert.is_nil(good)
      assert.are.equal(mistake[3], message)
    end)
  end
end)
