--- Text beside, after or around the arguments of a call in JSON that may be more of them, or another call.

local sluice = require "sluice"
local json = sluice.json
local unpack = table.unpack or unpack -- luacheck: ignore

local tools = json.encode {
  { name = "f", parameters = { type = "object", properties = { a = {}, b = {} } } },
  { name = "g", parameters = { type = "object", properties = { x = {} } } },
}

--- The calls ("name arguments status") and the codes of the errors, read in chunks of each length.
local function read(syntax, text, options)
  local first
  for _, chunk in ipairs { 0, 1, 7 } do
    local stream, calls, codes, open = sluice.stream(syntax, options or {}), {}, {}, {}
    local function take(events)
      for e in events do
        if e.type == "call_begin" then
          open = { e.name, "" }
        elseif e.type == "arguments" then
          open[2] = open[2] .. e.text
        elseif e.type == "call_end" then
          calls[#calls + 1] = table.concat({ open[1], open[2], e.status }, " ")
        elseif e.type == "error" and e.code ~= "unknown_tool" then
          codes[#codes + 1] = e.code
        end
      end
    end
    for at = 1, #text, chunk == 0 and #text or chunk do
      take(stream:feed(chunk == 0 and text or text:sub(at, at + chunk - 1)))
    end
    take(stream:finish())
    local got = { calls = calls, codes = table.concat(codes, " ") }
    first = first or got
    assert.are.same(first, got)
  end
  return first
end

local function hermes(object, options)
  return read("hermes", "<tool_call>" .. object .. "</tool_call>", options)
end

--- Each case: the text, and the resulting calls. Incomplete ones must be reported.
local function check(cases, around, options)
  for _, case in ipairs(cases) do
    local got = around(case[1], options)
    assert.are.same({ case[1], unpack(case, 2) }, { case[1], unpack(got.calls) })
    assert.are.equal(table.concat(case, " ", 2):find "incomplete" ~= nil, got.codes ~= "", case[1])
  end
end

describe("a member beside the arguments", function()
  it("is reported if it may be one of them, or a call, and no tool is given", function()
    check({
      { '{"name": "f", "arguments": {"a": 1}, "why": "x", "type": "function"}', 'f {"a": 1} complete' },
      { '{"name": "f", "arguments": {"a": 1}, "b": 2}', 'f {"a": 1} incomplete' },
      { '{"b": {"c": 2}, "name": "f", "arguments": {"a": 1}}', 'f {"a": 1} incomplete' },
      { '{"name": "f", "arguments": {"a": 1}, "b": "{\\"c\\": 2}"}', 'f {"a": 1} incomplete' },
      { '{"name": "f", "arguments": {"a": 1}, "type": {"c": 2}}', 'f {"a": 1} incomplete' },
      { '{"name": "f", "arguments": {}, "b": "x"}', "f {} incomplete" },
      { '{"name": "f", "arguments": {}, "id": "x"}', "f {} complete" },
      { '{"name": "f", "arguments": {}, "b": null, "c": {}, "d": ""}', "f {} complete" },
      { '{"name": "f", "b": 2, "arguments": {"a": 1', 'f {"a": 1} incomplete' },
    }, hermes)
  end)
  it("is reported if the tool declares it, or it contains a call", function()
    check({
      { '{"name": "f", "arguments": {"a": 1}, "c": 2}', 'f {"a": 1} complete' },
      { '{"name": "f", "arguments": {"a": 1}, "b": 2}', 'f {"a": 1} incomplete' },
      { '{"name": "f", "arguments": {"a": 1}, "a": 2}', 'f {"a": 1} incomplete' },
      { '{"name": "f", "arguments": {"a": 1}, "next": [{"name": "g", "arguments": {}}]}', 'f {"a": 1} incomplete' },
      { '{"tool_calls": "[{\\"name\\": \\"g\\"}]", "name": "f", "arguments": {"a": 1}}', 'f {"a": 1} incomplete' },
    }, hermes, { tools = tools })
  end)
  it("is reported if an extra brace shows that it is one of them", function()
    check({ { '{"name": "f", "arguments": {"a": 1}, "b": "x"}}', 'f {"a": 1} incomplete' } }, hermes)
  end)
  it("is reported if its key does not end or has no colon; the next call is found", function()
    local good = '<tool_call>{"name": "g", "arguments": {}}'
    check({
      { '{"name": "f", "arguments": {"a": 1}, "why: {"b": 1}}</tool_call>' .. good, 'f {"a": 1} incomplete', "g {} complete" },
      { '{"name": "f", "arguments": {"a": 1} I will wait</tool_call>' .. good, 'f {"a": 1} incomplete', "g {} complete" },
      { '{"name": "f", "arguments": {"a": 1}, "b</tool_call>' .. good, 'f {"a": 1} incomplete', "g {} complete" },
    }, hermes)
    local none = read("sarashina", '<|tool_calls|>[{"name": "f", "arguments: {}}, {"name": "g", "arguments": {"x": 1}}]')
    assert.are.same({ {}, "unfinished_call" }, { none.calls, none.codes }) -- the ends of the strings are unknown
  end)
  it("is reported in formats that require the arguments, or whose members are all arguments", function()
    for syntax, text in pairs {
      granite4 = '<tool_call>\n{"name": "f", "arguments": {"a":1}, "arguments": {"b": 1}}\n</tool_call>',
      codebuff = '<codebuff_tool_call>\n{"cb_tool_name": "f", "a": 1, "cb_tool_name": "g"}\n',
    } do
      assert.are.same({ 'f {"a":1} incomplete' }, read(syntax, text).calls)
    end
  end)
end)

describe("arguments in a string", function()
  it("with text after them are incomplete; extra closers are left out", function()
    check({
      { '{"name": "f", "arguments": "{\\"a\\": 1}, \\"b\\": 2"}', 'f {"a": 1} incomplete' },
      { '{"name": "f", "arguments": "{\\"a\\": 1} b"}', 'f {"a": 1} incomplete' },
    }, hermes)
    assert.are.same({ calls = { 'f {"a": 1} recovered' }, codes = "ignored_text" }, hermes '{"name": "f", "arguments": "{\\"a\\": 1}}"}')
  end)
  it("in a string are also reported before the name", function()
    local twice = '"\\"{\\\\\\"a\\\\\\": 1}\\""'
    check({
      { '{"name": "f", "arguments": ' .. twice .. "}", "f {} incomplete" },
      { '{"arguments": ' .. twice .. ', "name": "f"}', "f {} incomplete" },
    }, hermes)
  end)
end)

describe("text after the arguments, instead of a closer", function()
  it("leaves the call incomplete if it looks like more arguments", function()
    local open, close = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    for _, more in ipairs { '{"b": 2}', ', {"b": 2}', '\n"b": 2', "{b: 2}" } do
      local got = read("deepseek_v31", open .. '{"a": 1}' .. more .. close)
      assert.are.same({ 'f {"a": 1} incomplete' }, got.calls)
    end
    assert.are.same({ 'f {"a": 1} incomplete' }, read("chatmcp", '<function name="f">{"a": 1}{"b": 2}</function>').calls)
  end)
end)

describe("beside a member that holds calls", function()
  it("possible further calls are reported", function()
    local call = '{"name": "f", "parameters": {"a": 1}}'
    local twice = read("open_webui", '{"tool_calls": [' .. call .. '], "tool_calls": [' .. call .. "]}")
    assert.are.same({ calls = { 'f {"a": 1} complete' }, codes = "invalid_call" }, twice)
    check({
      { '{"arguments": {"a": 1}, "function_call": {"name": "f"}}', "f {} incomplete" },
      { '{"function_call": {"name": "f", "arguments": {}}, "function_call": {"name": "g"}}', "f {} incomplete" },
    }, function(object)
      return read("deepchat", "<function_call>" .. object .. "</function_call>")
    end)
  end)
end)

describe("a call inside an object that is not a call", function()
  it("is not a call if calls may begin anywhere", function()
    for syntax, call in pairs {
      agent_zero = '{"tool_name": "f", "tool_args": {}}', open_webui = '{"name": "f", "parameters": {}}',
      browser_use = '{"action": [{"f": {}}]}',
    } do
      for _, text in ipairs { '{"result": ' .. call .. "}", 'It says {"result": [' .. call .. ', 1]} there.', '{"result": ' .. call } do
        assert.are.same({}, read(syntax, text).calls)
      end
      assert.are.equal(1, #read(syntax, '{"result": ' .. call .. "} " .. call).calls)
    end
  end)
end)

describe("a call after an unreadable item of a list", function()
  local good = ', {"name": "g", "arguments": {}}]'
  it("is incomplete if it may be part of that item", function()
    for _, item in ipairs {
      '{"x: [{"name": "p", "arguments": {}}], "name": "f", "arguments": {}}',
      '{"name": "f", "arguments": {"a": [1 2 @: 3, {"name": "p", "arguments": {}}]}}',
      '{"name": "f", "arguments": {}, "a": {"name": "p", "arguments": {}, {"b": 1}}}',
    } do
      for _, call in ipairs(read("functools", 'functools[{"name": "e", "arguments": {}}, ' .. item .. good).calls) do
        assert.is_true(not call:find "^p" or call:find "incomplete" ~= nil, call)
      end
    end
  end)
  it("is complete if the item's braces balance", function()
    for _, item in ipairs { "{no call}", '{"name": "f", "arguments": {"a": @:@ }}' } do
      local calls = read("functools", 'functools[{"name": "e", "arguments": {}}, ' .. item .. good).calls
      assert.are.equal("g {} complete", calls[#calls])
    end
  end)
end)

describe("an item of a list of calls that is not a call", function()
  local f, g = '{"name": "f", "arguments": {"a": 1}}', '{"name": "g", "arguments": {}}'
  local around = { phi4_mini = { "functools[", "]" }, jamba = { "<tool_calls>[", "]</tool_calls>" }, mistral = { "[TOOL_CALLS][", "]" } }
  it("is reported and left out anywhere; the calls around it are complete", function()
    for syntax, ends in pairs(around) do
      for _, item in ipairs { "null", "[1, 2]", "oops", "true", "[" .. f .. "]" } do
        local one = ends[1] .. f .. ", " .. item .. ", " .. g .. ends[2]
        assert.are.same({ calls = { 'f {"a": 1} complete', "g {} complete" }, codes = "invalid_call" }, read(syntax, one), one)
        local more = ends[1] .. item .. ", " .. item .. ", " .. g .. ", " .. item .. ends[2]
        assert.are.same({ calls = { "g {} complete" }, codes = "invalid_call invalid_call invalid_call" }, read(syntax, more), more)
      end
    end
  end)
  it("may be one of a call's arguments if a brace closed too early; the call is then incomplete", function()
    for syntax, ends in pairs(around) do
      assert.are.equal('f {"a": 1} incomplete', read(syntax, ends[1] .. f .. ', "b", ' .. g .. ends[2]).calls[1])
    end
  end)
  it("may be missing between two commas", function()
    for syntax, ends in pairs(around) do
      assert.are.same({ calls = { 'f {"a": 1} complete', "g {} complete" }, codes = "" }, read(syntax, ends[1] .. f .. ",, " .. g .. ",]"))
    end
  end)
end)
