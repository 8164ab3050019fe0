--- The tools for authors of scripts: check, trace, watch, infer, new.

local sluice = require "sluice"
local support = require "support"

local run = support.run

-- One syntax of each kind, where all would say the same again.
local sample = { "caret", "functionary_v32", "gemma4", "hermes", "minimax_m3", "mistral", "pythonic", "qwen3_coder", "scissors_cat" }

describe("sluice check", function()
  local folder = support.folder()
  teardown(function()
    os.execute("rm -r " .. folder)
  end)

  -- The report on a script with this text.
  local function check(script)
    local path = folder .. "/mine.lua"
    support.write(path, script)
    return run("check " .. path)
  end

  it("passes scripts of the library", function() -- laws_spec asks the same of all
    local paths = {}
    for i, name in ipairs(sample) do
      paths[i] = ("%s/syntaxes/%s.lua"):format(support.root, name)
    end
    local out, status = run("check " .. table.concat(paths, " "))
    assert.are.equal(0, status, out)
    local passed = 0
    for _ in out:gmatch "\n  passes" do
      passed = passed + 1
    end
    assert.are.equal(#paths, passed)
  end)

  it("knows the nearest name", function()
    assert.is_truthy(run("check hermse"):find "the nearest is 'hermes'")
  end)

  local script = [[
    local s = require "sluice.syntax"
    return s.syntax { api = 3, name = "mine", origin = "me", source = "here",
      call = { "<c>", s.name(), ">", s.args(), "</c>" },
      examples = { { text = '<c>f>{"x": 2}</c>', calls = { { name = "f", arguments = { x = 2 } } } } } }
  ]]

  it("passes a small one", function()
    local out, status = check(script)
    assert.are.equal(0, status, out)
    assert.is_nil(out:find("note", 1, true))
    local bare, good = check((script:gsub('>", s.args%(%), "</c>', ";"):gsub("<c>f.-</c>", "<c>f;"):gsub("x = 2", "")))
    assert.are.equal(0, good, bare)
    assert.is_truthy(check((script:gsub('"mine"', '"hermes"'))):find "note .*'hermes'") -- it hides another
    local keys, passed = check((script:gsub("s.args.-text = '.-'", [[s.params {
      "(", s.key(lpeg.R "az"^1 * -1), "=", s.value { json = true }, ")" }, "</c>" }, examples = { { text = '<c>f>(x=2)</c>']])))
    assert.are.equal(0, passed, keys)
    assert.is_truthy(check((script:gsub("origin", 'aliases = { "qwen3" }, origin'))):find("'qwen3' is a name of the syntax", 1, true))
    local lines = script:gsub('"<c>.-"</c>"', [[s.lines({ "RUN " }, function(l)
      l.call(l.take(lpeg.P "RUN " * lpeg.C(lpeg.P(1)^1)))
      while l.peek() and not l.take(lpeg.P "END") do
        l.value(l.take(lpeg.C(lpeg.R "az"^1) * ": " * lpeg.C(lpeg.P(1)^1)) or l.line(), "2")
      end
      return true
    end, function(call) return "RUN " .. call.name .. "\nx: 2\nEND\n" end)]]):gsub("<c>.-</c>", "RUN f\\nx: 2\\nEND\\n")
    assert.is_truthy(check(lines):find("a complete call with other arguments", 1, true))
  end)

  local broken = {
    { "whose format it is", { 'origin = "me", ' }, "`models` and `origin` are missing" },
    { "where it is described", { 'source = "here",' }, "`source` is missing" },
    { "an example", { "examples = .-} } } } }", "" }, "has no examples" },
    { "what its example gives", { "x = 2", "x = 1" }, [[arguments of call 1 are {"x": 2} instead of {"x":1}]] },
    { "how many calls", { "calls = { {", "calls = { { name = 'g', arguments = {} }, {" }, "gives 1 call instead of 2" },
    { "an example that is written otherwise", { "<c>f>", "<c> f>" },
      [[written as "<c>f>{\"x\": 2}</c>"; they differ from byte 3; set `deviates]] },
    { "a separator", { "s.args.-text = '.-'", [[s.params { s.key(), "=", s.value(), "; " }, "</c>" },
      examples = { { text = '<c>f>x=2</c>']] }, "is `between` of s.params" },
    { "a word without which a value has no end", { "s.args.-text = '.-'", [[s.params { s.key(), "=", s.value(), s.opt ";", "\n" }, "</c>" },
      examples = { { text = '<c>f>x=2;\n</c>']] }, "without an optional literal a call is not read back" },
    { "an example without its tools", { "s.name%(%)", "s.given()" }, "with s.given an example needs its `tools`" },
    { "a word", { "s.name", "s.nmae" }, "nmae" },
    { "two literals that end a value", { "s.args.+$", [[s.params { "(", s.key(), "=", s.value(), ")", ")" }, "</c>" },
      examples = { { text = '<c>f></c>', calls = { { name = "f", arguments = {} } } } } }]] }, "most of these calls cannot be written" },
    { "a field", { "origin", "orign" }, "did you mean 'origin'" },
    { "what follows a name", { '">", ', "" }, "mine" },
    { "Lua", { "return", "retrun" }, "mine.lua:2" },
  }
  for _, case in ipairs(broken) do
    it("reports a mistake in " .. case[1], function()
      local out, status = check((script:gsub(case[2][1], case[2][2] or "", 1)))
      assert.are.equal(1, status, out)
      assert.is_truthy(out:find(case[3], 1, true), out)
    end)
  end

  it("finds the smallest text that breaks a law", function()
    local out, status = check [[
      local n = 0
      return s.syntax { api = 3, name = "mine", origin = "me", source = "here",
        call = { at = "line", s.lines("<c>", function(l)
          n = n + 1 -- depends on earlier calls
          l.line()
          if n % 2 == 0 then return false end
          l.call "f"
          return true
        end, function() return "<c>" end) },
        examples = { { text = "hello", content = "hello", calls = {} } } }]]
    assert.are.equal(1, status, out)
    assert.is_truthy(out:find('law 1 (chunking does not matter) fails for "<c>"', 1, true), out)
    assert.is_truthy(out:find('0          "<c>" may begin a block', 1, true), out) -- and its trace
  end)

  it("refuses missing files, and says what it needs", function()
    local out, status = run("check " .. folder .. "/none.lua")
    assert.are.equal(1, status)
    assert.is_truthy(out:find("cannot be read", 1, true))
    assert.is_truthy(run("check caret"):find("the syntax 'caret'.-passes\n$")) -- a name
    local _, none, err = run "check"
    assert.are.equal(2, none)
    assert.is_truthy(err:find("path of the script", 1, true))
  end)
end)

describe("sluice trace", function()
  local text = '<think>\nhm\n</think>\n\nok & <tool_call>{"name": "f", "arguments": {"a": 1, "a": 2}}</tool_call>\nthen'

  it("prints what each byte was parsed as, in lines if there is no terminal", function()
    local out, status = run("trace -s hermes", text)
    assert.are.equal(0, status)
    assert.are.equal([[
markup    0-8 "<think>\n"
reasoning 8-10 "hm"
markup    10-21 "\n</think>\n\n"
text      21-26 "ok & "
markup    26-47 "<tool_call>{\"name\": \""
name      47-48 "f"
markup    48-64 "\", \"arguments\": "
arguments 64-80 "{\"a\": 1, \"a\": 2}"
markup    80-93 "}</tool_call>"
error     93 duplicate_parameter: the parameter a was given before
text      93-98 "\nthen"
]], out)
  end)

  it("covers every byte, at any chunk size", function()
    local whole = run("trace -s hermes", text)
    for chunk = 1, 9 do
      assert.are.equal(whole, (run("trace -s hermes --chunk " .. chunk, text)))
    end
  end)

  it("colours, and shows the text itself", function()
    local out = run("trace -s hermes --color always", text)
    assert.is_truthy(out:find("\27[1;32mf\27[0m", 1, true))
    assert.is_truthy(out:find("[duplicate_parameter: the parameter a was given before]", 1, true))
    local plain = out:gsub("\27%[[%d;]*m", ""):gsub("%[duplicate_parameter:[^]]*%]", "")
    assert.are.equal(text .. "\n", plain:sub(1, #text + 1))
    assert.is_nil((run("trace -s hermes --color never", text)):find "\27")
  end)

  it("accepts broken input, no input, and invalid text", function()
    for _, input in ipairs { "", "\255\0\27[31m", '<tool_call>{"name": "f", "arg' } do
      local out, status = run("trace -s hermes --color always", input)
      assert.are.equal(0, status)
      assert.is_nil(out:find("\0", 1, true))
      assert.is_nil(out:find("\27%[31m")) -- the input's own escapes are shown, not sent
    end
    local _, status, err = run("trace -s hermes --color sometimes", "")
    assert.are.equal(2, status)
    assert.is_truthy(err:find("must be one of 'auto', 'always', 'never'", 1, true))
  end)
end)

describe("sluice trace --explain", function()
  it("prints what was tried at which byte, what it waited for, why it was rejected", function()
    local out, status = run("trace -s hermes --explain", 'Hi <tool_call>{"name": "f", "arguments": {}}</tool_call><tool_call>x')
    assert.are.equal(0, status)
    assert.are.equal([[
=> text 0-3 "Hi "
3          "<tool_call>" may begin a block
             block 1 of 3:
3-14         "<tool_call>\n"                                   matches
14-44        s.json()                                          matches; decided at byte 45
44-56        "\n</tool_call>"                                  matches
             end of the block
=> call_begin 24-25 #0 f
=> arguments 41-43 "{}"
=> call_end 56-56 #0 complete
56         "<tool_call>" may begin a block
             block 1 of 3:
56-67        "<tool_call>\n"                                   matches
67           s.json()                                          NO: found "x" (line 12)
             block 2 of 3:
56-67        "<tool_call>\n"                                   matches; decided at byte 68
67           s.any { "```json\n", ... }                        NO: found "x" (line 13)
             block 3 of 3:
56-67        "<tool_call>\n"                                   matches; decided at byte 68
67             "["                                             NO: found "x"
             not a call: text again
=> error 56 not_a_call: expected object
=> text 56-68 "<tool_call>x"
]], out)
  end)

  it("prints the end of a block before the next one", function()
    local path = os.tmpname() .. ".lua"
    local head = 'local s = require "sluice.syntax"\nreturn s.syntax { api = 3, name = "mine", origin = "me", source = "here",\n'
    local text = '{"fn":"f","with":{}}\n{"fn":"g","with":{}}'
    support.write(path, head .. 'call = { at = "line", s.json { name = "fn", args = "with" } } }\n')
    local out = run("trace -s " .. path .. " --explain", text)
    assert.are.equal(2, select(2, out:gsub("end of the block", "")), out)
    assert.is_nil(out:find("not a call",  1, true), out)
    os.remove(path)
  end)

  it("prints each syntax that auto tries, and alternatives", function()
    local out = run("trace -s auto:hermes,glm45 --explain", "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>")
    assert.is_truthy(out:find("as hermes:.-NO: found \"f\".-as glm45:.-s%.name%(%) +matches.-call_begin 11%-12 #0 f"), out)
    out = run("trace -s mistral --explain", '[TOOL_CALLS][{"name": "f", "arguments": {}}]')
    assert.is_truthy(out:find("s%.any.-s%.name%(%) +matches.-s%.args%(%) +NO.-s%.json"), out)
  end)

  it("accepts tools and options, and texts that end anywhere", function()
    local tools = '[{"type": "function", "function": {"name": "g", "parameters": {}}}]'
    local path = os.tmpname()
    support.write(path, tools)
    local text = '<tool_call>{"name": "f", "arguments": {"a": "b"}}</tool_call>'
    local out = run("trace -s hermes --explain --tools " .. path .. " --option unknown_tools=text --option limit_depth=9", text)
    assert.is_truthy(out:find("not_a_call: there is no tool named f", 1, true), out)
    for i = 0, #text, 4 do
      local cut, status, err = run("trace -s hermes --explain", text:sub(1, i))
      assert.are.equal(0, status, err)
      assert.is_truthy(i == 0 or cut ~= "")
    end
    os.remove(path)
    local _, status = run("parse -s hermes --explain", "")
    assert.are.equal(2, status)
  end)

  it("does not change the results of a syntax", function()
    for _, name in ipairs { "harmony", "qwen3_coder", "caret", "minimax_m3", "scissors_cat", "functionary_v32" } do
      for _, example in ipairs(sluice.description(name).examples) do
        local out, status = run("trace --explain -s " .. name, example.text)
        assert.are.equal(0, status)
        for _, call in ipairs(example.calls) do
          assert.is_truthy(out:find("#%d+ " .. call.name:gsub("%p", "%%%0")), out)
        end
        assert.is_nil(out:find("script_error", 1, true), out)
      end
    end
  end)
end)

describe("sluice watch", function()
  it("draws again at every save, and goes on after an error in the script", function()
    local folder = support.folder()
    local path = folder .. "/mine.lua"
    local function script(opener)
      return ([[local s = require "sluice.syntax"
        return s.syntax { api = 3, name = "mine", call = { "%s", s.name(), ">", s.args() } }]]):format(opener)
    end
    support.write(path, script "<a ")
    support.write(folder .. "/sample.txt", "<a f>{} <b g>{}")
    support.write(folder .. "/out", "")
    os.execute(("timeout 60 %s watch %s %s/sample.txt >%s/out 2>&1 & echo $! >%s/pid"):format(support.command, path, folder, folder,
      folder))
    -- Waits for the last output.
    local function shows(what)
      for _ = 1, 300 do
        if support.read(folder .. "/out"):find(what, 1, true) then
          return
        end
        os.execute "sleep 0.1"
      end
      error(("%q is not shown in %s"):format(what, support.read(folder .. "/out")))
    end
    shows 'name      3-4 "f"'
    support.write(path, "return 1 +")
    shows "mine.lua:1: unexpected symbol"
    support.write(folder .. "/new", script "<b ") -- as editors save: a new file in its place
    os.rename(folder .. "/new", path)
    shows 'name      11-12 "g"'
    support.write(folder .. "/sample.txt", "only text")
    shows 'text      0-9 "only text"'
    os.execute(("kill $(cat %s/pid); rm -r %s"):format(folder, folder))
  end)

  it("tells what it wants", function()
    local _, status, err = run "watch x.lua"
    assert.are.equal(2, status)
    assert.is_truthy(err:find("paths of the script and of samples", 1, true))
  end)
end)

describe("sluice infer", function()
  local folder = support.folder()
  teardown(function()
    os.execute("rm -r " .. folder)
  end)

  it("prints the script, and what it explains; the exit status is 0 if that is everything", function()
    support.write(folder .. "/1.txt", 'Hm.\n<<use>> weather {"city": "Oslo"} <</use>>\n')
    support.write(folder .. "/2.txt", 'one {"odd": "thing"} more\n')
    support.write(folder .. "/1.json", '[{"name": "weather", "arguments": {"city": "Oslo"}}]')
    local out, status, err = run(("infer --name odd --calls %s/1.json %s/1.txt"):format(folder, folder))
    assert.are.equal(0, status, err)
    assert.is_truthy(out:find('name = "odd"', 1, true))
    assert(sluice.compile(out))
    support.write(folder .. "/calls.json", '[[{"name": "weather", "arguments": {"city": "Oslo"}}], [{"name": "f", "arguments": {"x": 1}}]]')
    out, status, err = run(("infer --calls %s/calls.json %s/1.txt %s/2.txt"):format(folder, folder, folder))
    assert.are.equal(1, status)
    assert.are.equal("", out)
    assert.is_truthy(err:find("no description was found", 1, true), err)
    support.write(folder .. "/calls.json", '[[{"name": "weather", "arguments": {"city": "Oslo"}}], []]')
    out, status, err = run(("infer --calls %s/calls.json %s/1.txt %s/2.txt"):format(folder, folder, folder))
    assert.are.equal(0, status, err .. out)
    out, status, err = run "infer"
    assert.are.equal("", out)
    assert.are.equal(2, status)
    assert.is_truthy(err:find("paths of samples", 1, true))
  end)
end)

describe("sluice new", function()
  local folder = support.folder()
  teardown(function()
    os.execute("rm -r " .. folder)
  end)
  local command = support.command:match "^env" and support.command or support.command:gsub("^([^/])", support.root .. "/%1")

  local function new(arguments)
    local handle = assert(io.popen(("cd %s && %s new %s 2>&1; echo $?"):format(folder, command, arguments)))
    local out = handle:read "*a"
    handle:close()
    return out:match "^(.-)(%d+)\n$"
  end

  -- Asserts that the page's cases are the script's results.
  local function true_to(name)
    local script, page = support.read(folder .. "/" .. name .. ".lua"), support.read(folder .. "/" .. name .. ".md")
    local syntax = assert(sluice.compile(script, folder .. "/" .. name .. ".lua"))
    local count = 0
    for escaped, input, expected in page:gmatch "\n~~~ in([^\n]*)\n(.-)\n?~~~\n~~~ out\n(.-)\n?~~~\n" do
      count = count + 1
      if escaped == " escaped" then
        input = input:gsub("\\x(%x%x)", function(h)
          return string.char(tonumber(h, 16))
        end):gsub("\\n", "\n"):gsub("\\r", "\r"):gsub("\\\\", "\\")
      end
      assert.are.equal(expected, support.lines(support.events(sluice.stream(syntax, { markup = true }), input, 0)))
    end
    assert.is_true(count > 0)
  end

  it("writes a script that passes, and its page", function()
    local out, status = new "mine"
    assert.are.equal("mine.lua\nmine.md\n", out)
    assert.are.equal("0", status)
    local verdict, passes = run("check " .. folder .. "/mine.lua")
    assert.are.equal(0, passes, verdict)
    true_to "mine"
  end)

  it("overwrites nothing", function()
    support.write(folder .. "/there.lua", "mine")
    local out, status = new "there"
    assert.are.equal("1", status)
    assert.is_truthy(out:find("File exists", 1, true), out)
    assert.are.equal("mine", support.read(folder .. "/there.lua"))
  end)

  for _, parent in ipairs(support.syntaxes()) do
    it("writes a dialect of " .. parent, function()
      local out, status = new("like_" .. parent .. " --like " .. parent)
      assert.are.equal("0", status, out)
      true_to("like_" .. parent)
      if (" " .. table.concat(sample, " ") .. " "):find(" " .. parent .. " ", 1, true) then -- also by the laws
        local verdict, passes = run("check " .. folder .. "/like_" .. parent .. ".lua")
        assert.are.equal(0, passes, verdict)
      end
    end)
  end

  it("infers a script from samples", function()
    support.write(folder .. "/1.txt", 'Hm.\n<<use>> weather {"city": "Oslo"} <</use>>\n')
    support.write(folder .. "/2.txt", '<<use>> mail {"to": "Ann"} <</use>>\n<<use>> now {} <</use>>\n')
    support.write(folder .. "/calls.jsonl", '[{"name": "weather", "arguments": {"city": "Oslo"}}]\n\n'
      .. '[{"name": "mail", "arguments": {"to": "Ann"}}, {"name": "now", "arguments": {}}]\n')
    local out, status = new "told --from 1.txt --from 2.txt --calls calls.jsonl"
    assert.are.equal("1", status)
    assert.is_truthy(out:find("calls.jsonl: ", 1, true), out) -- an empty line is not a list of calls
    support.write(folder .. "/calls.jsonl", support.read(folder .. "/calls.jsonl"):gsub("\n\n", "\n"))
    out, status = new "told --from 1.txt 2.txt --calls calls.jsonl"
    assert.are.equal("0", status, out)
    assert.is_truthy(out:find("2.txt                is explained: 2 calls", 1, true), out)
    local verdict, passes = run("check " .. folder .. "/told.lua")
    assert.are.equal(0, passes, verdict)
    true_to "told"
    support.write(folder .. "/3.txt", "no call in it")
    out, status = new "none --from 3.txt"
    assert.are.equal("1", status)
    assert.is_truthy(out:find("no known syntax reads calls in all samples", 1, true), out)
    for wrong, why in pairs { ["x --like hermes --from 1.txt"] = "cannot be combined", ["x --calls calls.jsonl"] = "give them with --from",
      ["x y"] = "too many arguments", ["x --from none.txt"] = "cannot be read" } do
      out, status = new(wrong)
      assert.are.equal(why == "cannot be read" and "1" or "2", status)
      assert.is_truthy(out:find(why, 1, true), out)
    end
  end)

  it("exits with 0 only if all samples are explained", function()
    support.write(folder .. "/4.txt", 'Okay f {"x": 1}')
    support.write(folder .. "/4.json", '[{"name": "f", "arguments": {"x": 1}}]')
    local out, status = new "part --calls 4.json --from 4.txt"
    assert.are.equal("1", status)
    assert.is_truthy(out:find('4.txt                is not explained: "Okay " may be prose', 1, true), out)
    assert.is_truthy(out:find("part.lua\npart.md\n", 1, true), out) -- still written, as a start
    true_to "part"
    local _, failed = run(("infer --calls %s/4.json %s/4.txt"):format(folder, folder))
    assert.are.equal(1, failed)
  end)

  it("refuses a path as name, and a missing parent", function()
    local out, status = new "../x"
    assert.are.equal("1", status)
    assert.is_truthy(out:find("a name must consist of", 1, true))
    out, status = new "x --like hermess"
    assert.are.equal("1", status)
    assert.is_truthy(out:find("the nearest is 'hermes'", 1, true))
    assert.is_truthy(new("x --like auto"):find "'auto' only recognises formats")
    assert.is_falsy(new("auto"):find "exists")
  end)

  it("writes nothing where its page exists", function()
    support.write(folder .. "/half.one.md", "")
    assert.is_truthy(new("half.one"):find "half.one.md cannot be written: File exists")
    assert.is_nil(io.open(folder .. "/half.one.lua"))
  end)
end)
