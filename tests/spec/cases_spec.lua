--- The cases: tests/cases/NAME.jsonl, see tests/README.md. What is expected of a line holds for the whole text and for its chunks:
-- `events` in chunks of every size from one byte to its length (of some, under sanitizers and in other Luas), `expect` (of another
-- project's test, a specification or a report) in chunks of 1 and 3.
-- SLUICE_REWRITE=1 writes the events and grammars that come out; read the diff before you commit it.

local sluice = require "sluice"
local support = require "support"
local collector = require "sluice.stream".collector

local json = sluice.json
local rewrite = os.getenv "SLUICE_REWRITE"

local exactly = { emoji_bracket = true, scissors_cat = true, caret = true, xml_tags = true, smiley = true }

local function fold(text)
  return ((text or ""):gsub("\194\160", " "):gsub("\227\128\128", " "):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

local function trim(text)
  return (text:gsub("^%s+", ""):gsub("%s+$", ""))
end

local same

-- Without tools a bare text may be typed or not.
local function typed_alike(a, b)
  local text, value = a, b
  if type(a) ~= "string" then
    text, value = b, a
  end
  for _, form in ipairs { text, trim(text), trim(text):lower(), trim(text) == "None" and "null" or nil } do
    local decoded = json.decode(form)
    if decoded ~= nil and type(decoded) ~= "string" and same(decoded, value, 0) then
      return true
    end
  end
  return false
end

function same(a, b, loose)
  local ka, kb = json.kind(a), json.kind(b)
  if ka == "number" and kb == "number" then
    return tonumber(tostring(a)) == tonumber(tostring(b))
  elseif ka == "array" and kb == "array" or (ka == "object" and kb == "object") then
    if ka == "array" and #a ~= #b then
      return false
    end
    local keys = ka == "array" and a or json.keys(a)
    if ka == "object" and #json.keys(a) ~= #json.keys(b) then
      return false
    end
    for i, key in ipairs(keys) do
      local x, y = a[i], b[i]
      if ka == "object" then
        x, y = a[key], b[key]
      end
      if y == nil or not same(x, y, loose) then
        return false
      end
    end
    return true
  elseif a == b then
    return true
  elseif loose > 0 and (type(a) == "string") ~= (type(b) == "string") then
    return typed_alike(a, b)
  end
  return loose == 2 and type(a) == "string" and type(b) == "string" and trim(a) == trim(b)
end

local function subset(a, b)
  if json.kind(a) == "object" and json.kind(b) == "object" then
    for _, key in ipairs(json.keys(a)) do
      if b[key] == nil or not subset(a[key], b[key]) then
        return false
      end
    end
    return true
  end
  return same(a, b, 2)
end

local function is_null(v)
  return v == nil or v == json.null
end

local function list_of(v)
  if is_null(v) then
    return {}
  end
  return type(v) == "string" and { v } or v
end

local known = {
  case = " id syntax class text escaped tools options expect alternatives differs auto events op to output pinned source note ",
  expect = " calls content reasoning content_contains content_not_contains doubt told ",
  call = " name arguments arguments_subset arguments_raw id status ", -- arguments_raw: of a cut call, not compared
}

-- A field that nothing reads would be taken for an assertion.
local function check_fields(what, object)
  for _, key in ipairs(json.keys(object)) do
    assert.is_truthy(known[what]:find(" " .. key .. " ", 1, true), "unknown field: " .. key)
  end
end

local function check_case(case)
  check_fields("case", json.decode(case.line))
  for _, expect in ipairs { case.expect, (table.unpack or unpack)(case.alternatives or {}) } do
    check_fields("expect", expect)
    for _, call in ipairs(is_null(expect.calls) and {} or expect.calls) do
      check_fields("call", call)
    end
  end
end

-- nil if the result is as expected, else a message.
local function compare(case, expect, result)
  local loose = not is_null(case.tools) and 0 or exactly[case.syntax] and 1 or 2
  if not is_null(expect.calls) then
    if #expect.calls ~= #result.calls then
      return ("%d calls, expected %d"):format(#result.calls, #expect.calls)
    end
    for i, x in ipairs(expect.calls) do
      local y = result.calls[i]
      local arguments = json.decode(y.arguments, { exact = true })
      if not is_null(x.name) and x.name ~= y.name then
        return ("call %d: name %s, expected %s"):format(i, y.name, x.name)
      end
      if not is_null(x.id) and x.id ~= "" and case.text:find(tostring(x.id), 1, true) and tostring(x.id) ~= y.id then
        return ("call %d: id %s, expected %s"):format(i, y.id, tostring(x.id))
      end
      local statuses = table.concat(list_of(x.status), " or ")
      if statuses ~= "" and not (" " .. statuses .. " "):find(" " .. y.status .. " ", 1, true) then
        return ("call %d: %s, expected %s"):format(i, y.status, statuses)
      end
      if x.arguments ~= nil and not same(is_null(x.arguments) and json.object() or x.arguments, arguments, loose) then
        return ("call %d: arguments %s"):format(i, y.arguments)
      end
      if not is_null(x.arguments_subset) and not subset(x.arguments_subset, arguments) then
        return ("call %d: arguments %s lack some"):format(i, y.arguments)
      end
    end
  end
  for i, call in ipairs(result.calls) do
    if expect.doubt and (call.valid or is_null(case.tools) and call.status ~= "incomplete") then
      return ("call %d is %s, but nothing in the text may be a call that is valid"):format(i, call.status)
    end
  end
  if expect.told and #result.errors == 0 and #result.calls == 0 then
    return "neither a call nor an error"
  end
  for _, field in ipairs { "content", "reasoning" } do
    if expect[field] ~= nil and fold(is_null(expect[field]) and "" or expect[field]) ~= fold(result[field]) then
      return ("%s %q"):format(field, fold(result[field]))
    end
  end
  for _, text in ipairs(list_of(expect.content_contains)) do
    if not fold(result.content):find(fold(text), 1, true) then
      return "the content lacks " .. text
    end
  end
  for _, text in ipairs(list_of(expect.content_not_contains)) do
    if (result.content or ""):find(text, 1, true) then
      return "the content has " .. text
    end
  end
end

local function result_of(events)
  local collect = collector()
  for _, event in ipairs(events) do
    collect(event)
  end
  return collect()
end

-- A case that `differs` must not be as expected.
local function check_result(case)
  local stream = sluice.stream(case.syntax, support.options(case))
  local why
  for _, chunk in ipairs { 0, 1, 3 } do
    local result = result_of(support.events(stream, case.text, chunk))
    local wrong = compare(case, case.expect, result)
    for _, other in ipairs(wrong and case.alternatives or {}) do
      wrong = wrong and compare(case, other, result)
    end
    why = why or wrong and ("chunks of %d: %s"):format(chunk, wrong)
  end
  if case.differs then
    assert.is_truthy(why, "the case says that the result differs, and it does not")
  elseif why then
    error(("%s\n%q"):format(why, case.text))
  end
end

local function check_events(case, every)
  local options = support.options(case)
  if options.markup == nil then
    options.markup = true
  end
  local stream = sluice.stream(case.syntax, options)
  local whole = support.events(stream, case.text, 0)
  assert.are.same(case.events, support.brief(whole, case.text))
  if options.markup then
    assert.is_nil(support.uncovered(whole, case.text))
  end
  assert.is_nil(support.bad_arguments(whole))
  local wanted = support.lines(whole)
  for _, chunk in ipairs(support.chunks(every and #case.text or 3)) do
    local lines = support.lines(support.events(stream, case.text, chunk))
    if lines ~= wanted then
      assert.are.equal(wanted, lines, ("chunks of %d bytes"):format(chunk))
    end
  end
end

local function grammar_of(case)
  return (assert(sluice.grammar(case.syntax, json.encode(case.tools), case.to, case.options)):gsub("\n$", ""))
end

-- The lines of a file with what comes out now.
local function rewritten(cases)
  local lines = {}
  for i, case in ipairs(cases) do
    local fields = {}
    local kept = json.decode(case.line, { exact = true })
    for k, key in ipairs(json.keys(kept)) do
      local value = kept[key]
      if key == "events" then
        local events = support.events(sluice.stream(case.syntax, support.options(case, { markup = not case.options
          or case.options.markup ~= false })), case.text, 0)
        value = json.array(support.brief(events, case.text))
        case.events = value
      elseif key == "output" then
        value = grammar_of(case)
        case.output = value
      end
      fields[k] = { key, value }
    end
    lines[i] = json.encode(json.object(fields), ", ", ": ") .. "\n"
  end
  return table.concat(lines)
end

if rewrite then -- a syntax without cases gets its examples
  for _, name in ipairs(support.syntaxes()) do
    local path = ("%s/tests/cases/%s.jsonl"):format(support.root, name)
    local lines, present = {}, io.open(path)
    for i, example in ipairs(not present and sluice.description(name).examples or {}) do
      local tools = example.tools and json.decode(example.tools, { exact = true }) or nil
      lines[i] = json.encode(json.object { { "id", "example " .. i }, { "syntax", name }, { "class", "core" }, { "text", example.text },
        { "events", json.array {} }, { "pinned", true }, tools and { "tools", tools } }, ", ", ": ") .. "\n"
    end
    if present then
      present:close()
    else
      support.write(path, table.concat(lines))
    end
  end
end

for _, name in ipairs(support.with_cases()) do
  describe(name, function()
    local cases, ids = support.cases(name), {}
    if rewrite then
      support.write(("%s/tests/cases/%s.jsonl"):format(support.root, name), rewritten(cases))
    end
    for _, case in ipairs(cases) do
      it(case.id, function()
        assert.are.equal(name, case.syntax)
        check_case(case)
        assert.is_nil(ids[case.id], "another case has this id")
        ids[case.id] = true
        assert.is_truthy(case.events or case.expect or case.output, "nothing is expected")
        if case.events then
          check_events(case, support.wanted(name))
        end
        if case.expect and case.class ~= "contested" then
          check_result(case)
        end
        if case.output then
          assert.are.equal(case.output, grammar_of(case))
        end
      end)
    end
  end)
end

describe("every syntax", function()
  for _, name in ipairs(support.syntaxes()) do
    it(name .. " has cases with events", function()
      local count = 0
      for _, case in ipairs(support.cases(name)) do
        count = count + (case.events and 1 or 0)
      end
      assert.is_true(count > 0)
    end)
  end
end)
