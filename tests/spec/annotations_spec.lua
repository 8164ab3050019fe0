--- The annotations for language servers match the code. tests/annotations runs a language server.

local support = require "support"
local sluice = require "sluice"

local root = os.getenv "SLUICE_ROOT" or "."

-- The annotated functions of a file: name as written -> { parameters of the annotation, parameters of the code, returns }.
local function annotated(path)
  local out, params, returns = {}, {}, 0
  for line in support.read(path:sub(1, 1) == "/" and path or root .. "/" .. path):gmatch "[^\n]+" do
    local param = line:match "^%-%-%-@param ([%w_]+)"
    local name, list = line:match "^function ([%w_.:]+)%((.-)%)"
    if param then
      params[#params + 1] = param
    elseif line:find "^%-%-%-@return" then
      returns = returns + 1
    elseif name then
      out[name] = { params = table.concat(params, ", "), code = list, returns = returns }
      params, returns = {}, 0
    elseif not line:find "^%-%-" then
      params, returns = {}, 0
    end
  end
  return out
end

-- The fields of the annotated classes of a file: class -> field -> type.
local function classes(path)
  local out = {}
  local current
  for line in support.read(path:sub(1, 1) == "/" and path or root .. "/" .. path):gmatch "[^\n]+" do
    local class = line:match "^%-%-%-@class ([%w_.]+)"
    local field, kind = line:match "^%-%-%-@field ([%w_]+)%??%s+(.*)$"
    if class then
      current = out[class] or {}
      out[class] = current
    elseif field then
      current[field] = kind
    end
  end
  return out
end

local types = classes "lua/sluice/meta/types.lua"

local function check_functions(path, prefix, names)
  local found = annotated(path)
  for _, name in ipairs(names) do
    local it = assert(found[prefix .. name], path .. " has no annotated " .. prefix .. name)
    assert.are.equal(it.code, it.params, prefix .. name)
    assert.is_true(it.returns > 0, prefix .. name .. " has no ---@return")
  end
end

local function functions_of(module, without)
  local names = {}
  for name, value in pairs(module) do
    if type(value) == "function" and not (without and without[name]) then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  assert.is_true(#names > 0)
  return names
end

-- Asserts that each key of a table is a field of the class.
local function check_fields(class, value)
  for key in pairs(value) do
    assert.is_truthy(types[class][key], ("%s has no field %s"):format(class, tostring(key)))
  end
end

describe("the annotations", function()
  it("have every function of the modules, with its parameters", function()
    check_functions("lua/sluice/init.lua", "M.", functions_of(sluice, { call_ids = true }))
    check_functions("lua/sluice/paths.lua", "M.", functions_of(sluice.paths))
    check_functions("lua/sluice/wire/init.lua", "M.", functions_of(require "sluice.wire"))
    check_functions("lua/sluice/stream.lua", "Stream:", { "feed", "feed_special", "closing", "finish", "reset", "state" })
    check_functions("lua/sluice/meta/types.lua", "json.", functions_of(sluice.json))
    check_functions("lua/sluice/meta/types.lua", "filter:", { "feed", "finish", "held" })
    check_functions("lua/sluice/nvim/init.lua", "M.", { "attach", "view", "regions", "run" })
  end)

  it("have every stream option, with its type", function()
    local found = classes(require("sluice.core").real_path(support.build) .. "/docs/lua/sluice/meta/vocabulary.lua")["sluice.StreamOptions"]
    for name, kind in pairs(require("sluice.options").kinds) do
      local said = assert(found[name], "no option " .. name)
      assert.is_truthy(said:find(kind == "number" and "^integer" or kind == "string" and '^[s"]' or "^" .. kind), name .. ": " .. said)
    end
    for name in pairs(found) do
      assert.is_truthy(name == "tools" or require("sluice.options").kinds[name], name)
    end
  end)

  it("have the fields of returned tables", function()
    local text = '<think>a</think>b<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call><tool_call>{"name": "g", "arguments": {'
    local stream = sluice.stream("auto", { markup = true, parameters = true, source = true, tools = { { name = "f" } } })
    local seen = {}
    for _, events in ipairs { function() return stream:feed(text) end, function() return stream:finish() end } do
      for event in events() do
        seen[event.type] = true
        check_fields("sluice.Event", event)
        assert.is_truthy(types["sluice.Event"].type:find(('"%s"'):format(event.type), 1, true))
      end
    end
    for kind in types["sluice.Event"].type:gmatch '"([%l_]+)"' do
      assert.is_truthy(seen[kind], kind)
    end
    local result = sluice.parse("hermes", text, { source = true, tools = { { name = "f" } } })
    check_fields("sluice.Result", result)
    check_fields("sluice.ParsedCall", result.calls[1])
    check_fields("sluice.Problem", result.errors[1])
    local turn = sluice.parse_turn("hermes", text)
    assert.is_truthy(types["sluice.ParsedTurn"].results and turn.results)
    turn.results = nil
    check_fields("sluice.Result", turn)
    check_fields("sluice.Syntax", sluice.compile(support.read(root .. "/syntaxes/hermes.lua")))
    for _, item in ipairs(sluice.syntaxes()) do
      for _, key in ipairs(sluice.json.keys(item)) do
        assert.is_truthy(types["sluice.Listed"][key], key)
      end
    end
    local wire = require "sluice.wire"
    local decoder = wire.decoder("openai", function() return sluice.stream "hermes" end)
    local bytes = 'data: {"id":"1","model":"m","created":1,"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}],'
      .. '"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\ndata: [DONE]\n\n'
    for event in decoder:feed(bytes) do
      for key in pairs(event) do
        assert.is_truthy(types["sluice.wire.Event"][key] or types["sluice.Event"][key], event.type .. " has no field " .. key)
      end
    end
  end)
end)

describe("an error", function()
  local function raised(f, ...)
    local fine, said = pcall(f, ...)
    assert.is_false(fine)
    return said
  end

  it("of misuse is raised at the line of the caller", function()
    local wire = require "sluice.wire"
    local stream = sluice.stream "hermes"
    local cases = {
      { function() local x = sluice.stream("hermez") return x end, "there is no syntax 'hermez'" },
      { function() local x = sluice.stream("hermes", { markupp = true }) return x end, "there is no option 'markupp'" },
      { function() local x = sluice.stream("hermes", 1) return x end, "the options must be a table, not a number" },
      { function() local x = sluice.stream("hermes", { calls = "later" }) return x end, "calls" },
      { function() local x = sluice.stream("hermes", { tools = 1 }) return x end, "tools" },
      { function() local x = sluice.parse("hermes") return x end, "sluice.parse: argument 2 must be a string, not a nil" },
      { function() local x = sluice.parse_turn("hermes", "x", { markupp = true }) return x end, "there is no option 'markupp'" },
      { function() local x = sluice.parse_turn("hermez", "x") return x end, "there is no syntax 'hermez'" },
      { function() local x = sluice.compile() return x end, "sluice.compile: argument 1 must be a string, not a nil" },
      { function() local x = sluice.load() return x end, "sluice.load: argument 1" },
      { function() local x = sluice.render("hermes") return x end, "sluice.render: argument 2 must be a table or a string, not a nil" },
      { function() local x = sluice.grammar("hermes") return x end, "sluice.grammar: argument 2" },
      { function() local x = sluice.prompt("hermes", 1) return x end, "sluice.prompt: argument 2" },
      { function() local x = sluice.syntax_for() return x end, "sluice.syntax_for: argument 1" },
      { function() local x = sluice.infer "x" return x end, "sluice.infer: argument 1 must be a table, not a string" },
      { function() local x = sluice.check() return x end, "sluice.check: argument 1" },
      { function() local x = sluice.paths.within(1) return x end, "expected two strings" },
      { function() local x = stream:feed(nil) return x end, "stream:feed: the bytes must be a string, not a nil" },
      { function() local x = wire.decoder("opneai", print) return x end, "opneai" },
      { function() local x = wire.decoder("openai") return x end, "the stream factory must be a function, not a nil" },
      { function() local x = wire.encoder "xml" return x end, "xml" },
      { function() local x = wire.filter { from = "openai", to = "xml", stream = print } return x end, "xml" },
    }
    for _, case in ipairs(cases) do
      local said = raised(case[1])
      local line = debug.getinfo(case[1], "S").linedefined
      assert.is_truthy(said:find(("annotations_spec.lua:%d: "):format(line), 1, true), said)
      assert.is_truthy(said:find(case[2], 1, true), said)
    end
  end)

  it("of any other kind is nil, a message and a code", function()
    local tools = { { name = "f" } }
    local cases = {
      { "script", sluice.compile, "return 1" },
      { "not_found", sluice.load, "/no/such.lua" },
      { "script", sluice.check, "/no/such.lua" },
      { "not_found", sluice.syntax_for, "no-such-model" },
      { "json", sluice.render, "hermes", "{" },
      { "refused", sluice.render, "auto", {} },
      { "bad_option", sluice.grammar, "hermes", tools, "xml" },
      { "bad_option", sluice.prompt, "hermes", tools, { variant = "long" } },
      { "refused", sluice.infer, {} },
      { "refused", sluice.paths.within, ".", "../x" },
      { "not_found", sluice.paths.within, "/no/such/folder", "x" },
      { "json", sluice.json.decode, "{" },
    }
    for i, case in ipairs(cases) do
      local value, message, code = case[2](case[3], case[4], case[5], case[6])
      assert.is_nil(value, i)
      assert.are.equal("string", type(message), i)
      assert.are.equal(case[1], code, ("%d: %s"):format(i, message))
    end
  end)
end)
