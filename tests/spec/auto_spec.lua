--- The syntax `auto`: it recognises a format while its text streams.

local sluice = require "sluice"
local support = require "support"

local laws = require "sluice.author.laws"
local json = sluice.json

local markerless = support.markerless

local function fold(text)
  return text and (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")) or ""
end

-- The result of a case as one text, without white space between blocks.
local function outcome(syntax, case)
  local result = sluice.parse(syntax, case.text, { tools = case.tools and json.encode(case.tools),
    start = case.options and case.options.start })
  local out = { fold(result.content), fold(result.reasoning) }
  for _, call in ipairs(result.calls) do
    out[#out + 1] = table.concat({ call.name, call.arguments, call.status, call.extra or "" }, "\0")
  end
  return table.concat(out, "\1")
end

-- The cases of all syntaxes for which `accepts` is true that say what the result is.
local function cases_of(accepts)
  local list = {}
  for _, name in ipairs(support.with_cases()) do
    for _, case in ipairs(accepts(name) and support.cases(name) or {}) do
      list[#list + 1] = case.expect and case or nil
    end
  end
  return list
end

local families = {}
for _, item in ipairs(sluice.syntaxes()) do
  families[item.name] = item.family
end

local function marked(name)
  return families[name] == "model" and not markerless[name]
end

describe("auto", function()
  it("of the family agent gives the same result as the syntax in nine of ten cases", function()
    local same, count = 0, 0
    for _, case in ipairs(cases_of(function(name)
      return families[name] == "agent"
    end)) do
      same = same + (outcome(case.syntax, case) == outcome("auto:agent", case) and 1 or 0)
      count = count + 1
    end
    assert.is_true(same / count >= 0.9, ("%d of %d"):format(same, count))
  end)

  it("gives the same results after scripts are added", function()
    local others = { "bare_tag", "bare_brace" }
    assert(sluice.compile and sluice.load(support.script("bare_tag", [[
      call = { "<", s.name(), ">\n", s.params { "<", s.key(), ">", s.value(), "</", s.same "key", ">\n" },
        "</", s.same "name", ">" }, family = "signs"]])))
    assert(sluice.load(support.script("bare_brace", [[
      call = s.json { name = "tool", args = "input", anywhere = true }, family = "signs"]])))
    local with = "auto:model," .. table.concat(others, ",")
    for _, text in ipairs { '<think>plan <tool_call>{"name": "f", "arguments": {}}</tool_call></think>hello',
      'a <b>c</b> {"d": 1}\n<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>', '{"name": "f", "parameters": {}}' } do
      for _, tools in ipairs { "none", '[{"name": "f"}]' } do
        local options = { tools = tools ~= "none" and tools or nil }
        local alone, among = sluice.parse("auto", text, options), sluice.parse(with, text, options)
        for _, result in ipairs { alone, among } do
          for _, call in ipairs(result.calls) do
            call.id = nil
          end
        end
        assert.are.same(alone, among)
      end
    end
    for _, case in ipairs(cases_of(marked)) do
      assert.are.equal(outcome("auto", case), outcome(with, case), case.id)
    end
  end)

  it("gives the same result as the syntax in 97 % of the cases; the others say why", function()
    local same, count = 0, 0
    for _, case in ipairs(cases_of(marked)) do
      local alike = outcome(case.syntax, case) == outcome("auto", case)
      count = count + 1
      same = same + (alike and 1 or 0)
      if alike == (case.auto ~= nil) then
        error(("%s, %s: %s"):format(case.syntax, case.id, alike and "`auto` is not to be given" or "`auto` is to say why it differs"))
      end
    end
    assert.is_true(same / count >= 0.97, ("%d of %d"):format(same, count))
  end)

  it("leaves plain tags and words that one format takes for markup", function()
    assert(sluice.load(support.script("words", [[
      think = { "Hm:\n", "\nDone.\n" }, stop = { "END" }, call = { "<own>", s.json(), "</own>" }]])))
    for _, text in ipairs { "```xml\n<response>\n<answer>42</answer>\n</response>\n```", "Use `<sep>`, <co> and `</assistant>`.",
      "Sure.\n\nHere are my reasoning steps:\n\n1. 2 + 2 = 4", "I am\nDone.\nBye at the WEEKEND", "Was <s>$5</s>, now $4.", "allow me",
      "Try:\n>>> f\n{}\n>>> x\n>>>g\n{}\n2 >>> 1;", "#include <functional>\n<a><![CDATA[x]]></a>\n" } do
      local result = sluice.parse("auto", text, { tools = '[{"name": "f"}]' })
      assert.are.same({ text, 0 }, { result.content, #result.errors })
    end
    assert.are.equal("Hi.", sluice.parse("auto:apriel,hermes", "Here are my reasoning steps:\nHm.\n[BEGIN FINAL RESPONSE]\nHi.").content)
  end)

  it("announces a call as early as the syntax itself, or at the parameter's opener if markers are shared", function()
    -- Bytes fed until the first call is announced.
    local function announced(syntax, text, tools)
      local stream = sluice.stream(syntax, { tools = tools })
      for i = 1, #text do
        for event in stream:feed(text:sub(i, i)) do
          if event.type == "call_begin" then
            return i
          end
        end
      end
      return #text + 1
    end
    for _, name in ipairs(support.syntaxes()) do
      for _, example in ipairs(not markerless[name] and sluice.description(name).examples or {}) do
        local tools = json.encode(laws.tools_for(example.calls))
        if families[name] == "agent" then
          break
        end
        local alone, among = announced(name, example.text, tools), announced("auto", example.text, tools)
        assert.is_true(among - alone <= 20, ("%s: %d, not %d: %s"):format(name, among, alone, example.text))
      end
    end
  end)

  it("knows of each script what running it tells, and does not use that of a script with another parent", function()
    local core, host, lpeg = require "sluice.core", require "sluice.registry", require "lpeg"
    local _, index = core.embedded_script()
    local registry = host.new(lpeg, { read = core.read_file, embedded = core.embedded_script })
    registry.load_all()
    assert.are.equal(registry.tool("index", ""), index)
    local function members(without)
      local one = host.new(lpeg, { read = core.read_file, embedded = function(name)
        local found, text = core.embedded_script(name)
        return found, not without and text or nil
      end })
      one.load_all()
      local hermes = core.embedded_script "hermes"
      assert(one.load_memory(hermes:gsub("<tool_call>", "<own_call>"), "hermes.lua"))
      local out, streams = one.plan("auto").names, require "sluice.stream"
      for _, text in ipairs { "<tool_call>", "<own_call>" } do
        local result = streams.whole(streams.open(one.plan "auto", nil, {}), text .. '{"name": "f", "arguments": {}}')
        out[#out + 1] = result.calls[1] and result.calls[1].syntax or "none"
      end
      return table.concat(out, " ")
    end
    assert.are.equal(members(true), members(false))
  end)

  it("names the call's syntax, and keeps to it until the stream is reset", function()
    local stream = sluice.stream "auto"
    local hermes = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    local function syntaxes(text)
      local out = {}
      for _, event in ipairs(laws.events(stream, text, 1)) do
        out[#out + 1] = event.type == "call_begin" and event.syntax or event.type == "text" and event.text or nil
      end
      return table.concat(out, " ")
    end
    assert.are.equal("hermes hermes", syntaxes(hermes .. "\n" .. hermes))
    assert.are.equal("mistral", syntaxes '[TOOL_CALLS]f[ARGS]{}')
    assert.are.equal("hermes [TOOL_CALLS]f[ARGS]{}", syntaxes(hermes .. '[TOOL_CALLS]f[ARGS]{}'))
    assert.are.equal("<tool_call>no call mistral", syntaxes '<tool_call>no call[TOOL_CALLS]f[ARGS]{}')
    assert.are.equal("harmony", syntaxes 'to=functions.f<|channel|>commentary<|message|>{}<|call|>')
    for _, other in ipairs { hermes, "only text" } do
      assert.is_nil(sluice.parse("hermes", other).calls[1] and sluice.parse("hermes", other).calls[1].syntax)
    end
  end)

  it("accepts a list", function()
    local text = '[TOOL_CALLS]f[ARGS]{}'
    assert.are.equal("mistral", sluice.parse("auto:hermes,mistral", text).calls[1].syntax)
    assert.are.equal(text, sluice.parse("auto:hermes,qwen3_coder", text).content)
    local inside = '{"tool_calls": [{"name": "f", "parameters": {"a": 1}}]}' -- that it is no call of the first one hides nothing
    assert.are.equal("open_webui", sluice.parse("auto:agent_zero,open_webui", inside, { tools = '[{"name": "f"}]' }).calls[1].syntax)
    assert.has_error(function()
      sluice.stream "auto:hermes,mistrall"
    end, "there is no syntax 'mistrall'; the nearest is 'mistral'")
    assert.has_error(function()
      sluice.stream "auto:hermes,auto"
    end, "auto takes names of syntaxes and families")
  end)

  it("writes nothing", function()
    for _, direction in ipairs { "render", "grammar", "prompt" } do
      local out, why, code = sluice[direction]("auto", {}, direction == "grammar" and "lark" or nil)
      assert.is_nil(out)
      assert.is_truthy(why:find("name one syntax", 1, true))
      assert.are.equal("refused", code)
    end
    local none, why = sluice.compile [[return require "sluice.syntax".syntax { api = 3, name = "auto", call = "x" }]]
    assert.is_nil(none)
    assert.is_truthy(why:find("other than 'auto'", 1, true))
  end)

  it("accepts bare JSON as a call only if it names a given tool", function()
    local text = '{"name": "f", "parameters": {"x": "a"}}'
    local tools = json.encode(laws.tools_for { { name = "f", arguments = json.object { { "x", "a" } } } })
    for _, other in ipairs { text, "[1, 2, 3]", '{"type": "search", "id": "1", "parameters": {}}', '"text"' } do
      local result = sluice.parse("auto", other)
      assert.are.equal(other, result.content)
      assert.are.equal(0, #result.errors)
    end
    assert.are.equal(1, #sluice.parse("auto", text, { tools = tools }).calls)
    assert.are.equal(text, sluice.parse("auto", text, { tools = tools:gsub('"f"', '"g"') }).content)
  end)

  it("includes scripts loaded later", function()
    local path = support.folder() .. "/late_format.lua"
    local text = "<<late f>>{}"
    assert.are.equal(text, sluice.parse("auto", text).content)
    support.write(path, [[local s = require "sluice.syntax"
      return s.syntax { api = 3, name = "late_format", call = { "<<late ", s.name(), ">>", s.args() } }]])
    assert(sluice.load(path))
    assert.are.equal("late_format", sluice.parse("auto", text).calls[1].syntax)
  end)

  it("includes scripts that read lines by a function", function()
    local path = support.folder() .. "/by_lines.lua"
    support.write(path, [[return s.syntax { api = 3, name = "by_lines", call = { at = "line", s.lines("!!", function(l)
      local name = l.take("!!" * lpeg.C(lpeg.R "az"^1) * "??")
      if not name then
        return false
      end
      l.call(name)
      return true
    end) } }]])
    assert(sluice.load(path))
    assert.are.equal("f", sluice.parse("auto:by_lines,hermes", "a\n!!f??\nb").calls[1].name)
    assert.are.equal("by_lines", sluice.parse("auto", "a\n!!f??\nb").calls[1].syntax)
  end)

  it("carries nothing from one syntax to another, and holds no text that begins with a bracket", function()
    local edit = "a.py\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```"
    local call = sluice.parse("auto:aider_whole,search_replace", edit, { tools = '[{"name": "edit"}]' }).calls[1]
    assert.are.equal('{"path":"","search":"a\\n","replace":"b\\n"}', call.arguments)
    assert.are.equal("text", sluice.stream("auto", { tools = '[{"name": "f"}]' }):feed "[a](b) is"().type)
  end)

  it("ends a thought of one format at the openers of the others", function()
    local result = sluice.parse("auto:agent", 'Thought: Hm.\n\n<tool_use>{"name":"f","input":{}}</tool_use>', { tools = '[{"name": "f"}]' })
    assert.are.same({ "Hm.\n", "f", true }, { result.reasoning, result.calls[1].name, result.calls[1].valid })
    result = sluice.parse("auto:agent", "Thought: I see.\n```\nx\n```\nso\n<code>\nprint(1)\n</code>")
    assert.are.same({ "I see.\n```\nx\n```\nso", "print(1)" }, { result.reasoning, json.decode(result.calls[1].arguments).code })
    local text = 'Thought: not `<tool_call>{"name": "g", "arguments": {}}</tool_call>` nor {a, b}.\nAction: f\nAction Input: {}'
    result = sluice.parse("auto:react,hermes", text, { tools = '[{"name": "f"}, {"name": "g"}]' })
    assert.are.same({ 1, "f", true }, { #result.calls, result.calls[1].name, result.calls[1].valid })
    assert.are.equal("f", sluice.parse("auto:agent", '<plan>\n  <function.f a="x"/>\n</plan>').calls[1].name)
  end)

  it("never goes back into an announced call", function()
    local tools = json.encode(laws.tools_for { { name = "f", arguments = json.object {} } })
    local text = ("<function=f>"):rep(9) .. "<function="
    local whole, law, wrong = laws.keeps(sluice.stream("auto", { markup = true, tools = tools }), text, { 1, 2, 3 })
    assert.is_truthy(whole, ("law %s: %s"):format(tostring(law), tostring(wrong)))
  end)

  it("keeps the laws on texts with markers of all formats", function()
    local marks = {}
    for _, name in ipairs(support.syntaxes()) do
      for _, text in ipairs(laws.literals(sluice.description(name))) do
        marks[#marks + 1] = text
      end
    end
    local random = support.random(31337)
    local tools = json.encode(laws.tools_for { { name = "f", arguments = json.object { { "x", "a" } } } })
    local held = { "hold", "call", "text" }
    for _ = 1, 10 * (tonumber(os.getenv "SLUICE_ROUNDS") or 100) do
      local some = {}
      for k = 1, 6 do
        some[k] = marks[random(#marks)]
      end
      local text = laws.random_text(random, some)
      local options = { markup = true, calls = random(4) == 1 and "whole" or nil, start = random(4) == 1 and "reasoning" or nil,
        tools = random(3) == 1 and tools or nil, calls_in_reasoning = held[random(8)], limit_held = random(6) == 1 and 64 or nil }
      local whole, law, wrong = laws.keeps(sluice.stream("auto", options), text, { 1, 2, 3, laws.random_cut(random, text) })
      assert.is_truthy(whole, ("law %s: %s\nin %q"):format(tostring(law), tostring(wrong), text))
    end
  end)
end)

describe("a reloaded script", function()
  local folder_of = support.folder()
  local path = folder_of .. "/again.lua"
  local function script(opener)
    support.write(path, ([[local s = require "sluice.syntax"
      return s.syntax { api = 3, name = "again", call = { "%s", s.name(), ">", s.args() } }]]):format(opener))
  end
  local function names(stream, text)
    local out = {}
    for _, event in ipairs(laws.events(stream, text, 3)) do
      out[#out + 1] = event.name
    end
    return table.concat(out, " ")
  end

  it("serves new streams, while open streams keep the old version", function()
    script "<a "
    support.write(folder_of .. "/child.lua", [[return inherit("again", { name = "child" })]])
    assert(sluice.load(folder_of))
    local old, child = sluice.stream "again", sluice.stream "child"
    for _ in old:feed "<a f>{} <a " do
    end
    script "<b "
    assert(sluice.load(folder_of))
    local last
    for event in old:feed "g>{}" do
      last = event.name or last
    end
    assert.are.equal("g", last)
    assert.are.equal("f", names(child, "<a f>{} <b g>{}"))
    assert.are.equal("g", names(sluice.stream "again", "<a f>{} <b g>{}"))
    assert.are.equal("g", names(sluice.stream "child", "<a f>{} <b g>{}")) -- a dialect follows its parent
    local none, why = sluice.load(path .. "x")
    assert.is_nil(none)
    assert.is_truthy(why:find("cannot be read", 1, true))
    support.write(path, "return 1 +")
    assert.is_nil((sluice.load(path)))
    assert.are.equal("g", names(sluice.stream "again", "<b g>{}")) -- one with an error replaces nothing
    os.execute("rm -r " .. folder_of)
  end)
end)

describe("auto", function()
  it("keeps what was compiled for a stream's tools while streams with others come and go", function()
    local function opened(i)
      local tools = ('[{"name": "tool_%d", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}]'):format(i)
      return assert(sluice.stream("auto:agent", { tools = tools }))
    end
    local function read(stream, i)
      local events = {}
      for e in stream:feed(("<tool_%d>\n<path>a</path>\n</tool_%d>"):format(i, i)) do
        events[#events + 1] = e.type
      end
      for e in stream:finish() do
        events[#events + 1] = e.status
      end
      stream:reset()
      return table.concat(events, " ")
    end
    local first = opened(0)
    local before = read(first, 0)
    for i = 1, 20 do
      read(opened(i), i)
    end
    collectgarbage()
    collectgarbage()
    assert.are.equal(before, read(first, 0))
  end)

  it("keeps code and thoughts that no call follows as text", function()
    for _, text in ipairs { "```python\nprint(1)\n```\nSo.", '```json\n{"a": 1}\n```', "Thought: do it\nAction: f\nAction Input: {}\n" } do
      assert.are.equal(text, sluice.parse("auto", text).content)
    end
    for _, text in ipairs { "Sunny.", "{}", "```json\n{}\n```", "<tool_call>?" } do -- what follows reasoning is tried, and read again
      assert.are.equal(text, sluice.parse("auto", "<think>\nHm\n</think>\n\n" .. text).content)
    end
  end)

  it("ends reasoning at the closer of its own pair; at any if the prompt opened it", function()
    local thought = 'Not </thinking>.\n<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    for _, pair in ipairs { { "<think>", "</think>" }, { "<|START_THINKING|>", "<|END_THINKING|>" }, { "<|think|>", "<|end|>" } } do
      local result = sluice.parse("auto", pair[1] .. thought .. pair[2] .. "Hi")
      assert.are.same({ thought, "Hi", 0 }, { result.reasoning, result.content, #result.calls })
    end
    assert.are.equal("\n\n\nHi", sluice.parse("auto", "<|START_THINKING|>R<|END_THINKING|>\n\n\nHi").content)
    assert.are.equal("Hi", sluice.parse("auto", "R[/THINK]Hi", { start = "reasoning" }).content)
  end)
end)
