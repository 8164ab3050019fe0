--- Calls that are damaged in one place: either the call is not valid, or it is the call that was meant.

local sluice = require "sluice"

local support = require "support"

local tools = [[ [{ "type": "function", "function": { "name": "write_file", "parameters": { "type": "object", "properties": {
  "path": { "type": "string" }, "content": { "type": "string" }, "mode": { "type": "integer" },
  "tags": { "type": "array", "items": { "type": "string" } }, "options": { "type": "object" } }, "required": ["path"] } } }] ]]

local function hermes(arguments)
  return '<tool_call>\n{"name": "write_file", "arguments": ' .. arguments .. "}\n</tool_call>"
end

local function only(syntax, text, options)
  local result = sluice.parse(syntax, text, options or { tools = tools })
  assert.are.equal(1, #result.calls, text)
  return result.calls[1], result
end

-- Asserts that the call is not valid, that an error says why, and that chunking does not matter.
local function told(syntax, text)
  local call, result = only(syntax, text)
  assert.is_false(call.valid, text .. " gives " .. call.arguments)
  local found = false
  for _, e in ipairs(result.errors) do
    found = found or e.index == 1
  end
  assert.is_true(found, text)
  local stream, last = sluice.stream(syntax, { tools = tools }), nil
  local function take(events)
    for event in events do
      last = event.type == "call_end" and event or last
    end
  end
  for i = 1, #text do
    take(stream:feed(text:sub(i, i)))
  end
  take(stream:finish())
  assert.is_false(last.valid, text)
end

describe("an unescaped quote inside a string", function()
  it("makes the call not valid, whatever follows it", function()
    for _, arguments in ipairs {
      '{"path": "a", "content": "x = {"a": 1}"}', '{"path": "a, "content": "b"}', '{"path": "a", "content": "a" + "b"}',
      '{"path": "a\', "content": "b"}', [[{"path": "a\", "content": "b"}]], '{"path": "a", "content": "say "hi": yes"}',
      '{"path": "a", "tags": ["b"c", "d"]}', '{"path": "a", "tags": ["b", c"d"]}', '{"path": "a", "options": {"k": "{"m": 1}}}',
    } do
      told("hermes", hermes(arguments))
    end
  end)
  it("is in doubt, too, if only a comma is missing", function()
    for _, arguments in ipairs {
      '{"path": "a" "content": "b"}', '{"path": "a"\n"content": "b"}', '{"path": "a", "mode": 1 "content": "b"}',
      "{'path': 'a' 'content': 'b'}", '{"path": "a", "tags": ["b" "c"]}', '{"path": "a", "mode": 1 content: "b"}',
    } do
      told("hermes", hermes(arguments))
    end
  end)
  it("does not change a value in a tag", function()
    told("qwen3_coder", '<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n'
      .. '<parameter=options>\n{"k": "x = {"a": 1}"}\n'
      .. "</parameter>\n</function>\n</tool_call>")
  end)
end)

describe("a brace that closes the arguments too soon", function()
  it("makes the call not valid, in formats with and without a closer", function()
    local arguments = {
      '{"path": "a"}, "content": "b"}', '{"path": "a",} "content": "b"}', '{}"path": "a"}',
      '{"path": "a", "tags": ["b"}, "c"], "mode": 2}',
      '{"path": "a", "tags": ["b"}], "mode": 2}', '{"path": "a"],  "content": "b"}',
    }
    for _, text in ipairs(arguments) do
      told("hermes", hermes(text))
      told("mistral", "[TOOL_CALLS]write_file[ARGS]" .. text)
      told("json", '[{"name": "write_file", "arguments": ' .. text .. "}]")
    end
    told("hermes", '<tool_call>\n{"name": "write_file",} "arguments": {"path": "a"}}\n</tool_call>')
  end)
  it("is not assumed for text after a call, nor for an extra brace", function()
    for _, behind in ipairs { '\nDone: "it" is.', ' "Done" was said.', ", as it was asked.", ", 2 files.", "}", "" } do
      local call = only("mistral", '[TOOL_CALLS]write_file[ARGS]{"path": "a"}' .. behind)
      assert.is_true(call.valid, behind)
    end
    local call = '{"name": "write_file", "arguments": {"path": "a"}}'
    local result = sluice.parse("json", "[" .. call .. ", " .. call .. "]", { tools = tools })
    assert.are.same({ true, true }, { result.calls[1].valid, result.calls[2].valid })
  end)
end)

describe("arguments that go on", function()
  it("after the closing parenthesis of a Python call", function()
    for _, text in ipairs {
      "[write_file(path='a'), content='b')]", "[write_file(path='a', )content='b')]", "[write_file(path='a'], mode=2)]",
      "[write_file(path='a', tags=[)'b', 'c'])]", "[write_file('a'), content='b')]",
    } do
      told("pythonic", text)
    end
    local result = sluice.parse("pythonic", "[write_file(path='a'), write_file(path='b')]", { tools = tools })
    assert.are.same({ true, true }, { result.calls[1].valid, result.calls[2].valid })
  end)
  it("at an unreadable member of a flat object", function()
    told("codebuff", '<codebuff_tool_call>\n{"cb_tool_name": "write_file", "path": "a", = "mode": 2}\n</codebuff_tool_call>')
  end)
  it("if another closer takes the place of an exact one", function()
    local result = sluice.parse("granite_pythonic", "write_file(path='a') or so\nwrite_file(path='b')\n", { tools = tools })
    assert.are.same({ 1, "write_file(path='a') or so\n" }, { #result.calls, result.content })
    told("caret", "^^^write_file\npath: a\n")
    told("caret", "^^^write_file\npath: a\nconten")
  end)
  it("belong to their own message", function()
    local function message(name, marker, arguments)
      return "<|start|>assistant to=functions." .. name .. "<|channel|>commentary <|constrain|>json" .. marker .. arguments .. "<|call|>"
    end
    local text = message("other", "<|messag|>", '{"x": 1}') .. message("write_file", "<|message|>", '{"path": "a"}')
    local result = sluice.parse("harmony", text, { tools = tools })
    assert.are.same({ 1, "write_file", true }, { #result.calls, result.calls[1].name, result.calls[1].valid })
    assert.are.equal("not_a_call", result.errors[1].code)
  end)
end)

describe("a tag that is misspelt", function()
  local function qwen(body)
    return "<tool_call>\n<function=write_file>\n" .. body .. "\n</function>\n</tool_call>"
  end
  local path, content = "<parameter=path>\na\n</parameter>\n", "<parameter=content>\nb\n</parameter>"
  it("in place of a value's closer makes the call not valid", function()
    for _, closer in ipairs { "</path>", "</param>", "</parameter", "</ parameter>" } do
      told("qwen3_coder", qwen("<parameter=path>\na\n" .. closer .. "\n" .. content))
      told("qwen3_coder", qwen(path .. "<parameter=content>\nb\n" .. closer))
    end
    told("qwen3_coder", qwen("<parameter=path>\na\n</parameter>\n;"))
    told("glm45", "<tool_call>write_file\n<arg_key>path</arg_ky>\n<arg_value>a</arg_value>\n</tool_call>")
    told("glm45", "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_val>a</arg_value>\n</tool_call>")
  end)
  it("in place of a parameter's opener does so too", function()
    for _, opener in ipairs { "<parameter content>", "<parameter name=content>", "<param=content>", "<parameters=content>" } do
      told("qwen3_coder", qwen(path .. opener .. "\nb\n</parameter>"))
    end
    told("kimi_k3", '<|open|>tools<|sep|><|open|>call tool="write_file" index="1"<|sep|><|open|>argument key="path" type="string"<|sap|>a'
      .. "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>")
  end)
  it("is in doubt if the value's own tag is left over in it", function()
    for _, text in ipairs { "say </parameter> at the end", "a </parameter>\n<b>", "x <parameter=b> y" } do
      told("qwen3_coder", qwen(path .. "<parameter=content>\n" .. text .. "\n</parameter>"))
    end
  end)
  it("is not assumed if a closer is only missing, nor for a tag in a value", function()
    assert.is_true(only("qwen3_coder", qwen("<parameter=path>\na\n" .. content)).valid)
    for _, text in ipairs { "<b>x</b>", "see <parameter=a>1</parameter>" } do
      local call = only("qwen3_coder", qwen(path .. "<parameter=content>\n" .. text .. "\n</parameter>"))
      assert.are.same({ "complete", true, text }, { call.status, call.valid, sluice.json.decode(call.arguments).content })
    end
  end)
end)

describe("a text that ends", function()
  it("right after the opener of a parameter ends inside it", function()
    told("qwen3_coder", "<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=")
    told("glm45", "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n<arg_key>")
  end)
end)

describe("an empty value before its call's closer", function()
  local begin = "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>"
  local one = "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>b</arg_value>\n</tool_call>"
  it("may quote that closer and the following calls: all of them are in doubt, which is reported", function()
    for _, space in ipairs { "", "\n" } do
      for _, rest in ipairs { one, one .. "\n" .. one } do
        local result = sluice.parse("glm45", begin .. space .. "</tool_call>\n" .. rest, { tools = tools })
        for i, call in ipairs(result.calls) do
          assert.are.same({ "incomplete", false, i }, { call.status, call.valid, result.errors[i].index })
        end
        assert.are.equal("bad_arguments", result.errors[1].code)
      end
    end
  end)
  it("may not if the text ends there, which is reported, or if the value is not empty", function()
    told("glm45", begin .. "</tool_call>")
    assert.are.equal(2, #sluice.parse("glm45", begin .. "a\n</tool_call>\n" .. one, { tools = tools }).calls)
  end)
end)

describe("text among elements", function()
  it("may be an argument", function()
    local call = '@<tool_call>\n@<invoke name="write_file">@<path>a@</path>@<tags>@<item>b@</item>c@</tags>@</invoke>\n@</tool_call>'
    told("minimax_m3", (call:gsub("@", "]<]minimax[>[")))
  end)
end)

describe("an object in a string", function()
  it("with unescaped quotes is in doubt", function()
    for _, arguments in ipairs { '"{"path": "a", "mode": 2}"', '"{ "path": "a", "mode": 2}"', '"{"path": "a", "mode": 2}' } do
      local call = only("hermes", hermes(arguments))
      assert.are.same({ "incomplete", false, "{}" }, { call.status, call.valid, (call.arguments:gsub("%s", "")) })
    end
  end)
  it("without its closer leaves nothing of the call", function()
    local call, result = only("hermes", hermes [["{\"path\": \"a\""]])
    assert.are.same({ "incomplete", false }, { call.status, call.valid })
    assert.is_nil(result.content)
  end)
end)

describe("calls of a list", function()
  local codes = support.codes

  it("end at text between them, which is reported", function()
    local text = "<|plamo:begin_tool_requests:plamo|>"
    for _, x in ipairs { "a", "b" } do
      text = text .. (x == "b" and "And now:" or "") .. "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>write_file"
        .. "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>"
        .. '{"path": "' .. x .. '"}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>'
    end
    local result = sluice.parse("plamo3", text .. "<|plamo:end_tool_requests:plamo|>", { tools = tools })
    assert.are.same({ 1, false, "stray_markup leaked_markup" }, { #result.calls, result.calls[1].valid, codes(result) })
  end)
  it("are not lost without a report", function()
    local call = '{"name": "write_file", "arguments": {"path": "a"}}'
    for syntax, text in pairs {
      hermes = "<tool_call>" .. call .. "\n" .. call .. "</tool_call>",
      minimax_m1 = "<tool_calls>\n" .. call .. ",\n" .. call .. "\n</tool_calls>",
      json = "[" .. call .. ", and " .. call .. "]",
    } do
      local result = sluice.parse(syntax, text, { tools = tools })
      assert.are.same({ 1, ({ hermes = "bad_arguments", minimax_m1 = "stray_markup", json = "invalid_call" })[syntax] },
        { #result.calls, codes(result):match "^%S+" }, syntax)
    end
  end)
end)

describe("text in a tag beside its attributes", function()
  local function minimax(call, parameter)
    return "<minimax:tool_call>\n<invoke name=\"write_file\"" .. call .. '>\n<parameter name="path"' .. parameter
      .. ">a</parameter>\n</invoke>\n</minimax:tool_call>"
  end
  it("may be an argument, so the call is not valid", function()
    for _, call in ipairs { ' mode="3"', " mode", ' "3"', ' name="other"', " = 3" } do
      told("minimax_m2", minimax(call, ""))
      told("chatmcp", '<function name="write_file"' .. call .. '>\n{"path": "a"}\n</function>')
    end
    for _, parameter in ipairs { ' value="b"', " b", '"b"', ' name="content"', '= "x"', "'" } do
      told("minimax_m2", minimax("", parameter))
      told("minicpm5", '<function name="write_file"><param name="path"' .. parameter .. ">a</param></function>")
    end
  end)
  it("is ignored if it gives a type, if the script lists it, or if the tag ends", function()
    for _, text in ipairs { minimax("", ' type="string"'), minimax(" ", " /"), minimax("", ' string="true" ') } do
      assert.are.equal("complete", (only("minimax_m2", text)).status, text)
    end
    assert.are.equal("complete", (only("chatmcp", '<function name="write_file" done="true">{"path": "a"}</function>')).status)
  end)
  it("does not include the text after a type without its quote", function()
    local function parameter(key, kind)
      return '<｜DSML｜parameter name="' .. key .. '" string="' .. kind .. ">x</｜DSML｜parameter>\n"
    end
    told("deepseek_v32", '<｜DSML｜function_calls>\n<｜DSML｜invoke name="write_file">\n' .. parameter("path", 'true"')
      .. parameter("content", "true") .. parameter("mode", 'true"') .. "</｜DSML｜invoke>\n</｜DSML｜function_calls>")
  end)
end)

describe("a closer with another name", function()
  local parameters = { "<path>a</path>", "<content>b</content>" }
  it("is told", function()
    for _, closer in ipairs { "</path>", "</content>", " </mode>", "</mode >" } do
      told("cline", "<write_file>\n" .. closer .. parameters[1] .. parameters[2] .. "\n</write_file>")
      told("cline", "<write_file>\n" .. parameters[1] .. closer .. parameters[2] .. "\n</write_file>")
    end
  end)
  it("makes the call that it ends doubtful", function()
    for syntax, text in pairs {
      cline = "<write_file>\n" .. parameters[1] .. "\n</other>\n" .. parameters[2],
      xml_tags = "<tool:write_file>\n<param:path>a</param:path>\n</tool:other>",
    } do
      local result = sluice.parse(syntax, text, { tools = tools })
      assert.are.same({ "incomplete", "stray_markup" }, { result.calls[1].status, result.errors[1].code }, syntax)
    end
    assert.are.equal("recovered", (only("cline", "<write_file>\n" .. parameters[1] .. "\n</wri")).status)
  end)
end)

describe("a parameter whose value does not begin", function()
  it("is reported, as is a line that is not a parameter", function()
    told("vcp", "<<<[TOOL_REQUEST]>>>\ntool_name:「始」write_file「末」\npath:「始」a「末」\nmode:「3「末」\n<<<[END_TOOL_REQUEST]>>>")
    told("caret", "^^^write_file\npath: a\ncontent: b\nand more\n^^^\n")
    told("caret", "^^^write_file\npath: a\n- b\n^^^\n")
  end)
end)

describe("a call without a closer", function()
  it("is doubtful if text follows it", function()
    for _, calls in ipairs { "*** Add File: a\n+b\nc\n+d", "*** Add File: a\nb", "*** Add File: a\n+b\n\n+c", "*** Delete File: a\nb" } do
      local result = sluice.parse("apply_patch", "*** Begin Patch\n" .. calls .. "\n*** Add File: z\n+z\n*** End Patch\n")
      assert.are.same({ 2, "incomplete", "complete", "bad_arguments" },
        { #result.calls, result.calls[1].status, result.calls[2].status, result.errors[1].code }, calls)
      assert.is_nil(result.calls[1].arguments:match "path\":\"[^\"]*\\n")
    end
  end)
  it("is doubtful if a directive in it is unknown, or the text ends in its value", function()
    local update = "*** Begin Patch\n*** Update File: a\n@@\n-b\n+c\n"
    for _, rest in ipairs { "*** Copy File: x\n*** End Patch\n", "", "*** Move to: x\n+y\n*** End Patch\n" } do
      local result = sluice.parse("apply_patch", update .. rest)
      assert.are.same({ 1, "incomplete", 1 }, { #result.calls, result.calls[1].status, result.errors[1].index }, rest)
    end
    local result = sluice.parse("apply_patch", update .. "*** End of File\n*** End Patch\n")
    assert.are.same({ 1, "complete", 0 }, { #result.calls, result.calls[1].status, #result.errors })
    result = sluice.parse("apply_patch", "*** Begin Patch\n*** Delete File: a\n")
    assert.are.same({ 1, "recovered" }, { #result.calls, result.calls[1].status })
  end)
end)

describe("a header", function()
  it("does not extend into the next block", function()
    local function message(header, name, path)
      return "<|start|>assistant to=" .. name .. header .. '<atem:function_calls>\n<atem:invoke name="' .. name
        .. '">\n<atem:parameter name="path">' .. path .. "</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>"
    end
    local text = message("<||>", "write_file", "a") .. message("<|message|>", "write_file", "b")
    local call, result = only("muse_glimmer", text)
    assert.are.same({ '{"path":"b"}', "not_a_call" }, { call.arguments, result.errors[1].code })
    assert.is_truthy(result.content:find(">a<", 1, true))
  end)
  it("of a fence with more than a language belongs to the value", function()
    for _, line in ipairs { "```x = 1", "```a b", "```<p>" } do
      local text = '<dyad-write path="a">\n' .. line .. "\nb\n```\n</dyad-write>"
      assert.are.equal(sluice.json.encode(line .. "\nb\n```"), sluice.parse("dyad", text).calls[1].arguments:match 'content":(.*)}')
    end
  end)
end)

describe("a quote in a Python string at the beginning of a value", function()
  it("makes the call not valid: one may be missing before it", function()
    for _, arguments in ipairs {
      [[path='a, content='b']], [[path='a'x, content='b']], [[path="a, content = "b"]], [[path='a', tags=['b, 'c'] ]],
      [[path='a', content='b'c, mode='d']],
    } do
      told("lfm2", "<|tool_call_start|>[write_file(" .. arguments .. ")]<|tool_call_end|>")
    end
    told("olmo3", "<function_calls>write_file(path='a)\nwrite_file(path='b')</function_calls>")
  end)
end)

describe("a value with the beginning of another call", function()
  it("makes its call doubtful if a closer may have been skipped", function()
    for syntax, text in pairs {
      plandex = '<PlandexBlock lang="go" path="a">\nb\n<PlandexBlock lang="go" path="c">\nd\n</PlandexBlock>',
      bolt = '<boltArtifact id="a" title="t">\n<boltAction type="shell">a\n<boltAction type="shell">b</boltAction>\n</boltArtifact>',
      dyad = '<dyad-write path="a">\nb\n<dyad-write path="c">\nd\n</dyad-write>',
    } do
      local result = sluice.parse(syntax, text)
      assert.are.same({ 1, "incomplete" }, { #result.calls, result.calls[1].status }, syntax)
      local code = result.errors[1].code -- the text ends here, and no closer is left
      assert.is_true(code == "bad_arguments" or code == "unfinished_call", syntax)
    end
  end)
end)

describe("text in place of a call's closer", function()
  local function qwen(tail)
    return "<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n" .. tail
  end
  it("may belong to the call", function()
    for _, tail in ipairs { "<tool_name>\n<mode>3</mode>\n</parameters>\n</invoke>", "</parameters>\n</mode>\n</invoke>",
      "</parameters>\nSo." } do
      told("claude_legacy", "<invoke>\n<tool_name>write_file</tool_name>\n<parameters>\n<path>a</path>\n" .. tail .. "\n</function_calls>")
    end
  end)
  it("is told if the text ends inside of it", function()
    for _, tail in ipairs { "</funct", "<par", "</par" } do
      assert.are.equal("incomplete", (only("qwen3_coder", qwen(tail))).status, tail)
    end
  end)
end)

describe("a list for a repeated parameter", function()
  it("is left out as a whole; the parameters after it are read", function()
    for _, list in ipairs { "a: [\nx\ny z\n]\n", "a:\n- x\n- y z\n", "a: |\n  x\n\n  y\n" } do
      local result = sluice.parse("caret", "^^^f\na: 1\nb: 2\n" .. list .. "c: 3\n^^^\nbye")
      assert.are.same({ '{"a":"1","b":"2","c":"3"}', "incomplete", "bye" },
        { result.calls[1].arguments, result.calls[1].status, result.content })
      assert.are.equal("duplicate_parameter", result.errors[1].code)
    end
  end)
end)

describe("text before the closer of a call in JSON", function()
  local function read(syntax, text)
    local result = sluice.parse(syntax, text, { tools = support.tools "f" })
    local call = result.calls[1]
    return { call.arguments, call.status, call.valid, result.content or "", result.errors[1] and result.errors[1].code or "" }
  end
  local call = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n'
  it("stays text, and the call is in doubt", function()
    for _, more in ipairs { "That was it.\n", "b: 2", "b}" } do
      assert.are.same({ '{"a": 1}', "incomplete", false, "\n" .. more .. "</tool_call>bye", "stray_markup" },
        read("hermes", call .. more .. "</tool_call>bye"))
    end
    local open, close = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    assert.are.same({ "incomplete", false }, { table.unpack(read("deepseek_v31", open .. '{"a": 1}\nok\n' .. close), 2, 3) })
  end)
  it("is text if no closer follows, or another call does", function()
    assert.are.same({ '{"a": 1}', "recovered", true, "\nI wait.", "" }, read("hermes", call .. "I wait."))
    local two = sluice.parse("hermes", call .. "I wait. " .. call .. "</tool_call>")
    assert.are.same({ 2, "\nI wait. ", "complete" }, { #two.calls, two.content, two.calls[2].status })
  end)
end)

describe("damage in a format of one's own", function()
  local formats = {
    typed = [[call = { "@[", s.name(), "]\n", s.params { "@p ", s.key(), " (", s.attrs { type = { "", { str = "string" } } }, ") = ",
      s.value(), " @e\n" }, "@[/]" }]],
    dash = [[call = { "call ", s.name(), ":\n", s.params { "- ", s.key(), " = ", s.value(), ";\n" }, "end" }]],
    label = [[call = { "<call#", s.capture("tag", "k1"), ":", s.name(), ">\n", s.params { "<p#", s.same "tag", ":", s.key(), ">", s.value(),
      "</p#", s.same "tag", ">\n" }, "</call#", s.same "tag", ">" }]],
    kinds = [[call = { "<c>", s.json { name = "fn", args = "in", members = { { "v", "string" }, { "fn" }, { "in" } } }, "</c>" }]],
    quoted = [[call = { "@@call ", s.name(), s.params { " --", s.key(), "='", s.value(), "'" }, " ;" }]],
    brace = [[call = { "@@call ", s.name(), ";", s.params { "{", s.key(), "}", s.value(), "{/", s.same "key", "}" }, "@@done" }]],
    nested = [[call = { "<t:call name=\"", s.name(), "\">", s.params { "<a:", s.key(), ">", s.value(), "</a:", s.same "key", ">",
      nested = "item" }, "</t:call>" }]],
  }
  it("is one of many alternatives", function()
    local syntax = sluice.compile [[local each = {}
      for i = 1, 300 do each[i] = "<" .. i .. ">" end
      return s.syntax { api = 3, name = "many", call = { "<c>", s.any(each), s.name(), "\n", s.args(), "</c>" } }]]
    assert.are.equal("complete", only(syntax, "<c><290>f\n{}</c>").status)
  end)
  it("is told", function()
    for name, text in pairs {
      typed = "@[f]\n@p a (str)= x @e\n@p b (str) = y @e\n@[/]", dash = "call f:\n- a = x\n- b = y;\nend",
      label = "<call#k1:f>\n<p#k1:a>x</p#", kinds = '<c>{"v": "1", "fn": "f", "arguments": {"a": "x"}}</c>',
      quoted = "@@call f --a='one two --b='3' ;", brace = "@@call f;{a}{a}one{/a}@@done",
      nested = '<t:call name="f"><a:c><a:item>x<a:item>y</a:item></a:c></t:call>',
    } do
      local syntax = sluice.compile(('return s.syntax { api = 3, name = "%s", %s }'):format(name, formats[name]))
      local given = '[{"name": "f", "parameters": {"properties": {"a": {"type": "string"}, "b": {}, "c": {"type": "array"}}}}]'
      local call, result = only(syntax, text, { tools = given })
      assert.are.same({ false, 1 }, { call.valid, result.errors[1].index }, name)
    end
  end)
end)
