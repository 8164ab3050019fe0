--- Unescaped quotes inside strings: the first one ends it, and no call with misread quotes is valid.
-- SLUICE_ROUNDS is the number of random calls for each syntax (500).

local sluice = require "sluice"
local support = require "support"
local laws = require "sluice.author.laws"
local json = sluice.json

local rounds = tonumber(os.getenv "SLUICE_ROUNDS") or 500
local random = laws.random(tonumber(os.getenv "SLUICE_SEED") or 5)

local function only(result)
  assert.are.equal(1, #result.calls)
  return result.calls[1]
end

describe("an unescaped quote in a string", function()
  it("ends it, and puts the call in doubt: in JSON, and in Python's notation", function()
    for _, form in ipairs {
      { "hermes", '<tool_call>\n{"name": "f", "arguments": {"x": %s, "y": 3}}\n</tool_call>', [["say "hi" now"]], [["say "hi""]],
        [["a 15" monitor"]], [["<a href="u">b</a>"]], [["print("x")"]], [["say \"a\", "b" and \\"]] },
      { "lfm2", "<|tool_call_start|>[f(x=%s, y=3)]<|tool_call_end|>", "'it's fine'", "'don't, can't'", "'Johns' car'", '"5"x"',
        [["he said "hi" to me"]] },
    } do
      for i = 3, #form do
        local text = form[2]:gsub("%%s", (form[i]:gsub("%%", "%%%%")))
        local call = only(sluice.parse(form[1], text, { tools = support.tools "f" }))
        assert.are.same({ form[i], "incomplete", false }, { form[i], call.status, call.valid })
      end
    end
  end)
  it("leaves the call in doubt if it looks like the closing one", function()
    local call = only(sluice.parse("hermes", '<tool_call>\n{"name": "f", "arguments": {"x": ""hi", he said", "y": 3}}\n</tool_call>'))
    assert.are.equal("incomplete", call.status)
    call = only(sluice.parse("hermes", '<tool_call>\n{"name": "f", "arguments": {"x": "{"k": ["v"]}", "y": 3}}\n</tool_call>'))
    assert.are.equal("incomplete", call.status)
    call = only(sluice.parse("lfm2", '<|tool_call_start|>[f(x="print("x")", y=3)]<|tool_call_end|>'))
    assert.are.equal("incomplete", call.status)
    call = only(sluice.parse("lfm2", '<|tool_call_start|>[f(x="he said "yes"), then left", y=3)]<|tool_call_end|>'))
    assert.are.equal("incomplete", call.status)
  end)
  it("is not text if an operator or a separate value follows", function()
    for _, given in ipairs { "'a'+'b'", "'a'b", "'a'.join(b)", "'a' if b else 'c'", "'a' 'b'" } do
      local text = "<|tool_call_start|>[say(text=" .. given .. ")]<|tool_call_end|>"
      local call = only(sluice.parse("lfm2", text, { tools = support.tools "say" }))
      assert.are.same({ given, "incomplete", false }, { given, call.status, call.valid })
    end
    local call = only(sluice.parse("hermes", '<tool_call>{"name": "f", "arguments": {"x": "a" "y": 3, z: "b"}}</tool_call>'))
    assert.are.same({ "a", "incomplete" }, { json.decode(call.arguments).x, call.status })
  end)
  it("does not extend beyond the call, or beyond the format's literals", function()
    local result = sluice.parse("hermes", '<tool_call>{"name": "f", "arguments": {"x": "a"b</tool_call>\n' ..
      '<tool_call>{"name": "g", "arguments": {"x": "b"}}</tool_call>')
    assert.are.same({ 2, "incomplete", "complete" }, { #result.calls, result.calls[1].status, result.calls[2].status })
    result = sluice.parse("pythonic", "[f(x='a'b)]\nI called 'f'.")
    assert.are.same({ "incomplete", "\nI called 'f'." }, { only(result).status, result.content })
  end)
end)

-- Values as in programs, pages and sentences: words, and words in unescaped quotes.
local words = { "say", "hi", "the", "print", "a", "car", "x = 1", "if y:", "15", "name", "path/to", "f(x)", "[1]", "{k}", "ok.", "no!",
  "b=c", "--flag", "<a href=", "</a>", ">" }
local quoted = { '"%s"', '"%s",', '("%s")', "'%s'", '["%s"]', '{"%s": "a"}' }

local function value()
  local list = {}
  for i = 1, random(6) do
    local form = quoted[random(2 * #quoted)] or "%s"
    list[i] = form:format(words[random(#words)])
  end
  return table.concat(list, random(5) == 1 and ", " or " ")
end

local function read_wrong(call, meant)
  local got, wrong = json.decode(call.arguments), false
  for key, given in pairs(meant) do
    wrong = wrong or got[key] ~= given
  end
  for key in pairs(got) do
    wrong = wrong or meant[key] == nil
  end
  return wrong
end

describe("calls whose strings have unescaped quotes", function()
  local python = function(key, quote, text) return key .. "=" .. quote .. text .. quote end
  local object = function(key, _, text) return '"' .. key .. '": "' .. text .. '"' end
  local forms = {
    hermes = { '<tool_call>\n{"name": "f", "arguments": {%s}}\n</tool_call>', object },
    llama3_json = { '{"name": "f", "parameters": {%s}}', object },
    lfm2 = { "<|tool_call_start|>[f(%s)]<|tool_call_end|>", python },
    pythonic = { "[f(%s)]", python },
  }
  for syntax, form in pairs(forms) do
    it("are parsed as intended, or are not valid: " .. syntax, function()
      local whole = 0
      for _ = 1, rounds do
        local meant, list = {}, {}
        for i, key in ipairs { "x", "y", "z" } do
          if i == 1 or random(3) > 1 then
            meant[key] = value()
            list[#list + 1] = form[2](key, random(2) == 1 and "'" or '"', meant[key])
          end
        end
        local text = form[1]:gsub("%%s", function() return table.concat(list, ", ") end)
        local call = sluice.parse(syntax, text).calls[1]
        local wrong = not call or read_wrong(call, meant)
        whole = whole + (wrong and 0 or 1)
        if call and call.status ~= "incomplete" and wrong then
          error("a call is not in doubt that is not what was meant\n" .. text .. "\n" .. call.arguments)
        end
      end
      assert.is_true(whole > 0) -- values without such quotes
    end)
  end
end)

describe("a stream that was reset", function()
  -- each event's type, bytes and message
  local function story(stream, text)
    local list = {}
    local function take(events)
      for e in events do
        list[#list + 1] = table.concat({ e.type, tostring(e.first), tostring(e.last), e.message or e.text or e.name or "" }, " ")
      end
    end
    take(stream:feed(text))
    take(stream:finish())
    return table.concat(list, "\n")
  end
  it("parses like a new one, in whatever call it was left", function()
    local texts = {}
    for _, name in ipairs(support.syntaxes()) do
      local text = sluice.render(name, { { name = "f", arguments = { x = 'say "hi", he <said> "now"', y = 3 } } })
      texts[#texts + 1] = text and text:gsub('\\"', '"') or nil
    end
    local stream = sluice.stream("auto", { parameters = true })
    for _ = 1, rounds do
      local text = texts[random(#texts)]
      text = text:sub(1, random(#text)) .. '{"name": {"name": ""call:f' -- its own literals are not expected here
      local before = texts[random(#texts)]
      story(stream, before:sub(1, random(#before)))
      stream:reset()
      local again = story(stream, text)
      stream:reset()
      assert.are.equal(story(sluice.stream("auto", { parameters = true }), text), again)
    end
  end)
end)
