--- The command, as a shell uses it.

local sluice = require "sluice"
local support = require "support"

local run, json = support.run, sluice.json
local weather = 'Hi <tool_call>\n{"name": "get_weather", "arguments": {"id": 9007199254740993}}\n</tool_call>'

describe("sluice parse", function()
  it("prints one result object a response", function()
    local out, status = run("parse -s hermes", weather)
    assert.are.equal(0, status)
    assert.are.equal(1, select(2, out:gsub("\n", "")))
    assert.is_truthy(out:find('"arguments": {"id": 9007199254740993}', 1, true))
    local result = json.decode(out)
    assert.are.equal("Hi ", result.content)
    assert.are.equal(json.null, result.reasoning)
    assert.are.equal("get_weather", result.calls[1].name)
    assert.are.equal(0, result.calls[1].index)
    assert.are.equal("complete", result.calls[1].status)
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

  it("is a filter between wire formats, as their bytes arrive", function()
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
    assert.are.equal('{"x": "', receive().delta.tool_calls[1]["function"].arguments)
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

  it("writes text and wire formats as each other", function()
    local text = 'Hi <tool_call>{"name": "f", "arguments": {"x": 9007199254740993,\n"y": 1}}</tool_call>'
    local direct = support.run("parse -s hermes", text):gsub('"call_%w+"', "ID")
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

  it("gives the same for every chunk size, and takes options", function()
    local wanted = run("parse -s hermes --option markup=true", weather):gsub('"call_%w+"', "")
    for _, chunk in ipairs { 1, 2, 5, 1000 } do
      assert.are.equal(wanted, (run("parse -s hermes --option markup=true --chunk " .. chunk, weather):gsub('"call_%w+"', "")))
    end
    assert.is_truthy(run("parse -s hermes --start reasoning", "x</think>y"):find '"reasoning": "x"')
    assert.is_truthy(run("parse -m Qwen/Qwen3-8B", weather):find "get_weather")
  end)

  it("takes zero bytes, NUL bytes, bad UTF-8 and very long lines", function()
    assert.are.equal('{"content": null, "reasoning": null, "calls": [], "errors": []}\n', (run("parse -s hermes", "")))
    local result = json.decode((run("parse -s hermes", "a\0b\255")))
    assert.are.equal("a\0b\239\191\189", result.content)
    local long = ("x"):rep(20 * 1024 * 1024)
    local out = run("parse -s hermes", long)
    assert.is_true(#out > #long)
  end)

  local refused = {
    { "parse -s hermse", "there is no syntax 'hermse'; the nearest is 'hermes'" },
    { "parse", "which syntax%?" },
    { "parse -m nobody", "no syntax names a model like 'nobody'" },
    { "parse -s hermes /no/such/file", "/no/such/file cannot be read: No such file" },
    { "parse -s hermes /", "/ cannot be read" },
    { "parse -s hermes --tools /no/tools", "/no/tools cannot be read" },
    { "parse -s hermes --sintax x", "there is no option 'sintax'; the nearest is 'syntax'" },
    { "parse -s hermes --option strickt=true", "there is no stream option 'strickt'; the nearest is 'strict'" },
    { "parse -s hermes --option strict=maybe", "the option 'strict' is true or false" },
    { "parse -s hermes --option calls=late", "the option 'calls' is" },
    { "parse -s hermes --chunk x", "%-%-chunk is a number" },
    { "parse -s hermes -o xml", "there is no output form 'xml'" },
    { "parse -s hermes --from opena", "there is no input form 'opena'; the nearest is 'openai'" },
    { "parse -s hermes -o openai --start up", "the option 'start' is" },
    { "parse -s", "needs a value" },
    { "prase", "there is no command 'prase'; the nearest is 'parse'" },
    { "parse -s /no/script.lua", "/no/script.lua cannot be read" },
  }
  for _, case in ipairs(refused) do
    it("refuses in a sentence: " .. case[1], function()
      local out, status, err = run(case[1], "")
      assert.are.equal(1, status)
      assert.are.equal("", out)
      assert.is_truthy(err:find(case[2]), err)
    end)
  end

  it("refuses broken tools and scripts", function()
    local tools = os.tmpname()
    support.write(tools, "[{")
    local _, status, err = run("parse -s hermes --tools " .. tools, "")
    assert.are.equal(1, status)
    assert.is_truthy(err:find "the tools are no JSON")
    support.write(tools, "return {")
    _, status, err = run("parse -s " .. tools, "")
    assert.are.equal(1, status)
    assert.is_truthy(err:find "expected")
    os.remove(tools)
  end)

  it("finds scripts in SLUICE_PATH, and reports a broken one without stopping", function()
    local folder = support.folder()
    support.write(folder .. "/mine.lua", [[local s = require "sluice.syntax"
      return s.syntax { api = 2, name = "mine", call = { "@@", s.object() } }]])
    support.write(folder .. "/broken.lua", "return {")
    local file = os.tmpname()
    support.write(file, '@@{"name": "f", "arguments": {}}')
    local pipe = io.popen(("SLUICE_PATH=%s %s parse -s mine %s 2>&1"):format(folder, support.command, file))
    local out = pipe:read "*a"
    pipe:close()
    assert.is_truthy(out:find "broken.lua")
    assert.is_truthy(out:find '"name": "f"')
    os.execute("rm -r " .. folder .. " " .. file)
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

  it("answers line by line, in order", function()
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

  it("answers bad lines with an error and goes on", function()
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

  it("runs in constant memory", function()
    if os.getenv "SLUICE_PRELOAD" then
      return -- a sanitizer keeps what was freed
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
