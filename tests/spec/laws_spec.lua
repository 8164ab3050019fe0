--- The laws, as properties of every script in syntaxes/: new scripts are tested automatically.
-- SLUICE_ROUNDS is the number of random texts for each syntax (100); there are fewer damaged and written calls, in proportion.

local sluice = require "sluice"
local support = require "support"

local laws = require "sluice.author.laws"
local json = sluice.json
local word = require "sluice.word"

-- Asserts that a text gives the same events at all these cuts, that these cover its bytes, and that arguments are JSON.
local function check(name, text, options, cuts)
  options.markup = true
  local whole, number, wrong = laws.keeps(sluice.stream(name, options), text, cuts)
  if not whole then
    error(("law %d: %s\nin %s: %q"):format(number, wrong, name, text))
  end
  return whole
end

local junk = { "\195", "\226\130", "\240\159", " ", "\n", "word", "\"", "{", "}", "<", "=" }
local types = { "string", "integer", "boolean", "array", "object" }
local rounds = tonumber(os.getenv "SLUICE_ROUNDS") or 100
local long_lines = ("word a/b. "):rep(1000) .. "\n" .. ("0"):rep(10000) .. '\n{"a": "' .. ("x "):rep(5000) .. "\n`" .. ("a.b/"):rep(2500)
local small = { 8, 16, 24, 32, 40, 64, 128 }

-- A call whose value contains parts of calls, cut characters and other obstacles; then some bytes are dropped, doubled or inserted.
local function quoting(random, call, place)
  local parts = {}
  for i = 1, random(12) do
    local from = random(#call)
    parts[i] = random(2) == 1 and junk[random(#junk)] or random(3) == 1 and call or call:sub(from, from + random(40))
  end
  local from, to = call:find(place, 1, true)
  local text = call:sub(1, from - 1) .. table.concat(parts) .. call:sub(to + 1)
  for _ = 1, random(4) - 1 do
    local at, what = random(#text), random(3)
    local more = what == 2 and text:sub(at, at) or what == 3 and junk[random(#junk)] or ""
    text = text:sub(1, at - (what == 1 and 1 or 0)) .. more .. text:sub(at + 1)
  end
  return text
end

for _, name in ipairs(support.syntaxes()) do
  local description = sluice.description(name)
  describe(name, function()
    it("names its models or origin, and has examples", function()
      assert.is_truthy(description.models or description.origin)
      assert.is_truthy(description.source)
      assert.is_truthy(description.examples and #description.examples > 0)
    end)

    it("parses its examples as expected, also behind long lines, and writes their calls with the same text", function()
      local behind = json.encode { syntax = name, text = long_lines .. "\n\n" .. description.examples[1].text }
      assert.is_nil((support.run("batch", behind)):find("script_error", 1, true))
      for _, example in ipairs(description.examples) do
        local result = sluice.parse(name, example.text, { tools = example.tools })
        assert.are.equal(#example.calls, #result.calls, example.text)
        local first = sluice.parse(name, example.text .. "\n" .. example.text, { tools = example.tools, max_calls = 1 })
        assert.is_true(#first.calls <= 1, example.text)
        for i, call in ipairs(example.calls) do
          assert.are.equal(call.name, result.calls[i].name)
          assert.is_true(laws.same(json.decode(json.encode(call.arguments)), json.decode(result.calls[i].arguments)),
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
      local marks = laws.literals(description)
      for _ = 1, rounds do
        local text = laws.random_text(random, marks)
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
        check(name, text, options, { 1, 2, 3, laws.random_cut(random, text) })
      end
    end)

    it("keeps laws 1, 2 and 5 with quoted and damaged calls, and small limits", function()
      local random = support.random(#name * 6007)
      local long, key = laws.long_call(description, "here")
      local call = assert(sluice.render(name, { long }))
      for _ = 1, rounds / 4 do
        local text, options = quoting(random, call, "here"), { repairs = random(5) > 1, parameters = random(4) == 1 }
        for _, limit in ipairs { "limit_held", "limit_header", "limit_name", "limit_value" } do
          options[limit] = random(4) == 1 and small[random(#small)] or nil
        end
        if random(3) == 1 then
          local properties = { [key] = { type = types[random(#types)] } }
          options.tools = json.encode { { name = long.name, parameters = { type = "object", properties = properties } } }
        end
        check(name, text, options, { 1, laws.random_cut(random, text) })
      end
    end)

    it("keeps law 6: random calls, written and parsed", function()
      local random = support.random(#name * 104729)
      local carried, refused = 0, 0
      for _ = 1, rounds * 0.4 do
        local calls = laws.random_calls(random, description)
        local tools = laws.tools_for(calls)
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
            assert.is_true(laws.same(call.arguments, got), ("%s\n%s"):format(text, result.calls[i].arguments))
          end
          check(name, text, { tools = json.encode(tools) }, { 1, 3, laws.random_cut(random, text) })
        end
      end
      assert.is_true(carried > refused / 4, ("%d carried, %d refused"):format(carried, refused))
    end)

    it("keeps law 3: plain text and long string values do not wait", function()
      local stream = sluice.stream(name, { markup = true })
      local prose = ("Some prose, with a < and a { in it; é and 漢.\n"):rep(20)
      local longest = 0
      for _, text in ipairs(laws.literals(description)) do
        longest = math.max(longest, #text)
      end
      local block = description.blocks[1]
      if block.at == "line" and block[1].word == "name" then
        longest = longest + 12 -- the first word of a line may be a tool's name
      end
      local by_lines = word.has(block, "lines") -- a function reads whole lines
      if by_lines then
        longest = longest + #prose / 20
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
        return -- the format announces only complete calls
      end
      if (description.options and description.options.types == "schema") or word.find(block, function(node)
        return node.word == "json" and node.args == "*"
      end) then
        return -- a member's type, or whether it is an argument, is decided at its end
      end
      local value = (by_lines and "word word word\n" or "word "):rep(400) .. "end"
      local call, key = laws.long_call(description, value)
      local calls = { call }
      local text = assert(sluice.render(name, calls))
      local tools = json.encode(laws.tools_for(calls))
      if word.find(block, function(node)
        return node.word == "value" and node.json
      end) then
        text = text:gsub('"(word[^"]*)"', "%1") -- only their end tells whether quotes are JSON's; text without them does not wait
      end
      local first = text:find(value:sub(1, 14), 1, true)
      stream = sluice.stream(name, { tools = tools, parameters = true })
      local shown = 0
      for i = 1, first + #value - 2 do
        for event in stream:feed(text:sub(i, i)) do
          if event.type == "parameter" and event.key == key then
            shown = shown + #event.text
          end
        end
        local due = i - first + 1
        due = by_lines and due - math.floor(due / 15) or due -- a sign may precede each line
        assert.is_true(due - shown <= longest + 8, ("%d bytes of the value are held"):format(due - shown))
      end
    end)
  end)
end

describe("the cases", function()
  local random, number = support.random(4711), 0
  for _, name in ipairs(support.with_cases()) do
    it("keep laws 1, 2 and 5: " .. name, function()
      for _, case in ipairs(support.cases(name)) do
        number = number + 1
        for at = 1, number % 16 == 0 and case.text and #case.text - 1 or 0 do -- the text ends anywhere, in one case of sixteen
          check(case.syntax, case.text:sub(1, at), { tools = case.tools and json.encode(case.tools) }, {})
        end
        if case.expect then -- the others are cut everywhere by cases_spec
          local cuts = { 1, 2, 3, 7, laws.random_cut(random, case.text) }
          for chunk = 4 + number % 8, math.min(#case.text, 64), 8 do -- each size, in one case of eight
            cuts[#cuts + 1] = chunk
          end
          check(case.syntax, case.text, { tools = case.tools and json.encode(case.tools), start = case.options and case.options.start },
            cuts)
        end
      end
    end)
  end
end)

describe("a usual call that is damaged at one byte", function()
  local tools = [[ [{ "type": "function", "function": { "name": "search", "parameters": { "type": "object", "properties": {
    "query": { "type": "string" }, "days": { "type": "integer" }, "near": { "type": "boolean" } }, "required": ["query"] } } }] ]]

  local calls = {
    { name = "search", arguments = sluice.json.encode { query = "rain in Oslo\nx < y" } },
    { name = "search", arguments = '{"query": "umbrella", "days": 3, "near": true}' },
  }

  local damages = {
    function(text, i) -- a byte is missing
      return text:sub(1, i - 1) .. text:sub(i + 1)
    end,
    function(text, i) -- another one
      return text:sub(1, i - 1) .. (text:sub(i, i) == "x" and "y" or "x") .. text:sub(i + 1)
    end,
    function(text, i) -- a blank too many
      return text:sub(1, i) .. " " .. text:sub(i + 1)
    end,
    function(text, i) -- the text ends
      return text:sub(1, i)
    end,
  }
  for _, syntax in ipairs { "hermes", "llama3_json", "kimi_k2", "qwen3_coder", "glm45", "minimax_m2", "deepseek_v31", "invoke" } do
    it("gives the same events in every chunking, in " .. syntax, function()
      local text, stream = sluice.render(syntax, calls), sluice.stream(syntax, { tools = tools })
      local function lines(damaged, size)
        return support.lines(support.events(stream, damaged, size))
      end
      assert.are.equal(2, #sluice.parse(syntax, text, { tools = tools }).calls)
      for i = 1, #text do
        for kind, damage in ipairs(damages) do
          local damaged = damage(text, i)
          local whole = lines(damaged, 0)
          assert.are.equal(whole, lines(damaged, 4), ("damage %d at byte %d"):format(kind, i))
          assert.are.equal(whole, lines(damaged, 1 + i % 3), ("damage %d at byte %d"):format(kind, i))
        end
      end
    end)
  end
end)

describe("a member without a name", function()
  it("is kept like any other", function()
    local tools = { { name = "f", parameters = { properties = { x = { type = "integer" } } } } }
    for _, text in ipairs { '{"": 1, "name": "f", "arguments": {"x": 1}}', '{"": 1, "name": "f", "x": 1}', '{"": {"": 2}, "name": "f"}' } do
      check("hermes", "<tool_call>" .. text .. "</tool_call>", { tools = tools }, { 1, 2, 7 })
    end
  end)
end)

describe("text left out of a call", function()
  it("is markup of whole characters in every chunking", function()
    for _, text in ipairs { '<function name="f"><param>北京</param></function>', '<function name="f">北é𝄞<b>京</b></function> 京' } do
      check("minicpm5", text, {}, { 1, 2, 3, 4, 5, 7 })
    end
  end)

  it("is not mistaken for whole characters", function()
    assert.is_truthy(laws.cut_character {
      { type = "markup", text = "\229\140", first = 1, last = 2 }, { type = "markup", text = "\151", first = 3, last = 3 } })
    assert.is_nil(laws.cut_character {
      { type = "markup", text = "\229\140", first = 1, last = 2 }, { type = "markup", text = "a", first = 3, last = 3 } })
  end)
end)

describe("invalid UTF-8", function()
  it("is unchanged in text, and U+FFFD in arguments, with one error", function()
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
