--- Inferred descriptions: each syntax with a marker is written in three samples, and inferred again with all scripts
-- hidden. The table of tests/stranger/infer.md has the results of these tests; SLUICE_REWRITE=1 writes it.

local sluice = require "sluice"
local support = require "support"

local laws = require "sluice.author.laws"
local json = sluice.json
local page = support.root .. "/tests/stranger/infer.md"

local markerless = support.markerless
local prose = { "", "Let me look.\n", "I will do that now.\n\n" }

local function call(name, members)
  return { name = name, arguments = json.object(members) }
end

-- Three sets of calls that the format can carry.
local function call_sets(description)
  if description.fixed_parameters then -- only these parameters
    local function all(name, first, rest)
      local members = {}
      for i, key in ipairs(description.fixed_parameters) do
        members[i] = { key, i == 1 and first or rest }
      end
      return call(name, members)
    end
    return { { all("create_file", "notes.txt", "Remember the milk.\nAnd bread.") },
      { all("list_files", "src", "now"), all("run", "-q fast", "ls -la") }, { all("search", "deep", "What is a sluice?") } }
  elseif description.tools then -- only these tools
    return { { call("search", { { "query", "weather in Paris" }, { "limit", 3 } }) },
      { call("web_search", { { "query", "umbrella" } }), call("file_upload", { { "path", "a.txt" }, { "public", true } }) },
      { call("custom", { { "filter", "open" } }) } }
  end
  local sets = {
    { call("get_weather", { { "city", "Paris" }, { "days", 3 } }) },
    { call("search_files", { { "pattern", "*.lua" }, { "recursive", true }, { "folder", "src/core" } }),
      call("get_weather", { { "city", "Oslo" }, { "days", 1 } }) },
    { call("send_mail", { { "to", json.array { "ann@example.org", "bob@example.org" } }, { "subject", "Lunch at noon?" },
      { "body", "Dear both,\nlunch at noon?\nBye" } }) },
  }
  if description.max_calls == 1 then
    sets[2][2] = nil
  end
  return sets
end

-- The samples of a syntax, and their calls.
local function samples_of(name)
  local sets, texts = call_sets(sluice.description(name)), {}
  for i, calls in ipairs(sets) do
    if not sluice.render(name, calls) then -- one call per message
      calls[2] = nil
    end
    local text = assert(sluice.render(name, calls))
    local with = prose[i] .. text
    texts[i] = #sluice.parse(name, with).calls == #calls and with or text -- some allow no text before calls
  end
  return texts, sets
end

-- The share of random calls, written by the syntax and in no sample, that the script parses.
local function reads(script, name)
  local syntax = assert(sluice.compile(script))
  local random, good, count = support.random(77), 0, 0
  for i = 1, 20 do
    local calls = laws.random_calls(random, sluice.description(name))
    if sluice.description(name).tools then
      calls = { call("search", { { "q", "x" .. i } }) }
    end
    local text = sluice.render(name, calls)
    if text then
      count = count + 1
      local result = sluice.parse(syntax, text, { tools = json.encode(laws.tools_for(calls)) })
      local same = #result.calls == #calls
      for k, wanted in ipairs(calls) do
        local got = result.calls[k]
        same = same and got.name == wanted.name
          and laws.same(json.decode(got.arguments), json.decode(json.encode(wanted.arguments)))
      end
      good = good + (same and 1 or 0)
    end
  end
  return good / count
end

describe("infer", function()
  local hidden = support.syntaxes()
  local rows, found, count = {}, 0, 0

  -- The result: "yes" if the script also parses nine of ten unseen texts.
  local function verdict(texts, calls, name)
    local made = sluice.infer(texts, { calls = calls, hidden = hidden, name = "found" })
    local whole = made and made.explained == #texts
    return whole and reads(made.script, name) >= 0.9 and "yes" or made and made.explained > 0 and "in part" or "no"
  end

  it("infers most syntaxes from three samples with calls", function()
    for _, name in ipairs(hidden) do
      local description = sluice.description(name)
      -- an agent's format with fixed tools writes no others, and some of their calls have no name in the text
      if not markerless[name] and not (description.family and description.family ~= "model" and description.tools) then
        count = count + 1
        local texts, calls = samples_of(name)
        local row = verdict(texts, calls, name)
        found = found + (row == "yes" and 1 or 0)
        rows[#rows + 1] = row ~= "yes" and ("| `%s` | %s |"):format(name, row) or nil
      end
    end
    rows[#rows + 1] = ("| all %d | %d |"):format(count, found)
    assert.is_true(found / count >= 0.7, ("%d of %d"):format(found, count))
  end)

  it("is described correctly in tests/stranger/infer.md", function()
    local head = "| syntax | found |\n|---|---|\n"
    local text = support.read(page)
    local before, shown, after = text:match("^(.-" .. head:gsub("%p", "%%%0") .. ")(.-)(\n*)$")
    local table_ = table.concat(rows, "\n")
    if os.getenv "SLUICE_REWRITE" then
      support.write(page, before .. table_ .. after)
    else
      assert.are.equal(table_, shown)
    end
  end)

  it("recognises existing syntaxes", function()
    local texts, calls = samples_of "qwen3_coder"
    local made = sluice.infer(texts, { calls = calls })
    assert.is_truthy(made.report:find("this is `qwen3_coder`", 1, true), made.report)
  end)

  it("accepts one sample's calls as they are, and arguments as JSON text", function()
    assert.has_error(function() sluice.infer({ "x" }, { cals = {} }) end, "there is no option 'cals'; the nearest is 'calls'")
    local made = assert(sluice.infer({ "a <<f {\"x\": 1}>> b" }, { calls = { { name = "f", arguments = '{"x": 1}' } } }))
    assert.are.equal(1, made.explained)
    assert.are.equal("a  b", sluice.parse(assert(sluice.compile(made.script)), "a <<f {\"x\": 1}>> b").content)
    assert.are.equal(1, assert(sluice.infer({ "<<f {}>>" }, { calls = { name = "f", arguments = {} } })).explained)
    made = assert(sluice.infer({ "<<f {}>>", "Hello" }, { calls = { { name = "f", arguments = {} }, json.array() } }))
    assert.is_truthy(made.report:find("is explained: 1 call\n.*is explained: 0 calls$"), made.report)
    -- what stands between calls is no content
    local text, f = "<<f {}>> && <<f {}>>", { name = "f", arguments = json.object() }
    made = assert(sluice.infer({ text }, { calls = { f, f } }))
    assert.is_nil(sluice.parse(assert(sluice.compile(made.script)), text).content)
  end)

  it("does not take prose for a marker", function()
    local calls = { { name = "f", arguments = { x = 1 } } }
    for text, opener in pairs { ['I will look. <<f {"x": 1}>>'] = '"<<"', ['Sure:<<f {"x": 1}>>'] = '"Sure:<<"', ["好的。[[f|x=1]]"] = '"[["',
      ['Now CALL f {"x": 1}'] = '"CALL "', ['<t id="7a">f {"x": 1}</t>'] = "s.id()", ['Go @ id=9c f {"x": 1} @'] = '"@ id=", s.id()' } do
      local made = assert(sluice.infer({ text }, { calls = calls }))
      assert.are.equal(1, made.explained)
      assert.is_truthy(made.script:find(opener, 1, true), made.script)
    end
    for _, text in ipairs { 'Okay f {"x": 1}', "Well, f(x=1)", 'Look at it\nrun f with {"x": 1}' } do
      local made = assert(sluice.infer({ text }, { calls = calls }))
      assert.are.equal(0, made.explained)
      assert.is_truthy(made.report:find("may be prose", 1, true), made.report)
    end
  end)

  it("puts reasoning and end-of-turn tokens into their fields", function()
    local texts = { "<think>\nSo.\n</think>\n\n@@{\"name\": \"f\", \"arguments\": {}}@@<|im_end|>",
      "@@{\"name\": \"g\", \"arguments\": {\"x\": 1}}@@\n@@{\"name\": \"f\", \"arguments\": {}}@@<|im_end|>" }
    local f = { name = "f", arguments = json.object() }
    local made = assert(sluice.infer(texts, { calls = { { f }, { { name = "g", arguments = { x = 1 } }, f } } }))
    assert.are.equal(2, made.explained)
    assert.is_truthy(made.script:find('stop = { "<|im_end|>" }', 1, true), made.script)
    local result = sluice.parse(assert(sluice.compile(made.script)), texts[1])
    assert.are.equal("So.", result.reasoning)
    assert.is_nil(result.content)
    assert.are.equal(1, #result.calls)
  end)

  it("finds the markers of content and reasoning, ids and repeated names if messages are given", function()
    local function run(id, name, value)
      return (' for=%s<|body|><run id="%s" tool="%s">\n<arg name="a">%s</arg>\n<arg name="b">2</arg>\n</run>'):format(name, id, name, value)
    end
    local function arguments(value)
      return json.object { { "a", value }, { "b", 2 } }
    end
    local next = "<|next|><|start|>me"
    local messages = {
      { text = run("id-1", "find", "x") .. "<|stop|>", calls = { { name = "find", id = "id-1", arguments = arguments "x" } } },
      { text = run("id-2", "write", "y z") .. next .. run("id-3", "find", "q") .. "<|stop|>", calls = {
        { name = "write", id = "id-2", arguments = arguments "y z" }, { name = "find", id = "id-3", arguments = arguments "q" } } },
      { text = " for=self<|body|>Let us see." .. next .. run("id-4", "find", "w") .. "<|stop|>", reasoning = "Let us see.",
        calls = { { name = "find", id = "id-4", arguments = arguments "w" } } },
      { text = " to the user<|body|>Hello there.<|stop|>", content = "Hello there.", calls = json.array() },
      { text = " for=self<|body|>It is over." .. next .. " to the user<|body|>Done.<|stop|>", reasoning = "It is over.", content = "Done.",
        calls = json.array() },
    }
    local texts, calls = {}, {}
    for i, message in ipairs(messages) do
      texts[i] = message.text
      calls[i] = json.object { { "content", message.content }, { "reasoning", message.reasoning }, { "calls", message.calls } }
    end
    local made = assert(sluice.infer(texts, { calls = calls, name = "mine", hidden = hidden, stop = { "<|stop|>" } }))
    assert.is_truthy(made.script:find("s.id()", 1, true), made.script)
    assert.is_truthy(made.script:find('s.same "name"', 1, true), made.script)
    local syntax = assert(sluice.compile(made.script))
    local result = sluice.parse(syntax, " for=self<|body|>Hm." .. next .. run("id-9", "go", "k") .. "<|stop|>")
    assert.are.same({ "Hm.", "go", "id-9" }, { result.reasoning, result.calls[1].name, result.calls[1].id })
    assert.is_nil(result.content)
    result = sluice.parse(syntax, " to the user<|body|>Yes.<|stop|>")
    assert.are.same({ "Yes.", 0 }, { result.content, #result.calls })
    -- a known format with other reasoning markers
    local known = '<tool_call>\n{"name": "find", "arguments": {"a": "x"}}\n</tool_call>'
    calls = { { name = "find", arguments = { a = "x" } } }
    made = assert(sluice.infer({ "<ponder>hm</ponder>" .. known, "<ponder>so</ponder>Hi." .. known,
      "<ponder>no</ponder>Well." }, { calls = { { reasoning = "hm", calls = calls }, { reasoning = "so", content = "Hi.", calls = calls },
      { reasoning = "no", content = "Well.", calls = json.array() } } }))
    assert.is_truthy(made.report:find("with other markers around content and reasoning", 1, true), made.report)
    assert.are.equal(3, made.explained)
  end)

  it("reports what it could not find", function()
    for i, case in ipairs {
      { { "nothing to see" }, nil, "no known syntax reads calls in all samples" },
      { { "nothing to see" }, { { name = "f", arguments = {} } }, "no description was found" },
      { { "a", "b" }, { {} }, "give one list per sample" },
      { { "a" }, { { { name = "f" } } }, "call 1 of sample 1 is not an object with a name and arguments" },
      { { "run f on x" }, { { { name = "g", arguments = {} } } }, "are they those of these samples?" },
    } do
      local none, why = sluice.infer(case[1], { calls = case[2] })
      assert.is_nil(none, i)
      assert.is_truthy(why:find(case[3], 1, true), why)
    end
    assert.is_nil((sluice.infer {}))
    local made = sluice.infer({ '<c>{"name": "f", "arguments": {}}</c>', "only text" }, {
      calls = { { { name = "f", arguments = {} } }, json.array() } })
    assert.is_truthy(made.report:find("0 calls", 1, true), made.report)
  end)

  it("accepts any text", function()
    local random = support.random(1789)
    local marks = { "<call>", "</call>", "f", "{", "}", '"', "name", '{"name": "f", "arguments": {"x": 1}}', "\1", "\2\3", "\0", "=", "<",
      "</", "x=1", "(", ")", "[", "]", "\n", "<arg_key>k</arg_key><arg_value>", "\255", "'" }
    for _ = 1, 300 do
      local text = laws.random_text(random, marks)
      local calls = random(2) == 1 and { { name = "f", arguments = json.object { { "x", 1 } } } } or nil
      local made, why = sluice.infer({ text }, { calls = calls })
      if made then
        assert(sluice.compile(made.script))
      else
        assert.are.equal("string", type(why))
      end
    end
  end)
end)
