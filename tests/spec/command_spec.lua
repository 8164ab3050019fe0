--- The command in a shell.

local sluice = require "sluice"
local support = require "support"

local run, json = support.run, sluice.json
local weather = 'Hi <tool_call>\n{"name": "get_weather", "arguments": {"id": 9007199254740993}}\n</tool_call>'

describe("sluice parse", function()
  it("prints one result object per response", function()
    local out, status = run("parse -s hermes", weather)
    assert.are.equal(0, status)
    assert.are.equal(1, select(2, out:gsub("\n", "")))
    assert.is_truthy(out:find('"arguments": {"id": 9007199254740993}', 1, true))
    local result = json.decode(out)
    assert.are.same({ "Hi ", json.null }, { result.content, result.reasoning })
    local call = result.calls[1]
    assert.are.same({ "get_weather", 0, "complete" }, { call.name, call.index, call.status })
    assert.are.same({}, result.errors)
  end)

  it("prints events as their bytes arrive, not at the end", function()
    local name = os.tmpname()
    os.remove(name)
    os.execute("mkfifo " .. name)
    local reader = io.popen(("%s parse -s hermes -o events <%s"):format(support.command, name))
    local writer = io.open(name, "w")
    writer:setvbuf "no"
    writer:write "Hello "
    assert.are.equal("Hello ", json.decode(reader:read "*l").text)
    writer:write '<tool_call>{"name": "f", "arguments": {"x": "'
    assert.are.equal("call_begin", json.decode(reader:read "*l").type)
    assert.are.equal('{"x": "', json.decode(reader:read "*l").text)
    writer:write "ab"
    assert.are.equal("ab", json.decode(reader:read "*l").text)
    writer:close()
    local last
    for line in reader:lines() do
      last = json.decode(line)
    end
    assert.are.equal("incomplete", last.status)
    reader:close()
    os.remove(name)
  end)

  it("reads any number of frames that say nothing in one piece", function()
    local answer = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n'
    for _, nothing in ipairs { ": ping\n\n", ": ping\r\n\r\n", ":\r\r", "\n", "\r\n", 'data: {"choices":[]}\n\n', ":", "retry: 1\n" } do
      local out, status = run("parse --from openai -s hermes", nothing:rep(math.floor(120000 / #nothing)) .. "\n\n" .. answer)
      assert.are.equal(0, status)
      assert.are.equal("a", json.decode(out).content)
    end
  end)

  it("stops a script that never ends, in the answer of a server, too", function()
    local path = os.tmpname()
    support.write(path, 'local s = require "sluice.syntax"\nreturn s.syntax { api = 3, name = "endless", '
      .. 'call = s.lines("<c>", function() while true do end end) }')
    local out, status = run("parse --from openai -s " .. path,
      'data: {"choices":[{"index":0,"delta":{"content":"<c>f</c>"}}]}\n\ndata: [DONE]\n\n')
    os.remove(path)
    assert.are.equal(0, status)
    assert.is_truthy(out:find("than allowed", 1, true))
  end)

  it("converts between wire formats as their bytes arrive", function()
    local name = os.tmpname()
    os.remove(name)
    os.execute("mkfifo " .. name)
    local reader = io.popen(("%s parse --from openai -s hermes -o openai <%s"):format(support.command, name))
    local writer = io.open(name, "w")
    writer:setvbuf "no"
    local function send(delta, reason)
      writer:write(('data: {"id":"c","model":"m","created":7,"choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}\n\n')
        :format(delta, reason or "null"))
    end
    local function receive()
      local line = reader:read "*l"
      assert.are.equal("", reader:read "*l")
      return json.decode(line:match "^data: (.*)$").choices[1]
    end
    send '"content":"Hello "'
    assert.are.same({ role = "assistant", content = "Hello " }, receive().delta)
    send [["content":"<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": \""]]
    local call = receive().delta.tool_calls[1]
    assert.are.equal("f", call["function"].name)
    assert.is_truthy(call.id:find "^call_")
    assert.are.equal('{"x": "', call["function"].arguments)
    send [["content":"ab\"}}</tool_call>"]]
    assert.are.equal('ab"}', receive().delta.tool_calls[1]["function"].arguments)
    send("", '"stop"')
    assert.are.equal("tool_calls", receive().finish_reason)
    writer:write "data: [DONE]\n\n"
    assert.are.equal("data: [DONE]", reader:read "*l")
    writer:close()
    reader:close()
    os.remove(name)
  end)

  it("converts between text and wire formats", function()
    local text = 'Hi <tool_call>{"name": "f", "arguments": {"x": 9007199254740993,\n"y": 1}}</tool_call>'
    -- a call that a server parsed cannot be written as text
    local direct = support.run("parse -s hermes", text):gsub('"call_%w+"', "ID"):gsub(', "start": %d+, "end": %d+', "")
    for _, form in ipairs { "openai", "anthropic", "ollama" } do
      local body, status = support.run("parse -s hermes --chunk 3 -o " .. form, text)
      assert.are.equal(0, status)
      for _, chunk in ipairs { 0, 1, 7 } do
        local result = support.run(("parse -s hermes --from %s --chunk %d"):format(form, chunk), body)
        assert.are.equal(direct, (result:gsub('"call_%w+"', "ID")))
      end
    end
    local whole = '{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'
    assert.are.equal('{"content": "Hi", "reasoning": null, "calls": [], "errors": []}\n',
      (support.run("parse -s hermes --from openai", whole)))
  end)

  it("gives the same result for every chunk size, and accepts options", function()
    local wanted = run("parse -s hermes --option markup=true", weather):gsub('"call_%w+"', "")
    for _, chunk in ipairs { 1, 2, 5, 1000 } do
      assert.are.equal(wanted, (run("parse -s hermes --option markup=true --chunk " .. chunk, weather):gsub('"call_%w+"', "")))
    end
    assert.is_truthy(run("parse -s hermes --start reasoning", "x</think>y"):find '"reasoning": "x"')
    assert.is_truthy(run("parse -m Qwen/Qwen3-8B", weather):find "get_weather")
    for _, way in ipairs { "parse", "trace", "trace --explain" } do
      assert.is_nil(run(way .. " -m QwQ-32B", "x</think>y"):find "unopened_reasoning", way)
    end
  end)

  it("accepts no bytes, NUL bytes, invalid UTF-8 and very long lines", function()
    assert.are.equal('{"content": null, "reasoning": null, "calls": [], "errors": []}\n', (run("parse -s hermes", "")))
    local result = json.decode((run("parse -s hermes", "a\0b\255")))
    assert.are.equal("a\0b\239\191\189", result.content)
    local long = ("x"):rep(20 * 1024 * 1024)
    local out = run("parse -s hermes", long)
    assert.is_true(#out > #long)
  end)

  local refused = {
    { "parse -s hermse", "there is no syntax 'hermse'; the nearest is 'hermes'", 1 },
    { "parse", "no syntax given" },
    { "parse -m nobody", "no syntax lists the model 'nobody'; the syntax 'auto' recognises", 1 },
    { "parse -m Qwen", "no syntax lists the model 'Qwen'; there is Qwen2%.5 %(hermes%), ", 1 },
    { "parse -s hermes --option max_calls=-1", "'max_calls' must be a whole number, not '%-1'" },
    { "render", "no syntax given.*has the names%)\n" },
    { "parse -s hermes /no/such/file", "/no/such/file cannot be read: No such file", 1 },
    { "parse -s hermes /", "/ cannot be read", 1 },
    { "parse -s hermes --tools /no/tools", "/no/tools cannot be read", 1 },
    { "parse -s hermes --sintax x", "unknown option '%-%-sintax'; did you mean '%-%-syntax'" },
    { "parse -s hermes --option strickt=true", "there is no option 'strickt'; the nearest is 'strict'" },
    { "parse -s hermes --option foo=1", "there is no option 'foo'" },
    { "parse -s Qwen/Qwen3-8B", "No such file or directory; the model 'Qwen/Qwen3%-8B' uses the syntax 'hermes'", 1 },
    { "parse -s Foo/Bar", "Foo/Bar cannot be read: No such file or directory; no syntax lists it as a model", 1 },
    { "parse -s '<tool_call>" .. ("x"):rep(99) .. "'", '^sluice: there is no syntax "<tool_call>x+%.%.%."; the syntax is named before', 1 },
    { "parse -s '" .. ("The weather "):rep(9) .. "'", '^sluice: there is no syntax "The [%a ]+%.%.%."; the syntax is named before', 1 },
    { "parse -s hermes --option strict=maybe", "the option 'strict' must be true or false" },
    { "parse -s hermes --option calls=late", "the option 'calls' must be" },
    { "parse -s hermes --chunk x", "%-%-chunk must be a number" },
    { "parse -s hermes -o xml", "must be one of 'result', " },
    { "parse -s hermes --from opena", "'%-%-from' must be one of .*'openai'" },
    { "parse -s hermes -o openai --start up", "the option 'start' must be" },
    { "parse -s", "requires an argument" },
    { "prase", "unknown command 'prase'; did you mean 'parse'" },
    { "parse -s /no/script.lua", "/no/script.lua cannot be read", 1 },
  }
  for _, case in ipairs(refused) do
    it("refuses in a sentence: " .. case[1], function()
      local out, status, err = run(case[1], "")
      assert.are.equal(case[3] or 2, status)
      assert.are.equal("", out)
      assert.is_truthy(err:find(case[2]), err)
    end)
  end

  it("names misspelt keywords of schemas, each once, and what cannot be checked", function()
    local path = support.folder() .. "/tools.json"
    support.write(path, [[ [{"name": "f", "parameters": {"type": "object", "requird": ["a"], "title": "T", "properties": {
      "minmum": {"type": "string", "enumm": ["x"], "note": 1}, "b": {"type": "nope", "enumm": ["y"]}}}}] ]])
    local _, status, err = run("parse -s hermes -o result --tools " .. path, "x")
    assert.are.equal(0, status)
    assert.is_truthy(err:find("'requird' is no keyword of JSON Schema and restricts nothing; the nearest is 'required'", 1, true), err)
    assert.is_truthy(err:find("f /properties/b/type: is an unknown type", 1, true), err)
    assert.are.equal(3, select(2, err:gsub("\n", "")), err)
  end)

  it("refuses broken tools and scripts", function()
    local tools = os.tmpname()
    support.write(tools, "[{")
    local _, status, err = run("parse -s hermes --tools " .. tools, "")
    assert.are.equal(1, status)
    assert.is_truthy(err:find "the tools are not valid JSON")
    support.write(tools, "return {")
    _, status, err = run("parse -s " .. tools, "")
    assert.are.equal(1, status)
    assert.is_truthy(err:find "expected")
    os.remove(tools)
  end)

  it("finds scripts in SLUICE_PATH, and reports a broken one without stopping", function()
    local folder = support.folder()
    support.write(folder .. "/mine.lua", [[local s = require "sluice.syntax"
      return s.syntax { api = 3, name = "mine", call = { "@@", s.json() } }]])
    support.write(folder .. "/broken.lua", "return {")
    local file = os.tmpname()
    support.write(file, '@@{"name": "f", "arguments": {}}')
    local pipe = io.popen(("SLUICE_PATH=%s %s parse -s mine %s 2>&1"):format(folder, support.command, file))
    local out = pipe:read "*a"
    pipe:close()
    assert.is_truthy(out:find "broken.lua")
    assert.is_truthy(out:find '"name": "f"')
    os.execute("rm -r " .. folder .. " " .. file)
    pipe = io.popen(("SLUICE_PATH=nope %s parse -s hermes 2>&1 </dev/null"):format(support.command))
    assert.is_truthy(pipe:read("*a"):find "^sluice: nope cannot be read: .- %(see SLUICE_PATH%)\n")
    pipe:close()
  end)
end)

describe("sluice batch", function()
  local function batch(lines, arguments)
    local out = run("batch " .. (arguments or ""), table.concat(lines, "\n") .. "\n")
    local got = {}
    for line in out:gmatch "[^\n]+" do
      got[#got + 1] = json.decode(line)
    end
    return got
  end

  it("prints one line for each line, in order", function()
    local got = batch {
      json.encode { id = 1, syntax = "hermes", text = weather },
      json.encode { id = "b", syntax = "hermes", text = "x", output = "events", chunk = 1 },
      "",
      json.encode { id = 3, syntax = "hermes", text = "x</think>", start = "reasoning" },
      json.encode { id = 4, syntax = "hermes", text = "x</think>", options = { start = "reasoning", markup = true } },
      json.encode { id = 5, op = "render", syntax = "hermes", calls = sluice.json.array { { name = "f" } } },
    }
    assert.are.equal(5, #got)
    assert.are.equal("get_weather", got[1].calls[1].name)
    assert.are.equal("b", got[2].id)
    assert.are.equal("x", got[2].events[1].text)
    assert.are.equal("x", got[3].reasoning)
    assert.are.equal("x", got[4].reasoning)
    assert.are.equal('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', got[5].text)
  end)

  it("prints an error for a bad line and goes on", function()
    local got = batch({
      "nonsense", "[1]", '{"id": 1}', '{"id": 2, "syntax": "hermes"}', '{"id": 3, "syntax": "nobody", "text": "x"}',
      '{"id": 4, "syntax": "hermes", "text": "x", "tools": [{}]}', '{"id": 5, "syntax": "hermes", "text": "x", "options": {"cals": 1}}',
      '{"id": 6, "syntax": "hermes", "text": "' .. ("x"):rep(3000) .. '"}', '{"id": 7, "op": "sing", "syntax": "hermes"}',
      '{"id": 8, "op": "render", "syntax": "emoji_bracket", "calls": [{"name": "f", "arguments": {"x": 1}}]}',
      '{"id": 9, "syntax": "hermes", "text": "fine"}' }, "--max-line 2000")
    local codes = { "bad_json", "bad_line", "bad_line", "bad_line", "not_found", "bad_json", "bad_option", "line_too_long",
      "bad_line", "refused" }
    assert.are.equal(#codes + 1, #got)
    for i, code in ipairs(codes) do
      assert.are.equal(code, got[i].error.code, i)
      assert.is_true(#got[i].error.message > 0)
    end
    assert.are.equal("fine", got[11].content)
  end)

  it("reads a line with bytes that are no UTF-8", function()
    local call = '<tool_call>{\\"name\\": \\"f\\", \\"arguments\\": {\\"x\\": \\"\255\\"}}</tool_call>'
    local got = batch { '{"note": "\233", "id": 1, "syntax": "hermes", "text": "\233' .. call .. '"}',
      '{"id": "\233", "syntax": "hermes", "text": "x"}' }
    assert.are.same({ 1, "\239\191\189", "\239\191\189", "x" }, { got[1].id, got[1].content, got[2].id, got[2].content })
    assert.are.same({ nil, 0, 2 }, { got[1].errors[1].index, got[1].errors[2].index, #got[1].errors }) -- the text's, the call's
  end)

  it("refuses misspelt and invalid members, and treats null as absent", function()
    local function answer(members)
      return batch({ '{"id": 1, "syntax": "hermes", ' .. members .. "}" })[1]
    end
    local wrong = {
      { '"text": "x", "tool": []', "bad_line", "there is no member 'tool'; the nearest is 'tools'" },
      { '"text": "x", "chunk": "a"', "bad_line", "'chunk'" }, { '"text": "x", "chunk": -1', "bad_line", "'chunk'" },
      { '"text": "x", "output": "event"', "bad_line", "'output'" }, { '"text": "x", "start": "up"', "bad_option", "'start'" },
      { '"text": "x", "start": "text\\u0000"', "bad_line", "'start' contains a NUL" },
      { '"text": "x", "options": {"max_calls": -1}', "bad_option", "a whole number from 0, not -1" },
      { '"text": "x", "options": {"strict": 1}', "bad_option", "'strict' must be a boolean, not a number" },
      { '"op": "render", "calls": [{"name": "f", "args": {"a": 1}}]', "refused", "'args', which is not a member of a call" },
    }
    for _, case in ipairs(wrong) do
      local got = answer(case[1])
      assert.are.equal(case[2], got.error and got.error.code, case[1])
      assert.is_truthy(got.error.message:find(case[3], 1, true), got.error.message)
    end
    local good = answer '"text": "x", "note": "mine", "tools": null, "options": null, "start": null, "chunk": null, "output": null'
    assert.are.equal("x", good.content)
  end)

  it("runs in constant memory", function()
    if os.getenv "SLUICE_PRELOAD" then
      return -- a sanitizer keeps freed memory
    end
    local line = json.encode { id = 1, syntax = "hermes", text = weather .. ("x"):rep(20000) }
    local function peak(count)
      local timed = io.popen(("yes '%s' | head -n %d | python3 -c 'import resource,subprocess,sys;"
        .. "subprocess.run([\"%s/sluice\",\"batch\"],stdout=subprocess.DEVNULL);"
        .. "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'"):format(line:gsub("'", "'\\''"), count, support.build))
      local kilobytes = tonumber(timed:read "*a")
      timed:close()
      return kilobytes
    end
    local few, many = peak(20), peak(2000)
    assert.is_true(many < few + 2048, ("%d KB after 20 lines, %d KB after 2000"):format(few, many))
  end)
end)

describe("sluice render and list", function()
  it("render writes, and refuses with status 1", function()
    local out, status = run("render -s hermes", '[{"name": "f", "arguments": {"a": 1.10}}]')
    assert.are.equal(0, status)
    assert.are.equal('<tool_call>\n{"name": "f", "arguments": {"a": 1.10}}\n</tool_call>', out)
    assert.are.equal(out, (run("render -s hermes", (run("parse -s hermes", (out:gsub("}\n", ",%0"))))))) -- with errors
    assert.are.equal('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
      (run("render -s hermes", '[{"id": null, "type": "function", "function": {"name": "f", "arguments": ""}}]')))
    local _, failed, err = run("render -s emoji_bracket", '[{"name": "f", "arguments": {"a": 1}}]')
    assert.are.equal(1, failed)
    assert.is_truthy(err:find "has no place for the argument 'a'")
  end)

  it("list shows every syntax, also as JSON", function()
    local out = run "list"
    local listed = json.decode((run "list --json"))
    local names = {}
    for _, item in ipairs(listed) do
      names[#names + 1] = item.name
      assert.is_truthy(out:find(item.name, 1, true))
      assert.is_truthy(#item.source > 0)
    end
    assert.are.same(support.syntaxes(), names)
  end)

  it("reports that its output cannot be written", function()
    local full = io.open("/dev/full", "w")
    if not full then
      return -- Linux has it
    end
    full:close()
    for _, command in ipairs { "list", "--version", "parse -s hermes" } do
      local shell = io.popen(("echo x | %s %s 2>&1 >/dev/full; echo $?"):format(support.command, command))
      assert.is_truthy(shell:read "*a":find "^sluice: standard output cannot be written.-\n1\n$")
      shell:close()
    end
  end)

  it("has help and a version", function()
    for _, arguments in ipairs { "--help", "parse --help", "batch --help", "render --help", "list --help",
      "trace --help", "watch --help", "new --help", "check --help" } do
      local out, status = run(arguments)
      assert.are.equal(0, status)
      assert.is_truthy(out:find "^usage: sluice")
    end
    assert.are.equal("sluice " .. sluice.version .. "\n", (run "--version"))
  end)
end)

describe("sluice list", function()
  it("describes each syntax in one line, and filters", function()
    local out = run "list"
    assert.is_truthy(out:find "\nhermes +Hermes, Qwen 2%.5 and Qwen 3: a JSON object in <tool_call> tags")
    for line in (run "list glm"):gmatch "[^\n]+" do
      assert.is_truthy(line:lower():find "glm", line)
    end
    local names = {}
    for _, item in ipairs(json.decode((run "list --json deepseek"))) do
      names[item.name] = true
    end
    assert.is_true(names.deepseek_v3 and names.deepseek_v31)
    assert.is_nil(names.hermes)
    local _, status, err = run "list nothing_like_it"
    assert.are.equal(1, status)
    assert.is_truthy(err:find("nothing_like_it", 1, true))
  end)

  it("shows one in full, by its name, an alias or a model", function()
    for _, name in ipairs { "hermes", "qwen2.5", "Qwen/Qwen3-8B" } do
      local out = run("list " .. name)
      for _, part in ipairs { "^hermes %- ", "models +Qwen2%.5, Qwen3", 'tokens +"<tool_call>", "</tool_call>"', 'stop +"<|im_end|>"',
        '    {"name": "get_weather", "arguments": {"city": "Paris"}}', '=> get_weather {"city": "Paris"}' } do
        assert.is_truthy(out:find(part), out)
      end
    end
  end)

  it("lists every direction of a syntax, and where a mark goes", function()
    local out = run "list hermes"
    for _, part in ipairs { "\n  parse +streamed, whole\n", "\n  render +calls, results\n", "\n  grammar +gbnf, lark, structural%-tag\n",
      "\n  prompt +full, short, native\n", '\n  mark +"<tool_call{ mark}>", ' } do
      assert.is_truthy(out:find(part), part .. out)
    end
    out = run "list kimi_k2"
    assert.is_truthy(out:find("\n  mark +not supported\n"), out)
    out = run "list llama3_json" -- a format without a marker
    assert.is_truthy(out:find("\n  grammar +gbnf %(required only%), lark %(required only%)"), out)
    out = run "list codebuff" -- a format with fixed tools, which are used here
    assert.is_truthy(out:find("\n  grammar +gbnf, lark, structural%-tag\n") and out:find("\n  prompt +full, short\n"), out)
    local item = json.decode((run "list --json llama3_json"))[1]
    for target, choices in pairs(item.directions.grammar) do
      for _, choice in ipairs(choices) do
        local _, status = run(("grammar -s llama3_json --tools %s/examples/tools.json --to %s --option tool_choice=%s"):format(support.root,
          target, choice))
        assert.are.equal(0, status)
      end
    end
  end)

  it("prints the syntax of a model's name, and why", function()
    assert.are.equal("hermes: 'Qwen3' is in its list of models\n", (run "list -m Qwen/Qwen3-8B"))
    assert.are.same({ model = "Qwen/Qwen3-8B", syntax = "hermes", entry = "Qwen3" }, json.decode((run "list --json -m Qwen/Qwen3-8B")))
    local _, status, err = run "list -m nobody"
    assert.are.equal(1, status)
    assert.is_truthy(err:find "no syntax lists the model 'nobody'")
    _, _, err = run("parse -m Qwen/Qwen3-8B", "x")
    assert.is_truthy(err:find "hermes.-'Qwen3'")
  end)
end)

describe("the command line", function()
  it("has help for every way of asking", function()
    local out, status = run "help parse"
    assert.are.equal(0, status)
    assert.are.equal(out, (run "parse --help"))
    assert.are.equal(out, (run "parse -h"))
    assert.are.equal((run "--help"), (run "help"))
    assert.are.equal((run "--version"), (run "-V"))
    for _, name in ipairs { "parse", "batch", "render", "grammar", "prompt", "list", "trace", "watch", "new", "infer", "check" } do
      assert.is_truthy(run("help"):find("\n  " .. name .. " ", 1, true), name)
    end
    local _, failed, err = run "help prase"
    assert.are.equal(2, failed)
    assert.is_truthy(err:find "did you mean 'parse'")
    out, failed, err = run ""
    assert.are.equal(2, failed)
    assert.are.equal("", out)
    assert.is_truthy(err:find "^usage: sluice")
  end)

  it("prints half a surrogate pair as other bytes that are no UTF-8, in any chunks", function()
    for _, chunk in ipairs { 0, 1, 2 } do
      for _, output in ipairs { "result", "events", "openai-message", "openai" } do
        local out = run(("parse -s hermes --chunk %d -o %s"):format(chunk, output), "<think>\237\160\128</think>a\237\160\128b")
        assert.are.equal(6, select(2, out:gsub("\239\191\189", "")), out)
        assert.are.equal(output:find "openai" and 0 or 1, select(2, out:gsub('"invalid_utf8"', "")), out)
      end
      local out = run(("parse -s hermes --chunk %d"):format(chunk), "Hello \255 there")
      assert.is_truthy(out:find('"offset": 6', 1, true), out)
    end
    local out = run("parse -s hermes", '<tool_call>{"name": "g\237\160\128", "arguments": {}}</tool_call>')
    assert.is_truthy(out:find('"name": "g' .. ("\239\191\189"):rep(3) .. '".*"invalid_utf8"'), out)
  end)

  it("has the status 1 if the response is none of the server's", function()
    for _, output in ipairs { "result", "events" } do
      assert.are.equal(1, select(2, run("parse -s hermes --from openai -o " .. output, '{"detail": "x"}')))
      local good = 'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: {}\n\n'
      assert.are.equal(0, select(2, run("parse -s hermes --from openai -o " .. output, good)))
    end
  end)

  local refused = {
    { "parse -s hermes --option strict", "NAME=VALUE" },
    { "parse -s hermes -e", "needs %-%-tools" },
    { "parse -s hermes -e --tools examples/tools.json -o openai", "needs %-o result" },
    { "infer", "missing arguments" },
    { "check", "missing argument" },
    { "watch", "missing arguments" },
    { "render -s hermes a b", "unexpected argument 'b'" },
    { "parse -s hermes -m Qwen3", "can not be used together" },
    { "render -m Qwen3 -s hermes", "can not be used together" },
    { "parse -s hermes -x", "unknown option '%-x'" },
    { "parse -s hermes --chunk=-1", "%-%-chunk must be a number" },
    { "parse -s hermes --chunk -1", "unknown option '%-1'" },
    { "parse -s hermes --option limit_depth=9999", "'limit_depth' must be at most 1024, not 9999" },
    { "list hermse", "the nearest is 'hermes'", 1 },
    { "parse -s hermes -o evnts", "'%-o' must be one of .*'events'" },
    { "batch --max-line 0", "%-%-max%-line must be a number" },
    { "new a b", "too many arguments" },
    { "new", "missing argument" },
    { "grammar -s hermes", "no tools given" },
    { "watch /no/script.lua /no/sample", "/no/script.lua cannot be read", 1 },
    { "watch syntaxes/hermes.lua /no/sample", "cannot be read", 1 },
  }
  for _, case in ipairs(refused) do
    it("refuses in a sentence: " .. case[1], function()
      local out, status, err = run(case[1], "")
      assert.are.equal(case[3] or 2, status)
      assert.are.equal("", out)
      assert.is_truthy(err:find(case[2]), err)
      assert.are.equal(1, select(2, err:gsub("\n", "")))
    end)
  end

  it("names the files of several results, and goes on after an unreadable one", function()
    local folder = support.folder()
    support.write(folder .. "/a", "one")
    support.write(folder .. "/b", weather)
    local out, status, err = run(("parse -s hermes %s/a /no/file %s/b"):format(folder, folder))
    assert.are.equal(1, status)
    assert.is_truthy(err:find "/no/file cannot be read")
    local results = {}
    for line in out:gmatch "[^\n]+" do
      results[#results + 1] = json.decode(line)
    end
    assert.are.same({ folder .. "/a", folder .. "/b" }, { results[1].file, results[2].file })
    assert.are.equal("one", results[1].content)
    assert.are.equal("get_weather", results[2].calls[1].name)
    for line in run(("parse -s hermes -o events %s/a %s/b"):format(folder, folder)):gmatch "[^\n]+" do
      assert.is_truthy(json.decode(line).file:find(folder, 1, true), line)
    end
    assert.is_nil(json.decode((run(("parse -s hermes %s/a"):format(folder)))).file)
    os.execute("rm -r " .. folder)
  end)

  it("reports input that is not of the given form", function()
    for _, from in ipairs { "openai", "anthropic", "ollama" } do
      local _, status, err = run("parse -s hermes -o result --chunk 1 --from " .. from, "Hi there")
      assert.are.equal(1, status)
      assert.is_truthy(err:find("standard input (--from " .. from .. "): ", 1, true), err)
    end
    local body = '{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'
    local out, _, err = run("parse -s hermes --from openai --chunk 1", "\239\187\191" .. body)
    assert.are.equal("", err)
    assert.is_truthy(out:find('"content": "Hi"', 1, true))
    for text, expected in pairs { [body] = 0, ["\n\ndata: [DONE]\n\n"] = 0, [": comment\n\n"] = 1, [""] = 1, ['{"a": 1}'] = 1,
      ['{"error": {"message": "no model"}}'] = 1 } do
      for _, form in ipairs { "result", "events", "openai", "anthropic", "ollama", "openai-message" } do
        local _, status, said = run("parse -s hermes --from openai -o " .. form, text)
        assert.are.equal(expected, status, form .. ": " .. text)
        assert.are.equal(expected == 1, said ~= "", form .. ": " .. text)
      end
    end
  end)

  it("fails with -e unless there is a call and all calls are valid", function()
    local folder = support.folder()
    support.write(folder .. "/tools", '[{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}]')
    local good = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    local bad = '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>'
    local function status(text, more)
      return (select(2, run(("parse -s hermes -e --tools %s/tools %s"):format(folder, more), text)))
    end
    local function body(text)
      return json.encode { choices = { { message = { content = text }, finish_reason = "stop" } } }
    end
    for _, form in ipairs { "-o result", "-o events", "-o pretty", "-o result --chunk 1" } do
      for text, expected in pairs { [good] = 0, [good .. "\n" .. good] = 0, ["Hi"] = 1, [bad] = 1, [good .. "\n" .. bad] = 1,
        [good:sub(1, -20)] = 1, [""] = 1 } do
        assert.are.equal(expected, status(text, form), form .. ": " .. text)
        if form == "-o result" then
          assert.are.equal(expected, status(body(text), "--from openai"), text)
        end
      end
    end
    support.write(folder .. "/good", good)
    support.write(folder .. "/bad", bad)
    assert.are.equal(1, status("", ("%s/bad %s/good"):format(folder, folder)))
    assert.are.equal(0, (select(2, run(("parse -s hermes --tools %s/tools %s/bad"):format(folder, folder)))))
    os.execute("rm -r " .. folder)
  end)

  it("names a script of the current folder that has the name", function()
    local folder = support.folder()
    support.write(folder .. "/mine.lua", support.read(support.root .. "/syntaxes/hermes.lua"))
    for _, name in ipairs { "mine", "mine.lua" } do
      local handle = io.popen(("command=$(realpath %s); cd %s && $command parse -s %s 2>&1 </dev/null"):format(
        support.command, folder, name))
      local out = handle:read "*a"
      handle:close()
      assert.is_truthy(name == "mine.lua" or out:find("./mine.lua exists: -s ./mine.lua", 1, true), out)
    end
    os.execute("rm -r " .. folder)
  end)

  it("writes a response as one message", function()
    local message = json.decode((run("parse -s hermes -o openai-message", "<think>\nhm\n</think>\n\n" .. weather)))
    assert.are.equal("assistant", message.role)
    assert.are.equal("Hi ", message.content)
    assert.are.equal("hm", message.reasoning_content)
    assert.are.equal("function", message.tool_calls[1].type)
    assert.are.equal("get_weather", message.tool_calls[1]["function"].name)
    assert.are.equal('{"id": 9007199254740993}', message.tool_calls[1]["function"].arguments)
    message = json.decode((run("parse -s hermes -o openai-message", weather:match "^.-9007")))
    assert.is_nil((json.decode(message.tool_calls[1]["function"].arguments))) -- half a call is not run
    message = json.decode((run("parse -s hermes -o openai-message", "only text")))
    assert.are.equal("only text", message.content)
    assert.is_nil(message.tool_calls)
  end)

  it("finds a call after a byte order mark", function()
    local bom = "\239\187\191"
    for _, case in ipairs { { "json", '{"name": "f", "arguments": {}}' }, { "pythonic", "[f(x=1)]" }, { "llama3_json",
      '{"name": "f", "parameters": {}}' }, { "hermes", '<tool_call>{"name": "f", "arguments": {}}</tool_call>' } } do
      for chunk = 0, 4 do
        local result = json.decode((run(("parse -s %s --chunk %d"):format(case[1], chunk), bom .. case[2])))
        assert.are.equal("f", result.calls[1] and result.calls[1].name, case[1])
        assert.are.equal(json.null, result.content)
      end
    end
    local out = run("trace -s json", bom .. '{"name": "f", "arguments": {}}')
    assert.is_truthy(out:find "^markup +0%-13 ")
    local got = run("batch", bom .. json.encode { id = 1, syntax = "hermes", text = "x" } .. "\n")
    assert.are.equal("x", json.decode(got).content)
    assert.is_truthy(run("render -s hermes", bom .. '[{"name": "f"}]'):find '"name": "f"')
  end)
end)

describe("sluice batch", function()
  it("accepts names and aliases; paths only if allowed, and only regular files", function()
    local folder = support.folder()
    os.execute("mkfifo " .. folder .. "/fifo.lua")
    support.write(folder .. "/large.lua", ("-"):rep(17 * 1024 * 1024))
    local path = support.root .. "/syntaxes/hermes.lua"
    local lines = {}
    for i, name in ipairs { "hermes", "qwen2.5", "auto", "auto:hermes,qwen2.5", path, "auto:mistral," .. path, "here.lua", "/dev/zero",
      folder .. "/fifo.lua", folder .. "/large.lua", folder } do
      lines[i] = json.encode { id = i, syntax = name, text = weather }
    end
    local function answers(arguments)
      local out = {}
      for line in run("batch " .. arguments, table.concat(lines, "\n")):gmatch "[^\n]+" do
        local got = json.decode(line)
        out[#out + 1] = got.error and got.error.code or got.calls[1].name
      end
      return out
    end
    local good, none = "get_weather", "not_found"
    assert.are.same({ good, good, good, good, none, none, none, none, none, none, none }, answers "")
    local allowed = answers "--allow-paths"
    assert.are.same({ good, good, good, good, good, good }, { table.unpack(allowed, 1, 6) })
    for i = 7, 11 do
      assert.are_not.equal(good, allowed[i])
    end
    os.execute("rm -r " .. folder)
  end)

  it("accepts a text in pieces, some of them special tokens", function()
    local call = '{"name": "f", "arguments": {"x": "\\u00e9"}}'
    local function answer(pieces, options, more)
      local line = { id = 1, syntax = "hermes", pieces = json.array(pieces), options = options,
        tools = json.decode(support.tools "f") }
      for key, value in pairs(more or {}) do
        line[key] = value
      end
      return json.decode((run("batch", json.encode(line))))
    end
    local function a(...)
      return json.array { ... }
    end
    local pieces = { a "say <tool_call>{ ", a("<tool_call>", "special"), a(call:sub(1, 9)), a(call:sub(10)), a("</tool_call>", "special") }
    for _, chunk in ipairs { 0, 1, 3 } do
      local got = answer(pieces, { special = "tokens" }, { chunk = chunk })
      assert.are.equal("say <tool_call>{ ", got.content)
      assert.are.equal("f", got.calls[1].name)
      assert.is_true(got.calls[1].valid)
    end
    assert.are.equal("call_begin", answer(pieces, { special = "tokens" }, { output = "events" }).events[3].type) -- behind leaked_markup
    assert.are.equal(0, #answer({ a("<tool_call>" .. call .. "</tool_call>") }, { special = "tokens" }).calls)
    assert.are.equal(1, #answer({ a("<tool_call>" .. call .. "</tool_call>") }).calls)
    -- nor does what stands in it, as if its opener were lost
    local quoted = a "See:\n<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>"
    assert.are.equal(0, #answer({ quoted }, { special = "tokens" }, { syntax = "qwen3_coder" }).calls)
    local function given(...) -- a value in tokens
      local line = { a("<tool_call>", "special"), a "f\n", a("<arg_key>", "special"), a "x", a("</arg_key>", "special"), a "\n",
        a("<arg_value>", "special") }
      for _, piece in ipairs { ... } do
        line[#line + 1] = piece
      end
      line[#line + 1], line[#line + 2], line[#line + 3] = a("</arg_value>", "special"), a "\n", a("</tool_call>", "special")
      return answer(line, { special = "tokens" }, { syntax = "glm45" }).calls[1]
    end
    local plain = given(a "end it with </arg_value> <", a "arg_key>")
    assert.is_true(plain.valid)
    assert.are.equal("end it with </arg_value> <arg_key>", plain.arguments.x)
    assert.is_false(given(a "end it with ", a("<arg_key>", "special"), a " </arg_value>").valid)
    local token = a("]<]minimax[>[", "special") -- begins literals; `auto` knows others' tokens in them
    local read = answer({ token, a "<tool_call>\n", token, a '<invoke name="f">', token, a "<x>1", token, a "</x>", token, a "</invoke>\n",
      token, a "</tool_call>" }, { special = "tokens" }, { syntax = "auto" })
    assert.is_true(read.calls[1].valid)
    for _, wrong in ipairs { { a(1) }, { a("x", "y") }, { "x" }, { a() } } do
      assert.are.equal("bad_line", answer(wrong).error.code)
    end
    assert.are.equal("bad_line", answer({}, nil, { pieces = { x = 1 } }).error.code)
    assert.are.equal("bad_line", answer({ a "x" }, nil, { text = "y" }).error.code)
  end)

  it("shares nothing between different lines", function()
    local tool = { { type = "function", ["function"] = { name = "g", parameters = { type = "object", properties = {} } } } }
    local lines, wanted = {}, {}
    for i = 1, 30 do
      local line = { id = i, syntax = i % 2 == 0 and "hermes" or "qwen3", text = weather, tools = i % 3 == 0 and json.array(tool) or nil,
        options = i % 5 == 0 and { calls_in_reasoning = "text" } or nil, start = i % 7 == 0 and "reasoning" or nil }
      lines[i] = json.encode(line)
      local alone = json.decode((run("batch", lines[i])))
      wanted[i] = { #alone.calls, #alone.errors, alone.reasoning, alone.content }
    end
    local i = 0
    for line in run("batch", table.concat(lines, "\n")):gmatch "[^\n]+" do
      i = i + 1
      local got = json.decode(line)
      assert.are.same(wanted[i], { #got.calls, #got.errors, got.reasoning, got.content })
    end
    assert.are.equal(30, i)
  end)
end)

describe("tools", function()
  local schema = { type = "object", properties = { x = { type = "integer" } }, required = json.array { "x" } }
  local text = '<tool_call>{"name": "f", "arguments": {"x": "no"}}</tool_call>'
  local name = os.tmpname()
  teardown(function()
    os.remove(name)
  end)

  local function parse(tools)
    support.write(name, type(tools) == "string" and tools or json.encode(tools))
    return run("parse -s hermes --tools " .. name, text)
  end

  it("are accepted in all forms of hosts", function()
    local forms = {
      openai = json.array { { type = "function", ["function"] = { name = "f", parameters = schema } } },
      responses = json.array { { type = "function", name = "f", parameters = schema } },
      anthropic = json.array { { name = "f", description = "d", input_schema = schema } },
      mcp = json.array { { name = "f", title = "F", inputSchema = schema } },
      mcp_answer = { tools = json.array { { name = "f", inputSchema = schema } } },
      plain = json.array { { name = "f", parameters = schema } },
      request = { model = "m", functions = json.array { { name = "f", parameters = schema } } },
      gemini = json.array { { functionDeclarations = json.array { { name = "f", parameters = schema } } } },
      bedrock = { toolConfig = { tools = json.array { { toolSpec = { name = "f", inputSchema = { json = schema } } } } } },
    }
    for form, tools in pairs(forms) do
      local out = parse(tools)
      assert.is_truthy(out:find("schema_mismatch", 1, true), form .. ": " .. out)
      local prompt = run("prompt -s hermes --option variant=native --tools " .. name)
      assert.is_truthy(prompt:find('"name": "f"', 1, true) and prompt:find('"type": "function"', 1, true), form .. ": " .. prompt)
      assert.is_truthy(prompt:find('"parameters": {"', 1, true), form .. ": " .. prompt)
    end
    assert.is_truthy(sluice.parse("hermes", text, { tools = forms.anthropic }).errors[1])
  end)

  it("are accepted with Gemini's type names", function()
    local declaration = [[{"name": "f", "parameters": {"type": "OBJECT", "required": ["id"], "properties": {
      "id": {"type": "INTEGER"}, "type": {"type": "STRING", "enum": ["STRING"]}, "none": {"type": "NUMBER", "nullable": true},
      "list": {"type": "ARRAY", "items": {"anyOf": [{"type": "BOOLEAN"}, {"type": "OBJECT", "properties": {"a": {"type": "NULL"}}}]}}}}}]]
    support.write(name, '[{"functionDeclarations": [' .. declaration .. "]}]")
    local function errors_of(arguments)
      local result = json.decode((run("parse -s hermes --tools " .. name,
        '<tool_call>\n{"name": "f", "arguments": ' .. arguments .. "}\n</tool_call>")))
      assert.are.equal(not result.errors[1], result.calls[1].valid)
      return result.errors[1] and result.errors[1].message
    end
    assert.is_nil(errors_of '{"id": 1, "type": "STRING", "none": null, "list": [true, {"a": null}]}')
    assert.is_nil(errors_of '{"id": 1, "none": 1.5}')
    assert.are.equal("/id is a string, not INTEGER", errors_of '{"id": "x"}')
    assert.is_truthy(errors_of '{"id": 1, "type": "string"}')
    assert.is_truthy(errors_of '{"id": 1, "list": [{"a": 1}]}')
    assert.is_truthy((run("prompt -s hermes --option variant=native --tools " .. name)):find('"type": "object"', 1, true))
  end)

  it("are accepted with type names of programming languages; unknown types are not checked", function()
    local members = [["v": {"type": "float"}, "n": {"type": ["int", "null"]}, "s": {"type": "str"}, "l": {"type": "list[str]",
      "items": {"type": "String"}}, "x": {"type": "Vector"}, "d": {"type": "dict"}]]
    local function tools(form)
      return ('[{"type": "function", "%s": {"name": "f", "parameters": {"type": "dict", "properties": {%s}}}}]'):format(form, members)
    end
    for _, given in ipairs { tools "function", json.decode(tools "function") } do
      for _, case in ipairs { { '{"v": 7.5, "n": 3, "s": "7", "l": ["a"], "d": {}}', true },
        { '{"v": 1, "n": null}', true }, { '{"x": "1"}', false }, -- schema_unchecked
        { '{"v": "1"}', false }, { '{"n": 1.5}', false }, { '{"s": 7}', false }, { '{"l": [1]}', false }, { '{"d": []}', false } } do
        local block = ('<tool_call>\n{"name": "f", "arguments": %s}\n</tool_call>'):format(case[1])
        local result = sluice.parse("hermes", block, { tools = given })
        assert.are.equal(case[2], result.calls[1].valid, case[1])
      end
      local tags = "<tool_call>\n<function=f>\n<parameter=s>\n7\n</parameter>\n<parameter=n>\n7\n</parameter>\n</function>\n</tool_call>"
      assert.are.same({ s = "7", n = 7 }, json.decode(sluice.parse("qwen3_coder", tags, { tools = given }).calls[1].arguments))
      assert.is_truthy(sluice.grammar("hermes", given, "gbnf"))
      assert.is_truthy(sluice.prompt("hermes", given):find('"n": {"type": ["integer", "null"]}', 1, true))
    end
  end)

  it("are refused by name if their parameters cannot be found", function()
    for tools, why in pairs {
      ['[{"name": "f", "schema": {}}]'] = "tool 1, 'f': it has 'schema'",
      ['[{"name": "a", "parameters": {}}, {"name": "f", "properties": {}}]'] = "tool 2, 'f': it has 'properties'",
      ['[{"name": "f", "parameters": "none"}]'] = "tool 1, 'f': its 'parameters' must be a JSON schema",
      ['[{"function": {"name": "f"}, "parameters": {"type": "object"}}]'] = "tool 1, 'f': its parameters stand beside",
      ['[{"function": {"name": "f", "parameters": {}}, "parameters": {"type": "object"}}]'] = "it has two different schemas",
      ['[{"function": {"name": "f", "parameters": {}}, "input_schema": {"type": "object"}}]'] = "it has two different schemas",
      ['[{"name": "f", "parameters": "none", "input_schema": {}}]'] = "its 'parameters' must be a JSON schema",
      ['[{"name": "f", "parameters": {}, "input_schema": {"type": "object"}}]'] = "it has 'parameters' and 'input_schema', which differ",
      ['[{"function": {"name": "f"}, "schema": {}}]'] = "tool 1, 'f': it has 'schema'",
      ['[{"name": "f", "PARAMETERS": {"type": "object"}}]'] = "tool 1, 'f': it has 'PARAMETERS'",
      ['[{"name": "f", "custom": {"parameters": {}}}]'] = "tool 1, 'f': it has 'custom'",
      ['[{"toolSpec": {"name": "f", "inputSchema": {"json": "{}"}}}]'] = "tool 1, 'f': its 'inputSchema' must be a JSON schema",
      ['[{"type": "web_search_20250305", "name": "web_search"}]'] = "tool 1, 'web_search'",
      ["[1]"] = "tool 1 is not an object", ['{"a": 1}'] = "not an array", ['"x"'] = "not an array", ["[{}]"] = "tool 1 has no name",
    } do
      local out, status, err = parse(tools)
      assert.are.equal(1, status)
      assert.are.equal("", out)
      assert.is_truthy(err:find(why, 1, true), err)
    end
    assert.are.equal(0, (select(2, parse '[{"name": "f"}, {"name": "g", "parameters": null}, {"name": "h", "parameters": []}]')))
    assert.are.equal(0, (select(2, parse [=[[{"name": "f", "parameters": {"type": "object", "properties": {}},
      "input_schema": {"properties": {}, "type": "object"}, "inputSchema": {"json": {"type": "object", "properties": {}}}}]]=])))
  end)
end)

describe("at a terminal", function()
  if os.getenv "SLUICE_PRELOAD" then
    return -- Python must not run under a sanitizer
  end

  -- The output to a terminal, with its line ends normalised.
  local function seen(arguments, input)
    local base = os.tmpname()
    support.write(base, input or "")
    local handle = io.popen(("python3 %s/tests/spec/on_terminal.py %s %s <%s"):format(support.root, support.command, arguments, base))
    local out = handle:read "*a"
    handle:close()
    os.remove(base)
    return (out:gsub("\r\n", "\n"))
  end

  it("a response is laid out, or printed as JSON on request", function()
    local text = "<think>\nhm\n</think>\n\nI look.\n<tool_call>\n"
      .. '{"name": "f", "arguments": {"city": "Oslo", "list": [1, {"a": null}], "text": "a\\nb"}}\n</tool_call>'
    local out = seen("parse -s hermes", text)
    assert.are.equal("hm\nI look.\n> f (not checked: no tools)\n    city: Oslo\n    list:\n      - 1\n      -\n        a: null\n    text:\n"
      .. "      a\n      b\n", (out:gsub("\27%[[%d;]*m", "")))
    assert.is_truthy(out:find("\27[3;90mhm\27[0m", 1, true))
    assert.are.equal("I look.\n", json.decode((seen("parse -s hermes -o result", text))).content)
    assert.are.equal(out, (run("parse -s hermes -o pretty --color always", text)))
    assert.are.equal("reasoning:\n  hm\n  so\nI look.\n", (run("parse -s hermes -o pretty --chunk 1",
      "<think>\nhm\nso\n</think>\n\nI look.\n")))
    assert.are.equal("reasoning:\n  hm\n", (seen("parse -s hermes --color never", "<think>\nhm\n</think>\n")))
    out = seen("parse -s hermes", '<tool_call>{"name": "f", "arguments": {"a": 1, "a": 2')
    assert.is_truthy(out:find "> f.-%(incomplete.-%).-\n  .-! unfinished_call: ", out)
    local call = '<tool_call>{"name": "f", "arguments": %s}</tool_call>'
    local whole, last = call:format "{}", "! in doubt: the first 2 calls are incomplete in a result, because of the damage after that\n"
    for _, case in ipairs { { call:format '{"a": 1 b": 2}', last }, { '<tool_call>{"name": "f", "arguments": {"a": 1', nil } } do
      out = run("parse -s hermes -o pretty", whole .. whole .. case[1])
      assert.are.equal(case[2], out:match "! in doubt.*")
    end
  end)

  it("the list has headings on a terminal", function()
    local handle = io.popen(("python3 %s/tests/spec/on_terminal.py %s list --color never </dev/null"):format(
      support.root, support.command))
    local out = handle:read("*a"):gsub("\r\n", "\n")
    handle:close()
    local first, second = out:find "^model %(%d+%)\n", out:find "\nagent %(%d+%)\n"
    assert.is_truthy(first and second and out:find "\nhermes" < second and out:find "\nreact" > second)
    local plain = run "list"
    assert.is_nil(plain:find "\27")
    assert.is_nil(plain:find "^model")
    assert.is_truthy(plain:find "hermes" < plain:find "react")
  end)

  it("a rendered text ends its line", function()
    local calls = '[{"name": "f", "arguments": {}}]'
    assert.are.equal(run("render -s hermes", calls) .. "\n", seen("render -s hermes", calls))
  end)

  -- These must not reach a terminal: ESC (except in our own colours), C1, DEL, changes of direction.
  local evil = "\27[31m \194\155\127 \226\128\174 \155 \8"
  local function harmless(out, what)
    out = out:gsub("\27%[[%d;]*m", ""):gsub("\27%[H\27%[2J\27%[3J", "")
    for _, bad in ipairs { "\27", "\194[\128-\159]", "\127", "\226\128[\170-\174]", "\8" } do
      assert.is_nil(out:find(bad), what .. ": " .. ("%q"):format(out))
    end
    assert.is_truthy(utf8 == nil or utf8.len(out), what)
  end

  it("outside text cannot control it", function()
    local call = '<tool_call>{"name": "f\\u001b[31m\\u009b\\u007f", "arguments": {"x": "' .. evil .. '", "x": 1}}</tool_call>'
    local input = evil .. call
    for _, arguments in ipairs { "parse -s hermes", "parse -s hermes -o result", "parse -s hermes -o events", "parse -s hermes -o openai",
      "parse -s hermes -o openai-message", "trace -s hermes", "trace -s hermes --color never",
      "trace -s hermes --explain", "parse -s hermes --from openai" } do
      local out = seen(arguments, input)
      harmless(out:gsub("\27%[31m ", "BAD\27E"), arguments)
    end
    for _, arguments in ipairs { "parse -s", "list", "parse -s hermes", "check", "trace --color", "watch", "help", "infer", "list -m" } do
      local quoted = "'" .. evil .. "'"
      local out, _, err = run(arguments .. " " .. quoted, "")
      harmless(out .. err, arguments) -- even without a terminal: logs are read on one
      harmless(seen(arguments .. " " .. quoted), arguments)
    end
    harmless(seen("render -s hermes", '[{"name": "f", "arguments": {"x": "\194\155\127"}}]'), "render")
    harmless(seen("batch", json.encode { id = "\194\155\127", syntax = "hermes", text = input } .. "\n" .. '{"id": "\127"}\n'), "batch")
    harmless((run("trace -s hermes", input)), "trace, no terminal")
    harmless((run("trace -s hermes --color always", input):gsub("\27%[31m ", "BAD\27E")), "trace in colours")
  end)
end)

describe("a script that never ends", function()
  local folder, path = os.tmpname() .. ".d"
  path = folder .. "/endless.lua"
  local loads = "while true do end"
  local writes = 'return s.syntax { api = 3, name = "endless", models = { "X" }, source = "https://x.y", call = { at = "line", '
    .. 's.lines("<c>", function() return false end, function() while true do end end) }, examples = { { text = "x", calls = {} } } }'

  setup(function()
    os.execute("mkdir " .. folder)
  end)
  teardown(function()
    os.execute("rm -r " .. folder)
  end)

  it("ends when it is loaded by sluice check", function()
    support.write(path, loads)
    local out, status = run("check " .. path .. " 2>&1")
    assert.are.equal(1, status)
    assert.is_truthy(out:find("endless.lua:1: the script used", 1, true))
  end)

  it("does not keep infer from its samples", function()
    support.write(path, loads)
    support.write(folder .. "/sample", weather)
    local pipe = io.popen(("SLUICE_PATH=%s %s infer %s/sample 2>&1"):format(folder, support.command, folder))
    local out = pipe:read "*a"
    pipe:close()
    assert.is_truthy(out:find("endless.lua:1: the script used", 1, true))
    assert.is_truthy(out:find("this is `hermes`", 1, true))
  end)

  it("is shown by the check first, with its line", function()
    for _, loop in ipairs { "while true do end", "l.line() l.call 'f' while l.peek() do l.value('x', '') end" } do
      support.write(path, (writes:gsub("return false", "\n%0"):gsub("return false", loop):gsub('"x", c', '"<c>\\n1", c')))
      local out, status = run("check " .. path .. " 2>&1")
      assert.are.equal(1, status)
      assert.is_truthy(out:find "WRONG   example 1, [^\n]+\n[^\n]*endless%.lua:2: ", out)
    end
  end)

  it("ends the check when its seconds are over, and says how to allow more", function()
    support.write(path, writes)
    local out, status = run("check --seconds 1 " .. path .. " 2>&1")
    assert.are.equal(1, status)
    assert.is_truthy(out:find("processor time limit exceeded; --seconds raises it", 1, true))
  end)

  it("is seen on a terminal after two seconds", function()
    support.write(path, writes)
    local out = io.popen(("python3 -c 'import pty,sys; pty.spawn(sys.argv[1:])' %s check --seconds 3 %s"):format(support.command, path))
      :read "*a"
    assert.is_truthy(out:find("sluice: 2 s ...", 1, true))
    assert.is_truthy(out:find("processor time limit exceeded", 1, true))
  end)
end)
