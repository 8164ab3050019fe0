--- The laws, as properties of every script in syntaxes/: a new script is tested by being there.

local sluice = require "sluice"
local support = require "support"

local json = sluice.json

-- Every text at all these cuts gives the same events, covers its bytes, and has JSON arguments.
local function check(name, text, options, cuts)
  options.markup = true
  local stream = sluice.stream(name, options)
  local whole = support.events(stream, text, 0)
  local wanted = support.lines(whole)
  local function explain(what)
    return ("%s\nin %s: %q"):format(what, name, text)
  end
  local gap = support.uncovered(whole, text)
  if gap then
    error(explain("law 2: " .. gap .. "\n" .. wanted))
  end
  local bad = support.bad_arguments(whole)
  if bad then
    error(explain("law 5: " .. bad))
  end
  for _, e in ipairs(whole) do
    if e.code == "script_error" then
      error(explain(e.message))
    end
  end
  for _, cut in ipairs(cuts) do
    local lines = support.lines(support.events(stream, text, cut))
    if lines ~= wanted then
      local where = type(cut) == "table" and table.concat(cut, ",") or cut
      error(explain(("law 1: cut at %s gives\n%s\ninstead of\n%s"):format(where, lines, wanted)))
    end
  end
  return whole
end

local function random_cut(random, text)
  local cut, at = {}, 0
  while at < #text do
    at = at + random(4)
    if at < #text then
      cut[#cut + 1] = at
    end
  end
  return cut
end

-- The literals of a description, for texts that look almost like calls.
local function literals(description)
  local list = {}
  local function walk(node)
    if type(node) == "table" then
      if node.word == "literal" then
        list[#list + 1] = node.text
      end
      for i = 1, #node do
        walk(node[i])
      end
    end
  end
  for _, block in ipairs(description.blocks) do
    walk(block)
  end
  for _, pair in ipairs(description.reasoning and (description.reasoning.open and { description.reasoning }
    or description.reasoning) or {}) do
    list[#list + 1], list[#list + 2] = pair.open, pair.close
  end
  for _, text in ipairs(description.stop or {}) do
    list[#list + 1] = text
  end
  return list
end

local scraps = { "a", "Hello ", "\n", "\n\n", "  ", "<", ">", "{", "}", "[", "]", "\"", "'", ":", ",", "\\", "ü", "😊", "🛠️",
  "\226\156", "\255", "name", "\"name\": \"f\"", "\"arguments\": {", "{\"a\": 1}", "1", "null", "```\n", "x=", "f", "---\n",
  "key: value\n", "- item\n", "{\"name\": \"f\", \"arguments\": {\"x\": \"y\"}}" }

local function random_text(random, marks)
  local out = {}
  for i = 1, random(14) do
    local mark = random(2) == 1 and marks[random(#marks)] or scraps[random(#scraps)]
    if random(6) == 1 then
      mark = mark:sub(1, random(#mark))
    end
    out[i] = mark
  end
  return table.concat(out)
end

local words = { "Paris", "a b", "", "x\ny\n", "  indented\n    more\n", "quote \" and ' and `", "back\\slash", "tab\there",
  "ünïcödé 漢字 🚀", "</tag> & <b>", "12", "true", "null", "{\"k\": [1, 2]}", "[1, 2]", "---", "^^^", "key: value",
  "line\r\nline", "https://x.y/z?a=b:c#d", "%s %d", "<tool_call>", "</parameter>", "\n", " lead and trail " }

local function random_value(random, depth)
  local kind = random(depth > 2 and 4 or 7)
  if kind <= 2 then
    return words[random(#words)]
  elseif kind == 3 then
    return ({ 0, 1, -5, 42, 1.5, -0.25, 100000 })[random(7)]
  elseif kind == 4 then
    return ({ true, false })[random(2)]
  elseif kind == 5 then
    local list = json.array()
    for i = 1, random(3) do
      list[i] = random_value(random, depth + 1)
    end
    return list
  elseif kind == 6 then
    local pairs_ = {}
    for i = 1, random(3) do
      pairs_[i] = { ("k%d"):format(i), random_value(random, depth + 1) }
    end
    return json.object(pairs_)
  end
  return words[random(#words)]
end

local function same(a, b)
  if json.kind(a) ~= json.kind(b) then
    return false
  elseif json.kind(a) == "array" then
    if #a ~= #b then
      return false
    end
    for i = 1, #a do
      if not same(a[i], b[i]) then
        return false
      end
    end
    return true
  elseif json.kind(a) == "object" then
    for _, key in ipairs(json.keys(a)) do
      if b[key] == nil or not same(a[key], b[key]) then
        return false
      end
    end
    return #json.keys(a) == #json.keys(b)
  end
  return a == b
end

-- The schema that values themselves show.
local function schema_of(...)
  local kinds, seen, items, keys, members = json.array(), {}, {}, {}, {}
  for _, value in ipairs { ... } do
    local kind = json.kind(value)
    if not seen[kind] then
      seen[kind] = true
      kinds[#kinds + 1] = kind
    end
    for _, item in ipairs(kind == "array" and value or {}) do
      items[#items + 1] = item
    end
    for _, key in ipairs(kind == "object" and json.keys(value) or {}) do
      if not members[key] then
        members[key] = {}
        keys[#keys + 1] = key
      end
      table.insert(members[key], value[key])
    end
  end
  local out = { { "type", kinds } }
  if #items > 0 then
    out[#out + 1] = { "items", schema_of((table.unpack or unpack)(items)) }
  end
  if #keys > 0 then
    local properties = json.object()
    for _, key in ipairs(keys) do
      properties[key] = schema_of((table.unpack or unpack)(members[key]))
    end
    out[#out + 1] = { "properties", properties }
  end
  return json.object(out)
end

local function tools_for(calls)
  local list = json.array()
  for i, call in ipairs(calls) do
    local properties = json.object()
    for _, key in ipairs(json.keys(call.arguments)) do
      properties[key] = schema_of(call.arguments[key])
    end
    list[i] = { type = "function", ["function"] = { name = call.name, parameters = { type = "object",
      properties = properties } } }
  end
  return list
end

for _, name in ipairs(support.syntaxes()) do
  local description = sluice.description(name)
  describe(name, function()
    it("says whose format it is, and shows examples", function()
      assert.is_truthy(description.models or description.origin)
      assert.is_truthy(description.source)
      assert.is_truthy(description.examples and #description.examples > 0)
    end)

    it("reads its examples as they say, and writes their calls as they stand", function()
      for _, example in ipairs(description.examples) do
        local result = sluice.parse(name, example.text, { tools = example.tools })
        assert.are.equal(#example.calls, #result.calls, example.text)
        for i, call in ipairs(example.calls) do
          assert.are.equal(call.name, result.calls[i].name)
          assert.is_true(same(json.decode(json.encode(call.arguments)), json.decode(result.calls[i].arguments)),
            result.calls[i].arguments)
        end
        assert.are.equal(example.content, result.content)
        assert.are.equal(example.reasoning, result.reasoning)
        if not example.deviates and #example.calls > 0 and not example.content and not example.reasoning then
          local text, message = sluice.render(name, example.calls)
          assert.are.equal(example.text, text, message)
        end
        local cuts = {}
        for chunk = 1, #example.text do
          cuts[chunk] = chunk
        end
        check(name, example.text, { tools = example.tools }, cuts)
      end
    end)

    it("keeps laws 1, 2 and 5 on random text with marker fragments", function()
      local random = support.random(#name * 7919)
      local marks = literals(description)
      if #marks == 0 then
        marks = scraps
      end
      for _ = 1, tonumber(os.getenv "SLUICE_ROUNDS") or 400 do
        local text = random_text(random, marks)
        local options = {}
        if random(4) == 1 then
          options.calls = "whole"
        end
        if random(4) == 1 then
          options.start = "reasoning"
        end
        if random(4) == 1 then
          options.parameters = true
        end
        check(name, text, options, { 1, 2, 3, random_cut(random, text) })
      end
    end)

    it("keeps law 6: random calls, written and read", function()
      local random = support.random(#name * 104729)
      local carried, refused = 0, 0
      for _ = 1, 150 do
        local calls = {}
        for i = 1, description.max_calls or random(3) do
          local members = {}
          for k = 1, random(4) - 1 do
            members[k] = { ("p%d"):format(k), random_value(random, 0) }
          end
          calls[i] = { name = ("tool_%d"):format(i), arguments = json.object(members) }
        end
        local keys = description.keys
        for _, call in ipairs(keys and calls or {}) do
          local members = {}
          for k, key in ipairs(keys) do
            members[k] = { key, words[random(#words)] }
          end
          call.arguments = json.object(members)
        end
        local tools = tools_for(calls)
        local text, message, code = sluice.render(name, calls)
        if not text then
          assert.are.equal("refused", code, message)
          refused = refused + 1
        else
          carried = carried + 1
          local result = sluice.parse(name, text, { tools = json.encode(tools) })
          assert.are.equal(#calls, #result.calls, text)
          for i, call in ipairs(calls) do
            assert.are.equal(call.name, result.calls[i].name, text)
            assert.are.equal("complete", result.calls[i].status, text)
            local got = json.decode(result.calls[i].arguments)
            assert.is_true(same(call.arguments, got), ("%s\n%s"):format(text, result.calls[i].arguments))
          end
          check(name, text, { tools = json.encode(tools) }, { 1, 3, random_cut(random, text) })
        end
      end
      assert.is_true(carried > refused / 4, ("%d carried, %d refused"):format(carried, refused))
    end)

    it("keeps law 3: plain text and long string values do not wait", function()
      local stream = sluice.stream(name, { markup = true })
      local prose = ("Some prose, with a < and a { in it; é and 漢.\n"):rep(20)
      local longest = 0
      for _, text in ipairs(literals(description)) do
        longest = math.max(longest, #text)
      end
      local block = description.blocks[1]
      if block[1].word == "at_line" and block[2].word == "name" then
        longest = longest + 12 -- the first word of a line may be a tool's name
      end
      local told = 0
      for i = 1, #prose do
        for event in stream:feed(prose:sub(i, i)) do
          told = event.last
        end
        assert.is_true(i - told <= longest + 4, ("%d bytes of text are held"):format(i - told))
      end
      stream:reset()
      if description.options and description.options.calls == "whole" then
        return -- such a format announces a call when it is whole
      end
      local key = description.keys and description.keys[#description.keys] or "content"
      local value = ("word "):rep(400) .. "end"
      local members = { { key, value } }
      for _, other in ipairs(description.keys or {}) do
        if other ~= key then
          table.insert(members, 1, { other, "x" })
        end
      end
      local calls = { { name = "write", arguments = json.object(members) } }
      local text = assert(sluice.render(name, calls))
      local tools = json.encode(tools_for(calls))
      local first = text:find(value, 1, true)
      stream = sluice.stream(name, { tools = tools, parameters = true })
      local shown = 0
      for i = 1, first + #value - 2 do
        for event in stream:feed(text:sub(i, i)) do
          if event.type == "parameter" and event.key == key then
            shown = shown + #event.text
          end
        end
        local due = i - first + 1
        assert.is_true(due - shown <= longest + 8, ("%d bytes of the value are held"):format(due - shown))
      end
    end)
  end)
end

describe("the conformance data", function()
  local random = support.random(4711)
  for _, file in ipairs(support.files(support.root .. "/tests/conformance", ".jsonl")) do
    it("keeps laws 1, 2 and 5: " .. file, function()
      for line in io.lines(support.root .. "/tests/conformance/" .. file) do
        local case = assert(json.decode(line, { exact = true }))
        local cuts = { 1, 2, 3, 7, random_cut(random, case.text) }
        for chunk = 4, math.min(#case.text, 64) do
          cuts[#cuts + 1] = chunk
        end
        check(case.syntax, case.text, { tools = case.tools and json.encode(case.tools), start = case.start }, cuts)
      end
    end)
  end
end)

describe("bytes that are no UTF-8", function()
  it("are text as they came, and U+FFFD in arguments, once with an error", function()
    local whole = check("hermes", "a\255b\226\130<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": \"\255\254 é\"}}</tool_call>", {},
      { 1, 2, 3 })
    local errors, arguments = 0, ""
    for _, e in ipairs(whole) do
      if e.code == "invalid_utf8" then
        errors = errors + 1
      elseif e.type == "arguments" then
        arguments = arguments .. e.text
      end
    end
    assert.are.equal("a\255b\226\130", whole[1].text)
    assert.are.equal(1, errors)
    assert.are.equal("{\"x\": \"\239\191\189\239\191\189 é\"}", arguments)
  end)
end)
