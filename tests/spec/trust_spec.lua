--- What a host needs to run calls unasked: valid, errors with their call, ranges, ids, closing text, special tokens.

local sluice = require "sluice"
local support = require "support"

local codes = support.codes
local json = sluice.json

local tools = {
  { type = "function", ["function"] = { name = "write_file", parameters = { type = "object",
    properties = { path = { type = "string" }, content = { type = "string" }, mode = { type = "integer" } }, required = { "path" } } } },
  { type = "function", ["function"] = { name = "delete_all", parameters = { type = "object",
    properties = { sure = { type = "string" } } } } },
}
local tools_json = json.encode(tools)

local function hermes(arguments, name)
  return ('<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>'):format(name or "write_file", arguments)
end

local function only(result)
  assert.are.equal(1, #result.calls)
  return result.calls[1]
end

describe("a name with a NUL", function()
  -- hosts receive names as C strings: the part before the NUL would be another name
  for _, case in ipairs {
    { "hermes", hermes("{}", "delete_all\\u0000x") },
    { "hermes", '<tool_call>\n{"arguments": {}, "name": "delete_all\\u0000x"}\n</tool_call>' },
    { "qwen3_coder", "<tool_call>\n<function=delete_all\0x>\n</function>\n</tool_call>" },
    { "mistral", "[TOOL_CALLS]delete_all\0x[ARGS]{}" },
  } do
    it("is not the name of a call: " .. case[1], function()
      for _, given in ipairs { tools_json, false } do
        for chunk = 1, 3 do
          local stream, content, told = sluice.stream(case[1], { tools = given or nil }), {}, false
          local function take(events)
            for event in events do
              assert.is_nil(event.name)
              content[#content + 1] = event.type == "text" and event.text or nil
              told = told or event.code == "not_a_call"
            end
          end
          for at = 1, #case[2], chunk do
            take(stream:feed(case[2]:sub(at, at + chunk - 1)))
          end
          take(stream:finish())
          assert.are.equal(case[2], table.concat(content))
          assert.is_true(told)
        end
      end
    end)
  end
end)

describe("valid", function()
  local function valid(text, options)
    options = options or { tools = tools_json }
    return only(sluice.parse("hermes", text, options)).valid
  end
  it("is true for a complete call of a given tool that matches its schema", function()
    assert.is_true(valid(hermes '{"path": "a"}'))
  end)
  it("is false if the tool is unknown, the schema is violated or the text ends inside a value", function()
    assert.is_false(valid(hermes('{}', "other")))
    assert.is_false(valid(hermes '{"content": "x"}'))
    assert.is_false(valid(hermes '{"path": 3}'))
    assert.is_false(valid '<tool_call>\n{"name": "write_file", "arguments": {"path": "a')
  end)
  it("is not known without tools: nil, absent in events, null in JSON", function()
    for _, options in ipairs { {}, { tools = "[]" }, { tools = {} }, { validate = false } } do
      local result = sluice.parse("hermes", hermes('{"x": 1}', "anything"), options)
      assert.are.same({ "complete", 0 }, { only(result).status, #result.errors })
      assert.is_nil(only(result).valid)
      local stream, ended = sluice.stream("hermes", options), nil
      for event in stream:feed(hermes "{}") do
        ended = event.type == "call_end" and event or ended
      end
      assert.are.equal("complete", ended.status)
      assert.is_nil(ended.valid)
    end
  end)
  it("needs no schema if validation is off", function()
    assert.is_true(valid(hermes '{"path": 3}', { tools = tools_json, validate = false }))
  end)
  it("is false if the schema only refers to itself, so that the check is given up", function()
    local looped = [==[[{"name": "write_file", "parameters": {"properties": {"path": {"$ref": "#/properties/path"}}}}]]==]
    local result = sluice.parse("hermes", hermes '{"path": "a"}', { tools = looped })
    assert.are.equal("limit_exceeded", codes(result))
    assert.are.same({ "complete", false }, { result.calls[1].status, result.calls[1].valid })
    assert.is_true(valid(hermes '{"path": "a"}', { tools = looped, validate = false }))
  end)
  it("is true if only closers are missing", function()
    local call = only(sluice.parse("hermes", '<tool_call>\n{"name": "write_file", "arguments": {"path": "a"}}', { tools = tools_json }))
    assert.are.same({ "recovered", true }, { call.status, call.valid })
  end)
end)

describe("errors and ranges", function()
  it("an error about a call has its index, others have none", function()
    local result = sluice.parse("hermes", hermes('{"path": "a"}') .. hermes('{}', "other") .. "<tool_call>\n{", { tools = tools_json })
    local seen = {}
    for _, e in ipairs(result.errors) do
      seen[e.code] = e.index or "none"
    end
    assert.are.equal(2, seen.unknown_tool)
    assert.are.equal("none", seen.unfinished_call)
  end)
  it("calls have the bytes of their block, and the block itself on request", function()
    local first, second = hermes '{"path": "a"}', hermes '{"path": "b"}'
    local text = "Look: " .. first .. "\n" .. second .. "\nDone."
    for _, chunk in ipairs { 0, 1, 7 } do
      local stream = sluice.stream("hermes", { source = true })
      local got = {}
      for _, e in ipairs(support.events(stream, text, chunk)) do
        if e.type == "call_end" then
          got[#got + 1] = { text:sub(e.block_first, e.last), e.source }
        end
      end
      assert.are.same({ { first, first }, { second, second } }, got)
    end
    assert.is_nil(sluice.parse("hermes", text).calls[1].source)
  end)
  it("calls of a section have their own bytes", function()
    local text = '<minimax:tool_call>\n<invoke name="a">\n</invoke>\n<invoke name="b">\n</invoke>\n</minimax:tool_call>'
    local result = sluice.parse("minimax_m2", text, { source = true })
    assert.are.equal('<invoke name="b">\n</invoke>', result.calls[2].source)
  end)
end)

describe("ids", function()
  it("are in every call_begin; the text's own, if it comes later, in call_end", function()
    local begin, finish
    for _, e in ipairs(support.events(sluice.stream "mistral", '[TOOL_CALLS][{"name": "f", "arguments": {}, "id": "abc123456"}]', 0)) do
      begin = e.type == "call_begin" and e or begin
      finish = e.type == "call_end" and e or finish
    end
    assert.is_truthy(begin.id and begin.id ~= "")
    assert.are.equal("abc123456", finish.id)
    for _, e in ipairs(support.events(sluice.stream "hermes", hermes "{}", 0)) do
      begin = e.type == "call_begin" and e or begin
      finish = e.type == "call_end" and e or finish
    end
    assert.are.equal(begin.id, finish.id)
  end)
end)

describe("closing text", function()
  it("makes one object of the arguments after every byte", function()
    local texts = {
      hermes = hermes [[{"path": "a\u00e9\"b", "list": [1, -2.5e3, {"x": null, "y": [true, "}"]}], "content": "\\end"}]],
      qwen3_coder = "<tool_call>\n<function=write_file>\n<parameter=path>\na \"quoted\" name\n</parameter>\n<parameter=mode>\n3\n"
        .. "</parameter>\n"
        .. "</function>\n</tool_call>",
      pythonic = [=[[write_file(path='it\'s', content="x", mode=3)]]=],
      xml_tags = "<tool:read>\n<param:path>a</param:path>\n<param:path>b</param:path>\n</tool:read>",
      glm45 = "<tool_call>f\n<arg_key>\xc3</arg_key>\n<arg_value>x</arg_value>\n</tool_call>",
    }
    for syntax, text in pairs(texts) do
      local stream = sluice.stream(syntax, { tools = tools_json, parameters = true })
      assert.are.equal("", stream:closing())
      local arguments, open, seen = "", false, 0
      local function take(events)
        for e in events do
          if e.type == "call_begin" then
            open, arguments = true, ""
          elseif e.type == "arguments" then
            arguments = arguments .. e.text
          elseif e.type == "call_end" then
            open = false
          end
          local whole = arguments .. stream:closing()
          if open then
            seen = seen + 1
            assert.is_truthy(json.decode(whole), syntax .. ": " .. whole)
            assert.are.equal("{", whole:sub(1, 1))
          else
            assert.are.equal("", stream:closing())
          end
        end
      end
      for i = 1, #text do
        take(stream:feed(text:sub(i, i)))
      end
      take(stream:finish())
      assert.is_true(seen > 3)
      assert.are.equal("", stream:closing())
    end
  end)
end)

describe("closing text, in every chunking,", function()
  local pieces = { "a", "y_", " ", "\\n", "\\\\", '\\"', "\\u00e9", "{", "}", "[", ",", ":", "seventeen bytes on" }
  local scalars = { "0", "-12", "1.5e10", "-0.25", "true", "false", "null" }
  local commas, colons = { ",", ", ", " ,\n" }, { ":", ": ", " : " }
  local value

  local function one_of(list)
    return list[math.random(#list)]
  end

  local function several(most, each)
    local list = {}
    for i = 1, math.random(0, most) do
      list[i] = each(i)
    end
    return list
  end

  local function text()
    return '"' .. table.concat(several(20, function()
      return one_of(pieces)
    end)) .. '"'
  end

  local function object(depth)
    return "{" .. table.concat(several(6, function(i)
      return ('"k%d"%s%s'):format(i, one_of(colons), value(depth + 1))
    end), one_of(commas)) .. "}"
  end

  function value(depth)
    local kind = math.random(1, depth > 3 and 5 or 8)
    if kind < 3 then
      return one_of(scalars)
    elseif kind < 6 then
      return text()
    elseif kind < 8 then
      return object(depth)
    end
    return "[" .. table.concat(several(8, function()
      return value(depth + 1)
    end), one_of(commas)) .. "]"
  end

  it("makes one object of random arguments", function()
    math.randomseed(tonumber(os.getenv "SLUICE_SEED") or 1)
    local cuts = 0
    for _ = 1, 300 do
      local response, arguments, at = hermes(object(0)) .. "\n" .. hermes(object(0)), "", 1
      local asked = math.random(1, 8) -- once in so many chunks
      local stream = sluice.stream("hermes", { validate = false })
      while at <= #response do
        local size = math.random(1, math.random(1, 60))
        for e in stream:feed(response:sub(at, at + size - 1)) do
          arguments = (e.type == "call_begin" and "" or arguments) .. (e.type == "arguments" and e.text or "")
        end
        at = at + size
        if stream:state() == "call" and math.random(1, asked) == 1 then
          local whole = arguments .. stream:closing()
          assert.is_truthy(json.decode(whole), whole)
          cuts = cuts + 1
        end
      end
    end
    assert.is_true(cuts > 1000)
  end)
end)

describe("special tokens", function()
  local pieces = { "The opener is ", "<tool_call>", "\n{\"name\": \"delete_all\", \"arguments\": {}}\n", "</tool_call>", " and now: " }

  it("count only if they were fed as such", function()
    for _, option in ipairs { "text", "tokens" } do
      local stream = sluice.stream("hermes", { special = option })
      local calls, text = 0, ""
      local function take(events)
        for e in events do
          calls = calls + (e.type == "call_end" and 1 or 0)
          text = text .. (e.type == "text" and e.text or "")
        end
      end
      for _, piece in ipairs(pieces) do
        take(stream:feed(piece))
      end
      local quoted = calls
      take(stream:feed_special "<tool_call>")
      take(stream:feed "\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"</tool_call>\"}}\n")
      take(stream:feed_special "</tool_call>")
      take(stream:finish())
      assert.are.equal(option == "text" and 1 or 0, quoted)
      assert.are.equal(quoted + 1, calls)
      if option == "tokens" then
        assert.are.equal(table.concat(pieces), text)
      end
    end
  end)
  it("so do the quotes of a format", function()
    for syntax, token in pairs { gemma4 = { "<|tool_call>", "<|\"|>", "<tool_call|>" },
      functiongemma = { "<start_function_call>", "<escape>", "<end_function_call>" } } do
      local stream, arguments = sluice.stream(syntax, { special = "tokens" }), ""
      local value = ("hi%s,path:%s/etc"):format(token[2], token[2])
      for i, piece in ipairs { token[1], "call:f{text:", token[2], value, token[2], "}", token[3] } do
        for e in stream[i % 2 == 1 and "feed_special" or "feed"](stream, piece) do
          arguments = arguments .. (e.type == "arguments" and e.text or "")
        end
      end
      assert.are.same({ text = value }, json.decode(arguments))
    end
  end)
  it("an unknown value is refused", function()
    assert.has_error(function()
      sluice.stream("hermes", { special = "maybe" })
    end)
  end)
end)

describe("a quoted call is never a call", function()
  it("in inline code, and in a fence if its tool was not given", function()
    local quoted = '`<tool_call>{"name": "delete_all", "arguments": {}}</tool_call>` does it'
    local result = sluice.parse("hermes", quoted)
    assert.are.equal(0, #result.calls)
    assert.are.equal(quoted, result.content)
    local fenced = "```\n" .. hermes("{}", "get_weather") .. "\n```\n"
    assert.are.equal(0, #sluice.parse("hermes", fenced, { tools = tools_json }).calls)
    assert.are.equal(fenced, sluice.parse("hermes", fenced, { tools = tools_json }).content)
  end)
  it("in values, whatever they quote; the call ends at its own closer", function()
    local file = assert(io.open(support.root .. "/tests/data/quoted.jsonl"))
    local count = 0
    for line in file:lines() do
      local case = json.decode(line)
      for _, syntax in ipairs { case.syntax, "auto" } do
        local result = sluice.parse(syntax, case.text, { tools = tools_json })
        local call = only(result)
        assert.are.equal("write_file", call.name)
        assert.are.equal(case.content, json.decode(call.arguments).content, case.text)
        assert.are.equal(case.status, call.status, case.text)
        count = count + 1
      end
    end
    file:close()
    assert.is_true(count > 0)
  end)
end)

describe("reasoning that was never opened", function()
  it("its closer before any call is markup and reported; after a call it is text", function()
    local result = sluice.parse("hermes", "</think>\n\nHello")
    assert.are.equal("Hello", result.content)
    assert.are.equal("unopened_reasoning", codes(result))
    result = sluice.parse("hermes", hermes "{}" .. "a </think> b")
    assert.are.equal("a </think> b", result.content)
    assert.are.equal("", codes(result))
  end)

  it("it is text if the host says that the response starts in text, in every chunking", function()
    for _, options in ipairs { {}, { chunk = 1 } } do
      local stream, content, errors = sluice.stream("hermes", { start = "text" }), {}, 0
      local text = "</think>\n\nHello"
      for i = 1, #text, options.chunk or #text do
        for event in stream:feed(text:sub(i, i + (options.chunk or #text) - 1)) do
          content[#content + 1] = event.type == "text" and event.text or nil
          errors = errors + (event.type == "error" and 1 or 0)
        end
      end
      for event in stream:finish() do
        content[#content + 1] = event.type == "text" and event.text or nil
        errors = errors + (event.type == "error" and 1 or 0)
      end
      assert.are.equal(text, table.concat(content))
      assert.are.equal(0, errors)
    end
  end)
end)

-- A wrapper has its own members: name, kind, id. A tool may have parameters with these names.
describe("parameters with the names of a wrapper's members", function()
  local keys = { "name", "type", "id", "arguments", "args", "parameters", "input", "function" }
  local properties, values = {}, {}
  for _, key in ipairs(keys) do
    properties[key], values[key] = { type = "string" }, "a " .. key
  end
  local given = json.encode { { type = "function", ["function"] = { name = "f", parameters = { type = "object", properties = properties,
    required = { "name" } } } } }
  for _, name in ipairs(support.syntaxes()) do
    it("are arguments in " .. name, function()
      for _, list in ipairs { keys, { "name" }, { "name", "type" }, { "id", "name" }, { "name", "arguments" } } do
        local arguments = {}
        for i, key in ipairs(list) do
          arguments[i] = { key, values[key] }
        end
        arguments = json.encode(json.object(arguments))
        local text = sluice.render(name, { { name = "f", arguments = arguments } })
        if text then -- else the format does not have this tool
          local call = only(sluice.parse(name, text, { tools = given }))
          -- An attribute stands before the other parameters, so the order may change.
          assert.are.same({ json.decode(arguments), "complete", true }, { json.decode(call.arguments), call.status, call.valid }, text)
        end
      end
    end)
  end
  local function inkling(object)
    local text = "<|message_model|>f<|content_invoke_tool_json|>" .. object .. "<|end_message|>"
    local call = only(sluice.parse("inkling", text, { tools = given }))
    return { call.arguments, call.status, call.valid }
  end
  it("are the wrapper's if their values are a wrapper's", function()
    assert.are.same({ '{"name": "x"}', "complete", true }, inkling '{"name": "f", "args": {"name": "x"}}')
    assert.are.same({ '{"name": "x"}', "complete", true }, inkling '{"type": "function", "args": {"name": "x"}}')
    local call = only(sluice.parse("hermes", '<tool_call>{"type": "function", "name": "f", "arguments": {"name": "x"}}</tool_call>',
      { tools = given }))
    assert.are.same({ "complete", true }, { call.status, call.valid })
  end)
  it("and reported as ignored otherwise", function()
    assert.are.same({ '{"name": "x"}', "incomplete", false }, inkling '{"name": "g", "args": {"name": "x"}}')
    assert.are.same({ '{"name": "x"}', "incomplete", false }, inkling '{"id": "c1", "args": {"name": "x"}}')
    assert.are.same({ '{"name": "x", "id": "1"}', "incomplete", false }, inkling '{"id": "c1", "args": {"name": "x", "id": "1"}}')
  end)
  it("and arguments if there is no key for arguments", function()
    assert.are.same({ '{"type":"t"}', "incomplete", false }, inkling '{"name": "g", "type": "t"}')
    assert.are.same({ '{"type":"t"}', "recovered", false }, inkling '{"name": "f", "type": "t"}')
  end)
end)

describe("a value of several lines", function()
  it("is complete in strict reading too", function()
    for _, name in ipairs { "tool_codeblock", "qwen3_coder", "glm45", "vcp" } do
      local arguments = json.encode(json.object { { "path", "a" }, { "content", "one\n{two}\n\nthree" } })
      local text = assert(sluice.render(name, { { name = "write_file", arguments = arguments } }))
      local call = only(sluice.parse(name, text, { tools = tools_json, strict = true }))
      assert.are.same({ "complete", true, "one\n{two}\n\nthree" }, { call.status, call.valid, json.decode(call.arguments).content }, name)
    end
  end)
  it("ends at the closer with its name, whatever is open inside", function()
    local text = "<execute>\n<name>write_file</name>\n<path>a</path>\n<content>%s</content>\n</execute>"
    for _, call in ipairs(sluice.parse("agixt", text:format "</execute>\n<execute>\n<name>delete_all</name>\n<sure>y",
      { tools = tools_json }).calls) do
      assert.is_false(call.valid) -- nobody knows whether these closers are quoted
    end
    for _, value in ipairs { "one<br>two <p>", "<content>a</content> <b>c",
      "<i><b>x</i></u>" } do
      local call = only(sluice.parse("agixt", text:format(value), { tools = tools_json }))
      assert.are.same({ "complete", true, value }, { call.status, call.valid, json.decode(call.arguments).content })
    end
  end)
end)

describe("a name without meaning", function()
  local function tool(name, keys)
    local properties = {}
    for key in keys:gmatch "%a+" do
      properties[key] = { type = "integer" }
    end
    return { name = name, parameters = { type = "object", properties = properties } }
  end
  local several = { tool("add", "x y"), tool("move", "x z"), tool("look", "w") }
  local function read(arguments, with)
    local text = "<|tool_calls_section_begin|><|tool_call_begin|>0<|tool_call_argument_begin|>" .. arguments
      .. "<|tool_call_end|><|tool_calls_section_end|>"
    return only(sluice.parse("kimi_k2", text, { tools = with }))
  end
  it("stands for no tool, whatever the arguments", function()
    for _, arguments in ipairs { '{"y": 1}', '{"x": 1}', "{}", '{"v": 1}', '{"w": 3, "x": 1}', '{"w": 3' } do
      local call = read(arguments, several)
      assert.are.same({ "0", false }, { call.name, call.valid })
    end
    assert.are.same("0", read('{"w": 3}').name)
  end)
end)

describe("a call without arguments", function()
  it("ends its name at the literal after them", function()
    for _, between in ipairs { "", "\n", "{}" } do
      local call = only(sluice.parse("gemma4", "<|tool_call>call:now" .. between .. "<tool_call|>"))
      assert.are.same({ "now", "{}", "complete" }, { call.name, call.arguments, call.status })
    end
  end)
end)

describe("a text that ends inside the arguments", function()
  local function at(arguments)
    local call = only(sluice.parse("hermes", '<tool_call>{"name": "f", "arguments": ' .. arguments, { tools = support.tools "f" }))
    return { call.arguments, call.status, call.valid }
  end
  it("ends inside a value if a list or object is open, or there are no arguments yet", function()
    assert.are.same({ '{"a": ["x"]}', "incomplete", false }, at '{"a": ["x"')
    assert.are.same({ '{"a": {"b": "1"}}', "incomplete", false }, at '{"a": {"b": "1"')
    assert.are.same({ "{}", "incomplete", false }, at "{")
  end)
  it("is reported if it ends between two members: others may have followed", function()
    assert.are.same({ '{"a": ["x"]}', "incomplete", false }, at '{"a": ["x"]')
    for syntax, text in pairs { hermes = '<tool_call>{"name": "f", "arguments": {"a": "x"\n', mistral = '[TOOL_CALLS]f[ARGS]{"a": "x"',
      pythonic = '[f(a="x"', gemma4 = '<|tool_call>call:f{a:<|"|>x<|"|>',
      codebuff = '<codebuff_tool_call>\n{"cb_tool_name": "f", "a": "x"' } do
      local result = sluice.parse(syntax, text)
      local call = only(result)
      assert.are.same({ '{"a":"x"}', "incomplete", "unfinished_call" },
        { call.arguments:gsub("[ \n]", ""), call.status, result.errors[1].code })
    end
  end)
  it("lacks only closers if they are closed", function()
    assert.are.same({ "{}", "recovered", true }, at "{}")
    assert.are.same({ '{"a": "x"}', "recovered", true }, at '{"a": "x"}')
    assert.are.same({ '{"a": "x"}', "incomplete", false }, at '{"a": "x"</tool_call>')
  end)
end)

describe("a call with only a header before the end of the text", function()
  local headers = { glm45 = "<tool_call>rm\n", cline = "<read_file>\n", qwen3_coder = "<tool_call>\n<function=rm>\n",
    step3 = '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="rm">\n',
    gigachat35 = '<｜GCML｜tool_calls><｜GCML｜invoke name="rm">', langchain_xml = "<tool>rm</tool><tool_inpu" }
  for syntax, text in pairs(headers) do
    it("is incomplete, in " .. syntax, function()
      local result = sluice.parse(syntax, text, { tools = support.tools("rm", "read_file") })
      assert.are.same({ "incomplete", false, 1 }, { only(result).status, only(result).valid, result.errors[1].index })
    end)
  end
  it("is recovered with its closer if no tool has a parameter", function()
    assert.are.equal("recovered", only(sluice.parse("langchain_xml", "<tool>rm</tool>")).status)
  end)
end)

describe("a string with an escape that JSON does not have", function()
  local function status(value)
    local text = '<tool_call>{"name": "f", "arguments": {"x": "' .. value .. '"}}</tool_call>'
    return only(sluice.parse("hermes", text)).status
  end
  it("was not escaped, and is doubtful", function()
    for _, value in ipairs { [[C:\Users\test]], [[d:\new\users]], [[\bfoo\(x\)]], [[\d+\n]], [[C:\docs]] } do
      assert.are.equal("incomplete", status(value), value)
    end
    assert.are.equal("complete", status [[C:\temp \b]])
  end)
end)

describe("a closer cut off by the end of the text", function()
  local cut = { hermes = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_cal', lfm2 = "<|tool_call_start|>[f(a=1)]<|tool_",
    qwen3_coder = "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</" }
  for syntax, text in pairs(cut) do
    it("is markup, in " .. syntax, function()
      local result = sluice.parse(syntax, text, { tools = support.tools "f" })
      assert.are.same({ "f", true, "" }, { only(result).name, only(result).valid, result.content or "" })
      local more = text .. " and so on"
      assert.are.equal("and so on", sluice.parse(syntax, more).content:match "and so on$")
    end)
  end
end)

describe("a value that is encoded twice", function()
  local typed = [[ [{ "name": "f", "parameters": { "type": "object", "properties": { "o": { "type": "object" }, "n": { "type": "integer" },
    "b": { "type": ["boolean", "null"] }, "s": { "type": "string" }, "sn": { "type": ["string", "integer"] } } } }] ]]
  local function read(key, value)
    local text = "<tool_call>\n<function=f>\n<parameter=" .. key .. ">\n" .. value .. "\n</parameter>\n</function>\n</tool_call>"
    local call = only(sluice.parse("qwen3_coder", text, { tools = typed }))
    return { call.arguments, call.status, call.valid }
  end
  it("stays unchanged, and is not valid if no string is allowed", function()
    assert.are.same({ [[{"n":"\"5\""}]], "complete", false }, read("n", '"5"'))
    assert.is_false(read("o", [["{\"k\": 1}"]])[3])
    assert.are.same({ [[{"s":"\"5\""}]], "complete", true }, read("s", '"5"'))
    assert.are.same({ [[{"sn":"\"5\""}]], "complete", true }, read("sn", '"5"'))
    assert.is_false(read("n", '"x"')[3])
    assert.is_false(read("o", [["[1]"]])[3])
    assert.is_false(read("n", '"5" "6"')[3])
  end)
end)

describe("a parameter without a value", function()
  local function pairs_of(text)
    local result = sluice.parse("glm45", "<tool_call>f\n" .. text .. "</tool_call>")
    return { only(result).arguments, only(result).status, (result.errors[1] or {}).code }
  end
  it("is left out if no part of the value follows its key", function()
    assert.are.same({ "{}", "incomplete", "bad_arguments" }, pairs_of "<arg_key>a</arg_key>\n")
    assert.are.same({ '{"b":3}', "incomplete", "bad_arguments" },
      pairs_of "<arg_key>a</arg_key>\n<arg_key>b</arg_key>\n<arg_value>3</arg_value>\n")
    assert.are.same({ '{"a":""}', "complete" }, pairs_of "<arg_key>a</arg_key>\n<arg_value></arg_value>\n")
  end)
  it("is doubtful if its value is empty and has no closer", function()
    assert.are.same({ '{"a":""}', "incomplete", "bad_arguments" }, pairs_of "<arg_key>a</arg_key>\n<arg_value>")
    local result = sluice.parse("minimax_m2", '<minimax:tool_call>\n<invoke name="f">\n<parameter name="a"></invoke>\n</minimax:tool_call>')
    assert.are.same({ '{"a":""}', "incomplete" }, { only(result).arguments, only(result).status })
  end)
end)

describe("a value with the same closers as a quoted call", function()
  it("makes the call incomplete if it quotes one, and those that follow", function()
    local quoted = "<<<[TOOL_REQUEST]>>>\ntool_name:「始」delete_all「末」\nsure:「始」yes「末」\n<<<[END_TOOL_REQUEST]>>>\n"
    local text = "<<<[TOOL_REQUEST]>>>\ntool_name:「始」write_file「末」\ncontent:「始」" .. quoted .. quoted .. "「末」\n<<<[END_TOOL_REQUEST]>>>"
    local result = sluice.parse("vcp", text, { tools = tools_json })
    assert.are.equal("write_file", result.calls[1].name)
    for i, call in ipairs(result.calls) do
      assert.are.same({ "incomplete", false, i }, { call.status, call.valid, result.errors[i].index })
    end
    local second = sluice.stream("vcp")
    local fine = "<<<[TOOL_REQUEST]>>>\ntool_name:「始」a「末」\n<<<[END_TOOL_REQUEST]>>>"
    for _ in second:feed(text) do end
    second:reset()
    local calls = 0
    for event in second:feed(fine) do
      calls = calls + (event.type == "call_begin" and 1 or 0)
    end
    assert.are.equal(1, calls)
  end)
end)

describe("a repeated parameter that is left out", function()
  local first, second = "<parameter=path>\na\n</parameter>\n", "<parameter=path>\nb\n</parameter>\n"
  it("leaves the call incomplete", function()
    local call = only(sluice.parse("qwen3_coder", "<tool_call>\n<function=write_file>\n" .. first .. second .. "</function>\n</tool_call>",
      { tools = tools_json }))
    assert.are.same({ '{"path":"a"}', "incomplete", false }, { call.arguments, call.status, call.valid })
  end)
  it("is kept if JSON has both, and makes the call invalid", function()
    local call = only(sluice.parse("hermes", hermes '{"path": "a", "path": "b"}', { tools = tools_json }))
    assert.are.same({ '{"path": "a", "path": "b"}', "complete", false }, { call.arguments, call.status, call.valid })
  end)
end)

describe("a value inside a parameter beyond limit_value", function()
  local ns = "]<]minimax[>["
  local function arguments(body)
    local text = "<tool_call>\n<invoke name=\"f\">" .. body .. "</invoke>\n</tool_call>"
    local call = only(sluice.parse("minimax_m3", (text:gsub("<", ns .. "<")), { limit_value = 32 }))
    return { call.arguments, call.status }
  end
  local long = ("x"):rep(40)
  it("stays text wherever the parameter is among others of its name", function()
    local raw = ("<b>" .. long .. "</b>"):gsub("<", ns .. "<")
    assert.are.same({ '{"a":"' .. raw .. '"}', "incomplete" }, arguments("<a><b>" .. long .. "</b></a>"))
    assert.are.same({ '{"a":["1","' .. raw .. '"]}', "incomplete" }, arguments("<a>1</a><a><b>" .. long .. "</b></a>"))
    assert.are.same({ '{"a":"' .. raw .. '"}', "incomplete" }, arguments("<a><b>" .. long .. "</b></a><a>1</a>"))
  end)
end)

describe("an object without a name after an answer", function()
  it("is not an answer, in this response or the next", function()
    local answer, nameless = '{"action": "Final Answer", "action_input": "x"}', '{"action_input": "y"}'
    local stream = sluice.stream("action_json", { markup = true })
    for _, text in ipairs { answer .. "\n" .. nameless, nameless } do
      local content = ""
      for _, e in ipairs(support.events(stream, text, 0)) do
        content = content .. (e.type == "text" and e.text or "")
      end
      assert.is_truthy(content:find(nameless, 1, true))
      stream:reset()
    end
  end)
end)

describe("a member beside the arguments that may also be arguments", function()
  local function at(syntax, text)
    local call = only(sluice.parse(syntax, text))
    return { call.arguments, call.status }
  end
  it("makes the call incomplete, in any chunking", function()
    for _, key in ipairs { "arguments", "parameters", "input" } do
      local text = '<tool_call>{"name": "f", "arguments": {"a": 1}, "' .. key .. '": {"b": 1}}</tool_call>'
      assert.are.same({ '{"a": 1}', "incomplete" }, at("hermes", text))
      assert.are.same({ '{"a": 1}', "incomplete" }, at("hermes", text:sub(1, -16)))
    end
  end)
  it("makes the call incomplete if its name is a key", function()
    assert.are.same({ "{}", "incomplete" }, at("apertus", '<|tools_prefix|>[{"f": {}, "g": {"x": 1}}]<|tools_suffix|>'))
    assert.are.same({ "{}", "incomplete" }, at("apertus", '<|tools_prefix|>[{"f": {}, "arguments": {"x": 1}}]<|tools_suffix|>'))
    assert.are.same({ "{}", "incomplete" }, at("apertus", '<|tools_prefix|>[{"f": {}, "g": {"x"'))
  end)
end)
