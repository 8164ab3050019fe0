--- The JSON Schema test suite (draft 2020-12, required part), and what calls say of their schema.

local sluice = require "sluice"
local support = require "support"
local core = require "sluice.core"

local json = sluice.json

-- A line is a group of tests, and the file that it comes from.
local files, groups = {}, {}
for line in io.lines(support.root .. "/tests/data/json_schema_test_suite/draft2020-12.jsonl") do
  local group = assert(core.tools_json(line))
  if not groups[group.file] then
    files[#files + 1], groups[group.file] = group.file, {}
  end
  table.insert(groups[group.file], group)
end

-- Groups whose result is known to differ, and why. A wrong acceptance is never excused.
local reasons = {
  { "metaschema", "documents elsewhere" }, { "remote ref", "documents elsewhere" }, { "definition", "documents elsewhere" },
}

describe("the JSON Schema test suite", function()
  for _, file in ipairs(files) do
    it(file, function()
      for _, group in ipairs(groups[file]) do
        local excused = false
        for _, reason in ipairs(reasons) do
          excused = excused or group.description:find(reason[1])
        end
        -- with doubles, integers beyond 2^53 are not distinguished
        local needs_integers = group.description:find("64%-bit representation limits") and not math.type
        local compiled = core.schema(json.encode(group.schema))
        for _, test in ipairs(needs_integers and {} or group.tests) do
          local at, why, code = compiled:check(json.encode(test.data))
          if (at == nil) ~= test.valid and not (excused and code == "schema_unchecked") then
            error(("%s: %s: %s%s"):format(group.description, test.description,
              test.valid and "should be valid: " or "should not be valid", why or ""))
          end
        end
      end
    end)
  end
end)

describe("validation", function()
  local tools = json.encode { { type = "function", ["function"] = { name = "f", parameters = json.decode [[{
    "type": "object", "required": ["city"], "additionalProperties": false, "properties": {
      "city": {"type": "string", "minLength": 2}, "days": {"$ref": "#/$defs/days"},
      "tags/x": {"type": "array", "items": {"enum": ["a", "b"]}}},
    "$defs": {"days": {"type": "integer", "minimum": 1}}}]] } } }

  local function breach(arguments, options)
    options = options or {}
    options.tools = tools
    local text = '<tool_call>{"name": "f", "arguments": ' .. arguments .. "}</tool_call>"
    local result = sluice.parse("hermes", text, options)
    assert.are.equal("complete", result.calls[1].status)
    assert.are.equal(arguments, result.calls[1].arguments)
    local wrong = result.errors[1]
    return wrong and wrong.code .. " " .. wrong.message:match "^%S+" -- the code and the place
  end

  it("reports the place, and changes nothing", function()
    assert.is_nil(breach '{"city": "Paris", "days": 3, "tags/x": ["a"]}')
    for arguments, place in pairs {
      ["{}"] = "lacks", ['{"city": 1}'] = "/city", ['{"city": "é"}'] = "/city", ['{"city": "Paris", "days": 0}'] = "/days",
      ['{"city": "Paris", "tags/x": ["a", "c"]}'] = "/tags~1x/1", ['{"city": "Paris", "town": 1}'] = "/town",
    } do
      assert.are.equal("schema_mismatch " .. place, breach(arguments))
    end
  end)

  it("compares numbers by their digits", function()
    local function fits(schema, value)
      return core.schema(schema):check(value) == nil
    end
    local big = ("1234567890"):rep(5)
    for _, case in ipairs {
      { '{"const": 1234567890123456789}', { "1234567890123456789", "1234567890123456789.0", "12345678901234567890e-1" },
        { "1234567890123456788", "1234567890123456790", "1.23456789012345678e18" } },
      { '{"enum": [-0.10]}', { "-0.1", "-1e-1", "-0.0001E+3" }, { "0.1", "-0.10000000000000000001", "-1" } },
      { '{"const": 0}', { "-0", "0.00", "0e999" }, { "1e-400" } },
      { '{"const": 1e400}', { "1e400", "10e399", "0.01e402" }, { "1e401", "-1e400" } },
      { '{"minimum": 12345678901234567891}', { "12345678901234567891", "1.3e19" }, { "12345678901234567890", "-1e30" } },
      { '{"exclusiveMaximum": -0.5}', { "-0.50000000000000000000001", "-1" }, { "-0.5", "-0.49", "0" } },
      { '{"type": "integer"}', { "1.50e1", "1e400", "-0.0", "12345678901234567890.0" }, { "1.0000000000000000001", "1e-1" } },
      { '{"multipleOf": 0.01}', { "19.99", "4.35", "1e30", "0", "-0.07" }, { "0.001", "19.995", "1e-7" } },
      { '{"multipleOf": 100}', { "1e2", "12300" }, { "1e-7", "150" } },
      { '{"multipleOf": 1.5}', { "3", "1.5e1", big }, { "10000000000", "1" } },
      { '{"multipleOf": 2}', { "12345678901234567892", big }, { "12345678901234567891" } },
      { '{"multipleOf": 7}', { "7e300" }, { "1e300" } },
      { '{"uniqueItems": true}', { "[1, 1.5, 10, 100]", "[1234567890123456788, 1234567890123456789]" },
        { "[1, 1.0]", "[1e23, 100000000000000000000000]", "[0, -0.0]" } },
    } do
      for _, value in ipairs(case[2]) do
        assert.is_true(fits(case[1], value), case[1] .. " " .. value)
      end
      for _, value in ipairs(case[3]) do
        assert.is_false(fits(case[1], value), case[1] .. " " .. value)
      end
    end
  end)

  it("does so in every form of tools", function()
    local call = '<tool_call>\n{"name": "f", "arguments": {"a": %s}}\n</tool_call>'
    for _, form in ipairs { '[{"name": "f", "input_schema": %s}]', '{"tools": [{"name": "f", "inputSchema": %s}]}',
      '[{"type": "function", "function": {"name": "f", "parameters": %s}}]' } do
      local given = form:format '{"properties": {"a": {"enum": [1234567890123456789, 0.1, 1e400]}}}'
      for value, good in pairs { ["1234567890123456789"] = true, ["0.1"] = true, ["1e400"] = true, ["1234567890123456788"] = false } do
        assert.are.equal(good, sluice.parse("hermes", call:format(value), { tools = given }).calls[1].valid, form .. value)
      end
    end
  end)

  it("can be switched off", function()
    assert.is_nil(breach("{}", { validate = false }))
  end)

  it("is not applied to cut-off calls", function()
    local result = sluice.parse("hermes", '<tool_call>{"name": "f", "arguments": {"days": 3', { tools = tools })
    assert.are.equal("incomplete", result.calls[1].status)
    assert.are.equal(1, #result.errors)
    assert.are.equal("unfinished_call", result.errors[1].code)
  end)
end)

describe("a part of a schema that cannot be checked", function()
  local parts = { '{"pattern": "(a)\\\\1"}', '{"$ref": "#/nowhere"}', '{"$ref": "other.json"}', '{"minLength": "2"}', '{"enum": "x"}',
    '{"anyOf": {}}', '{"not": 5}', '{"type": "colour"}', "5", '{"items": {}, "disallow": "null"}', '{"pattern": "["}',
    '{"$recursiveRef": "#"}' }

  local function call(schema, arguments, form)
    local tools = (form or '[{"type": "function", "function": {"name": "f", "parameters": %s}}]')
      :format(('{"properties": {"a": %s, "b": {"type": "integer"}}}'):format(schema))
    local result = sluice.parse("hermes", '<tool_call>{"name": "f", "arguments": ' .. arguments .. "}</tool_call>", { tools = tools })
    return result.calls[1].valid, result.errors[1] and result.errors[1].code, result.errors[1] and result.errors[1].message, tools
  end

  it("is noted, and makes a call for which it is reached not valid", function()
    for _, form in ipairs { false, '[{"name": "f", "input_schema": %s}]' } do
      for _, part in ipairs(parts) do
        local valid, code, message, tools = call(part, '{"a": "x"}', form)
        assert.is_false(valid, part)
        assert.are.equal("schema_unchecked", code, part)
        assert.are.equal("/a ", message:sub(1, 3), part)
        local notes = sluice.tools_notes(tools)
        assert.are.equal(1, #notes, part)
        assert.are.equal("f", notes[1].tool)
        assert.are.equal("/properties/a", notes[1].pointer:sub(1, 13))
        assert.is_string(notes[1].message)
        assert.is_true((call(part, '{"b": 1}', form)), part) -- not reached
        assert.are.equal("schema_mismatch", (select(2, call(part, '{"b": "x"}', form))), part)
      end
    end
  end)

  it("is not what annotates, or has no effect on this value", function()
    for _, part in ipairs { '{"title": 5, "format": "date", "default": 1, "examples": {}, "x-order": 1, "description": []}', "true",
      "{}", '{"type": "any"}' } do
      assert.is_true((call(part, '{"a": "x"}')), part)
      assert.are.same({}, sluice.tools_notes((select(4, call(part, "{}")))))
    end
    assert.is_true((call('{"maximum": "5", "required": "x"}', '{"a": "x"}')))
  end)

  it("includes a second tool of the same name", function()
    local notes = sluice.tools_notes '[{"name": "f"}, {"name": "g"}, {"name": "f"}]'
    assert.are.same({ 1, "f" }, { #notes, notes[1].tool })
  end)

  it("includes keys that an object below the top has twice", function()
    local valid, code, message = call("{}", '{"a": {"k": 1, "l": 2, "k": 3}}')
    assert.is_false(valid)
    assert.are.equal("duplicate_parameter", code)
    assert.are.equal("/a/k ", message:sub(1, 5))
  end)

  it("comes before the CALL_END, in every chunking", function()
    local tools = '[{"name": "f", "parameters": {"properties": {"a": {"pattern": "(?<=a)b"}}}}]'
    local text = '<tool_call>{"name": "f", "arguments": {"a": "b"}}</tool_call>'
    for chunk = 0, 5 do
      local seen = {}
      for _, event in ipairs(support.events(sluice.stream("hermes", { tools = tools }), text, chunk)) do
        seen[#seen + 1] = event.type == "error" and event.code or event.type == "call_end" and tostring(event.valid) or nil
      end
      assert.are.same({ "schema_unchecked", "false" }, seen)
    end
  end)
end)

-- A check is given up after ten million steps: what grows with the square of these sizes would not end with these results.
describe("schemas and values of thousands of parts", function()
  local n = 8000

  local function list(form, from, to, step)
    local out = {}
    for i = from, to, step or 1 do
      out[#out + 1] = form:gsub("#", tostring(i))
    end
    return table.concat(out, ",")
  end

  local members = "{" .. list('"k#": #', n, 1, -1) .. "}"
  for name, case in pairs {
    properties = { '{"additionalProperties": false, "properties": {' .. list('"k#": {"type": "integer"}', 1, n) .. "}}", members },
    required = { '{"required": [' .. list('"k#"', 1, n) .. "]}", members },
    evaluated = { '{"unevaluatedProperties": false, "allOf": [' .. list('{"properties": {"k#": {}}}', 1, n) .. "]}", members },
    dependents = { '{"dependentRequired": {' .. list('"k#": ["k1"]', 1, n) .. "}}", members },
    unique = { '{"uniqueItems": true}', "[" .. list('{"a": [#]}', 1, n) .. "]" },
    twice = { "{}", '{"a": {' .. list('"k": #', 1, n) .. "}}", "duplicate_parameter" },
    notes = { '{"allOf": [' .. list('{"minimum": "#"}', 1, n) .. "]}", "1", "schema_unchecked" },
    anchors = { '{"allOf": [' .. list('{"$anchor": "a#"}', 1, 900) .. "], \"items\": {\"allOf\": [" .. list('{"$ref": "\\u0023a#"}', 1, 900)
      .. "]}}", "[1]" },
    text = { '{"pattern": "^(\\\\w+[-. ]?)*$"}', '"' .. ("abc "):rep(20 * n) .. '"' },
    escapes = { '{"maxLength": 160000}', '"' .. ("\\u00e9"):rep(20 * n) .. '"' },
  } do
    it(name, function()
      local at, why, code = core.schema(case[1]):check(case[2])
      assert.are.equal(case[3], code, why)
      assert.is_true((at == nil) == (case[3] == nil))
    end)
  end
end)

describe("a list written item by item", function()
  local function read(name, schema, ...)
    local out = {}
    for _, value in ipairs { ... } do
      local open, close = "<tool:f>\n", "</tool:f>"
      local form = name == "minimax_m3" and "]<]minimax[>[<a>%s]<]minimax[>[</a>" or "<param:a>%s</param:a>\n"
      if name == "minimax_m3" then
        open, close = ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="f">', "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"
      end
      out[#out + 1] = form:format(value)
      out[0] = open .. table.concat(out) .. close
    end
    local tools = ('[{"name": "f", "parameters": {"properties": {"a": %s}}}]'):format(schema)
    local whole = sluice.parse(name, out[0], { tools = tools }).calls[1]
    local stream, pieces = sluice.stream(name, { tools = tools }), {}
    local function note(event)
      pieces[#pieces + 1] = event.type == "arguments" and event.text or nil
    end
    for c in out[0]:gmatch "." do
      for event in stream:feed(c) do
        note(event)
      end
    end
    for event in stream:finish() do
      note(event)
    end
    assert.are.equal(whole.arguments, table.concat(pieces))
    assert.are.equal("complete", whole.status)
    assert.is_true(whole.valid)
    return whole.arguments
  end

  it("may be a single value of another type", function()
    for _, name in ipairs { "xml_tags", "minimax_m3" } do
      local maybe = '{"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}'
      assert.are.equal('{"a":null}', read(name, maybe, "null"))
      assert.are.equal('{"a":["nil"]}', read(name, maybe, "nil"))
      assert.are.equal('{"a":["null","x"]}', read(name, maybe, "null", "x"))
      assert.are.equal('{"a":["x","null"]}', read(name, maybe, "x", "null"))
      assert.are.equal('{"a":["x"]}', read(name, maybe, '["x"]'))
      assert.are.equal('{"a":5}', read(name, '{"type": ["array", "integer"]}', "5"))
      assert.are.equal('{"a":["5","6"]}', read(name, '{"type": ["array", "integer"]}', "5", "6"))
      -- an item is a list of one
      assert.are.equal('{"a":[5]}', read(name, '{"type": ["array", "integer"], "items": {"type": "integer"}}', "5"))
      assert.are.equal('{"a":["null"]}', read(name, '{"type": "array", "items": {"type": "string"}}', "null"))
    end
    assert.are.equal('{"a":{"q": 1}}', read("xml_tags", '{"type": ["array", "object"], "items": {"type": "string"}}', '{"q": 1}'))
  end)
end)

describe('types = "schema"', function()
  local tools = json.encode { { type = "function", ["function"] = { name = "f", parameters = json.decode [[{
    "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "o": {"type": "object"},
    "u": {"type": ["integer", "string"]}}}]] } } }

  local function read(arguments, options)
    options = options or {}
    options.tools, options.types = tools, "schema"
    return sluice.parse("hermes", '<tool_call>{"name": "f", "arguments": ' .. arguments .. "}</tool_call>", options)
  end

  it("converts strings to the declared types, and leaves the rest unchanged", function()
    assert.are.equal('{"n":3,"s":"3","u":"3","o":{"a":1},"x":[1, 2.0]}',
      read('{"n": "3", "s": "3", "u": "3", "o": "{\\"a\\":1}", "x": [1, 2.0]}').calls[1].arguments)
    local result = read '{"n": "many"}'
    assert.are.equal('{"n":"many"}', result.calls[1].arguments)
    assert.are.equal("type_mismatch", result.errors[1].code)
    assert.are.equal('{"n":9007199254740993}', read('{"n": 9007199254740993}').calls[1].arguments)
    assert.are.equal("{}", read("{}").calls[1].arguments)
    assert.are.equal("limit_exceeded", read('{"n": "33"}', { limit_value = 3 }).errors[1].code)
    local open = sluice.stream("hermes", { tools = tools, types = "schema" })
    for event in open:feed '<tool_call>{"name": "f", "arguments": {"s": "abc' do
      result = event.text or result
    end
    assert.are.equal('{"s":"abc', result) -- a string does not wait for its end
  end)

  it("does so in every chunking", function()
    local text = 'a <tool_call>{"name": "f", "arguments": {"n": "3", "s": "x\\ny\n\255 z", "o": {"k": [1, 2]}, "u": 5'
    for _, rest in ipairs { "}}</tool_call>", "", ', "s', '}' } do
      local stream = sluice.stream("hermes", { tools = tools, types = "schema", markup = true, parameters = true })
      local whole = support.events(stream, text .. rest, 0)
      assert.is_nil(support.uncovered(whole, text .. rest))
      assert.is_nil(support.bad_arguments(whole))
      for chunk = 1, 40 do
        assert.are.equal(support.lines(whole), support.lines(support.events(stream, text .. rest, chunk)))
      end
    end
  end)
end)
