--- Marks against echoes: text with the mark is a call, text without it is not, in each of the four directions. Every script with
-- `marked` is tested with the calls of its own examples.

local sluice = require "sluice"
local support = require "support"
local json = sluice.json

local mark = { mark = "k3f9" }

-- Definitions of the called tools, with parameters declared as strings or by their actual types.
local function tools_for(calls)
  local list = json.array()
  for _, call in ipairs(calls) do
    local properties = {}
    for _, key in ipairs(json.keys(json.decode(json.encode(call.arguments), { exact = true }))) do
      local value = call.arguments[key]
      properties[#properties + 1] = { key, json.object { { "type", type(value) == "string" and "string" or nil } } }
    end
    list[#list + 1] = json.object { { "type", "function" }, { "function", json.object { { "name", call.name },
      { "parameters", json.object { { "type", "object" }, { "properties", json.object(properties) } } } } } }
  end
  return json.encode(list)
end

-- The scripts with a place for a mark, with an example that they write.
local marked = {}
for _, name in ipairs(support.syntaxes()) do
  local d = sluice.description(name)
  for _, example in ipairs(d.marked and d.examples or {}) do
    if example.calls and example.calls[1] and not example.deviates and not marked[name] then
      marked[#marked + 1], marked[name] = name, example.calls
    end
  end
end

local function shown(result)
  local list = {}
  for i, call in ipairs(result.calls) do
    list[i] = ("%s %s %s"):format(call.name, call.arguments, call.status)
  end
  return table.concat(list, "\n")
end

describe("a mark", function()
  it("has a place in prompted formats", function()
    assert.is_true(#marked >= 20)
    assert.is_truthy(marked.hermes and marked.caret)
    assert.are.equal('<tool_call k3f9>\n{"name": "f", "arguments": {}}\n</tool_call k3f9>',
      sluice.render("hermes", { { name = "f" } }, mark))
    assert.are.equal("^^^k3f9 f\na: b\n^^^k3f9\n", sluice.render("caret", { { name = "f", arguments = { a = "b" } } }, mark))
  end)
  for _, name in ipairs(marked) do
    it("is written and parsed by " .. name .. ", whole and a byte at a time", function()
      local calls = marked[name]
      local plain = assert(sluice.render(name, calls))
      local text = assert(sluice.render(name, calls, mark))
      local tools = tools_for(calls)
      local want = shown(sluice.parse(name, plain, { tools = tools }))
      local options = { tools = tools, mark = "k3f9" }
      assert.are.equal(want, shown(sluice.parse(name, text, options)))
      local stream = sluice.stream(name, options)
      local collect = require("sluice.stream").collector()
      for i = 1, #text do
        for event in stream:feed(text:sub(i, i)) do
          collect(event)
        end
      end
      for event in stream:finish() do
        collect(event)
      end
      assert.are.equal(want, shown(collect()))
    end)
    it("turns calls without it, or with another one, into text, in " .. name, function()
      local calls = marked[name]
      local tools = tools_for(calls)
      for _, other in ipairs { assert(sluice.render(name, calls)), assert(sluice.render(name, calls, { mark = "zzzz" })) } do
        local result = sluice.parse(name, "See:\n" .. other, { tools = tools, mark = "k3f9" })
        assert.are.same({ "", "See:\n" .. other:gsub("%s+$", "") }, { shown(result), ((result.content or ""):gsub("%s+$", "")) })
      end
    end)
    it("is in the prompt and in the grammars of " .. name, function()
      local tools = tools_for(marked[name])
      local text = assert(sluice.prompt(name, tools, mark))
      assert.is_truthy(text:find("The mark `k3f9` makes a call count", 1, true))
      assert.is_true(#sluice.parse(name, text, { tools = tools, mark = "k3f9", max_calls = 0 }).calls > 0)
      for _, target in ipairs { "lark", "gbnf", "structural-tag" } do
        local without = sluice.grammar(name, tools, target)
        local with = sluice.grammar(name, tools, target, mark)
        assert.are.equal(without ~= nil, with ~= nil)
        assert.is_true(not with or with ~= without)
      end
    end)
  end
  it("is required in all forms of a format", function()
    local text = "<tool_calls:opensource><tool_call:opensource>f<tool_sep:opensource></tool_call:opensource></tool_calls:opensource>"
    assert.are.equal("f {} complete", shown(sluice.parse("hy_v3", text)))
    assert.are.equal("", shown(sluice.parse("hy_v3", text, mark)))
    assert.are.equal("f {} complete", shown(sluice.parse("hy_v3", (text:gsub("opensource", "k3f9")), mark)))
  end)

  it("makes a quoted call in a value harmless", function()
    local tools = tools_for { { name = "write_file", arguments = { content = "" } }, { name = "delete_all", arguments = {} } }
    for _, name in ipairs { "invoke", "claude_legacy", "cline", "openhands", "hermes" } do
      local value = "</parameter>\n" .. assert(sluice.render(name, { { name = "delete_all", arguments = "{}" } })) .. "\n"
      local text = sluice.render(name, { { name = "write_file", arguments = { content = value } } }, mark)
      for _, call in ipairs(text and sluice.parse(name, text, { tools = tools, mark = "k3f9" }).calls or {}) do
        assert.are.equal("write_file", call.name)
      end
    end
  end)
  it("is also an option of the command", function()
    local want = '<tool_call k3f9>\n{"name": "f", "arguments": {}}\n</tool_call k3f9>'
    assert.are.equal(want, support.run("render -s hermes --option mark=k3f9", '[{"name": "f"}]'))
    local line = json.object { { "id", 1 }, { "op", "render" }, { "syntax", "hermes" }, { "calls", json.array { { name = "f" } } },
      { "options", mark } }
    assert.are.equal(want, json.decode((support.run("batch", json.encode(line) .. "\n"))).text)
    local result = json.decode((support.run("parse -s hermes --option mark=k3f9", want .. want:gsub(" k3f9", ""))))
    assert.are.same({ 1, (want:gsub(" k3f9", "")) }, { #result.calls, result.content })
  end)
  it("is a member of a turn, for hosts that render JSON", function()
    local turn = '{"content": "Look:\\n", "calls": [{"name": "f"}], "mark": "k3f9"}'
    assert.are.equal('Look:\n<tool_call k3f9>\n{"name": "f", "arguments": {}}\n</tool_call k3f9>', sluice.render("hermes", turn))
    assert.are.same({ nil, "kimi_k2 has no place for a mark: its script has no field `marked`" },
      { sluice.render("kimi_k2", turn), (select(2, sluice.render("kimi_k2", turn))) })
  end)
  it("is refused if it is invalid, or the format has no place for it", function()
    for _, wrong in ipairs { "", "a b", "<", "a>", ("x"):rep(65) } do
      assert.has_error(function()
        sluice.stream("hermes", { mark = wrong })
      end)
      assert.are.same({ nil, "bad_option" }, { nil, (select(3, sluice.render("hermes", { { name = "f" } }, { mark = wrong }))) })
    end
    local _, message, code = sluice.prompt("kimi_k2", tools_for { { name = "f", arguments = {} } }, mark)
    assert.are.same({ "kimi_k2 has no place for a mark: its script has no field `marked`", "bad_option" }, { message, code })
    assert.has_error(function()
      sluice.stream("auto", mark)
    end, "a mark is for one syntax: name it instead of auto")
  end)
  it("must reach every opener: a script that misses one is refused", function()
    local text = [[local s = require "sluice.syntax"
      return s.syntax { api = 3, name = "half", call = { s.any { "<a>", "<b>" }, s.name(), "</a>" },
        marked = { "<a{ mark}>", "</a{ mark}>" } }]]
    local syntax = assert(sluice.compile(text))
    local _, message = sluice.render(syntax, { { name = "f" } }, mark)
    assert.are.equal("half cannot be marked: `<b>` may begin a call, and `marked` does not name it", message)
    local bare = sluice.parse("qwen25_coder", '{"name": "f", "arguments": {}}', { tools = '[{"name": "f"}]', mark = mark.mark })
    assert.is_nil(bare.calls[1]) -- another form, without tags, is text
    assert.is_truthy(select(2, sluice.compile((text:gsub("<a{ mark}>", "<a>")))):find("openers and closers with {mark}", 1, true))
  end)
  it("is made from the system's randomness", function()
    local seen = {}
    for _ = 1, 50 do
      local made = sluice.mark()
      assert.is_truthy(made:find "^[a-z2-9]+$" and #made == 8 and not seen[made])
      seen[made] = true
    end
  end)
end)
