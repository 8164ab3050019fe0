--- Words: tests in tests/words.lua each, and one example in docs/vocabulary.md. Text, calls and grammar of each must agree.

local sluice = require "sluice"
local support = require "support"

local json = sluice.json
local tools = [=[[{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}, "text": {"type": "string"},
  "list": {"type": "array", "items": {"type": "string"}}}}}, {"name": "g", "parameters": {"type": "object", "properties": {}}}]]=]

-- A syntax of these fields, as Lua text; nil and a message.
local function syntax_of(fields)
  fields = fields:find "^%s*{" and "call = " .. fields or fields:find "^%s*s%." and "call = " .. fields or fields
  return sluice.compile("return s.syntax { api = 3, name = 'probe', " .. fields .. " }", "probe.lua")
end

-- What a text means: "f {...}; g {...}", each with its status unless it is complete, and content and reasoning.
local function meaning(result)
  local out = {}
  for i, call in ipairs(result.calls) do
    out[i] = (call.status ~= "complete" and call.status .. " " or "") .. call.name .. " " .. json.encode(json.decode(call.arguments))
  end
  out[#out + 1] = result.content and result.content:find "%S" and "content " .. result.content or nil
  out[#out + 1] = result.reasoning and "reasoning " .. result.reasoning or nil
  return table.concat(out, "; ")
end

local function read(syntax, text)
  local whole = meaning(sluice.parse(syntax, text, { tools = tools }))
  local stream, cut = sluice.stream(syntax, { tools = tools }), require("sluice.stream").collector()
  for at = 1, #text do
    for event in stream:feed(text:sub(at, at)) do
      cut(event)
    end
  end
  for event in stream:finish() do
    cut(event)
  end
  assert.are.equal(whole, meaning(cut()), "byte by byte: " .. text)
  return whole
end

-- Reads a text, and writes what it means.
local function goes_round(syntax, text, calls)
  assert.are.equal(calls, read(syntax, text))
  local result = sluice.parse(syntax, text, { tools = tools })
  if result.calls[1] then
    assert.are.equal(text, assert(sluice.render(syntax, result.calls)))
  end
end

local function unescaped(line)
  return (line:gsub("\\n", "\n"))
end

describe("the word", function()
  local known = dofile(support.root .. "/tests/words.lua")
  local page, shown = support.read(support.root .. "/docs/vocabulary.md"), {}
  for part in ("\n" .. page):gsub("\n##", "\0##"):gmatch "%z### ([^%z]*)" do
    shown[part:match "^`s%.(%l+)" or ""] = part
  end

  for name in pairs(require("sluice.vocabulary").words) do
    describe(name, function()
      it("has a test and an example", function()
        assert.is_table(known[name], "tests/words.lua has no tests for it")
        assert.is_string(shown[name], "docs/vocabulary.md has no section for it")
      end)

      it("means what the page says", function()
        local script, text, calls = shown[name]:match "```lua\n(.-)\n%-%- ([^\n]*)\n%-%- ([^\n]*)\n```"
        assert.is_string(script, "no example of three lines")
        goes_round(assert(syntax_of(script)), unescaped(text), unescaped(calls))
      end)

      for i, case in ipairs(known[name] or {}) do
        it(("reads, writes and constrains: case %d"):format(i), function()
          if case.wrong then
            local made, message = syntax_of(case[1])
            assert.is_true(made == nil)
            assert.is_truthy(message:find(case.wrong, 1, true), message)
            return
          end
          local syntax = assert(syntax_of(case[1]))
          if case.text then
            goes_round(syntax, case.text, case.calls)
          end
          if case.written then -- of the call without its id
            local call = sluice.parse(syntax, case.text, { tools = tools }).calls[1]
            assert.are.equal(case.written, sluice.render(syntax, { { name = call.name, arguments = call.arguments } }))
          end
          for text, calls in pairs(case.reads or {}) do
            assert.are.equal(calls, read(syntax, text))
          end
          if case.grammar then
            local grammar, message = sluice.grammar(syntax, tools, "gbnf", { tool_choice = "f" })
            assert.is_truthy((grammar or message):find(case.grammar, 1, true), grammar or message)
          end
        end)
      end
    end)
  end
end)

describe("the names that an author may meet", function()
  local vocabulary, word = require "sluice.vocabulary", require "sluice.word"

  local root = os.getenv "SLUICE_ROOT"

  -- The names that scripts of the library use, and how many use each: `s.name` or `name =`.
  local function uses()
    local count, scripts = {}, 0
    for _, path in ipairs(support.files(root .. "/syntaxes", ".lua")) do
      local seen = {}
      for line in support.read(root .. "/syntaxes/" .. path:match "[^/]+$"):gmatch "[^\n]+" do
        for _, pattern in ipairs(line:match "^%s*%-%-" and {} or { "%f[%w]s%.(%l+)", "%f[%w_]([%l_]+) =" }) do
          for name in line:gmatch(pattern) do
            count[name] = (count[name] or 0) + (seen[name] and 0 or 1)
            seen[name] = true
          end
        end
      end
      scripts = scripts + 1
    end
    assert.is_true(scripts > 100)
    return count
  end

  it("are at most 75: words, their options, fields, and the values of `at`", function()
    local names, seen = {}, {}
    local function add(name)
      names[#names + 1] = not seen[name] and name or nil
      seen[name] = true
    end
    for name in pairs(vocabulary.words) do
      add(name)
      for option in pairs(word.options(word.classes[name])) do
        add(option)
      end
    end
    for option in pairs(word.options(word.classes.list)) do
      add(option)
    end
    for field in pairs(vocabulary.fields) do
      add(field)
    end
    for name in ("inherit ordered literals start line indent default repeated fixed text calls content reasoning deviates"):gmatch "%l+" do
      add(name) -- of dialects; values of `at`; in `values`; in an example
    end
    table.sort(names)
    assert.is_true(#names <= 75, #names .. ": " .. table.concat(names, " "))
  end)

  it("are used by three scripts or more, but for five that give their reason", function()
    local count, rare = uses(), {}
    local function look(name, file)
      if (count[name] or 0) < 3 then
        assert.is_truthy(count[name], name .. " is used by none")
        rare[#rare + 1] = not rare[name] and name or nil
        rare[name] = true
        local reason = "\n-- " .. name .. ": for " .. (count[name] == 1 and "one script, " or "two scripts, ")
        assert.is_truthy(support.read(root .. "/lua/sluice/" .. file):find(reason, 1, true), name .. " gives no reason in " .. file)
      end
    end
    for name, class in pairs(vocabulary.words) do
      look(name, "words/" .. name .. ".lua")
      for option in pairs(word.options(class)) do
        look(option, "words/" .. name .. ".lua")
      end
    end
    for field in pairs(vocabulary.fields) do
      look(field, "vocabulary.lua")
    end
    assert.is_true(#rare <= 5, table.concat(rare, " "))
  end)
end)
