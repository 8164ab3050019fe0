--- The conformance cases: expectations of other projects' tests, the seed systems and users' reports. Every case that is not in
-- divergences.md must pass in chunks of 1, 3 and all bytes; the listed ones must still diverge.

local sluice = require "sluice"
local support = require "support"

local json = sluice.json
local folder = support.root .. "/tests/conformance/"

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
      if x.arguments ~= nil and not same(is_null(x.arguments) and json.object() or x.arguments, arguments, loose) then
        return ("call %d: arguments %s"):format(i, y.arguments)
      end
      if not is_null(x.arguments_subset) and not subset(x.arguments_subset, arguments) then
        return ("call %d: arguments %s lack some"):format(i, y.arguments)
      end
    end
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
  local result = { calls = {} }
  for _, e in ipairs(events) do
    if e.type == "text" then
      result.content = (result.content or "") .. e.text
    elseif e.type == "reasoning" then
      result.reasoning = (result.reasoning or "") .. e.text
    elseif e.type == "call_begin" then
      result.calls[e.index] = { name = e.name, arguments = "" }
    elseif e.type == "arguments" then
      result.calls[e.index].arguments = result.calls[e.index].arguments .. e.text
    elseif e.type == "call_end" then
      result.calls[e.index].id = e.id
    end
  end
  return result
end

local function judge(case)
  local stream = sluice.stream(case.syntax, { tools = case.tools and json.encode(case.tools), start = case.start,
    prompt = case.prompt })
  for _, chunk in ipairs { 0, 1, 3 } do
    local result = result_of(support.events(stream, case.text, chunk))
    local why = compare(case, case.expect, result)
    for _, other in ipairs(why and case.alternatives or {}) do
      why = why and compare(case, other, result)
    end
    if why then
      return ("chunk %d: %s"):format(chunk, why)
    end
  end
end

local divergent = {}
for line in io.lines(folder .. "divergences.md") do
  local id = line:match "^| `([^`]+)` |"
  if id then
    divergent[id] = true
  end
end

describe("conformance", function()
  for _, file in ipairs(support.files(folder, ".jsonl")) do
    local cases = { core = {}, edge = {} }
    for line in io.lines(folder .. file) do
      local case = assert(json.decode(line, { exact = true }))
      if cases[case.class] then
        table.insert(cases[case.class], case)
      end
    end
    for _, class in ipairs { "core", "edge" } do
      it(("%s: %d %s cases"):format(file, #cases[class], class), function()
        for _, case in ipairs(cases[class]) do
          local why = judge(case)
          if divergent[case.id] then
            assert.is_truthy(why, case.id .. " is listed as divergent, and is not any more")
            divergent[case.id] = nil
          elseif why then
            error(("%s: %s\n%q"):format(case.id, why, case.text))
          end
        end
      end)
    end
  end

  it("lists no case that passes", function()
    assert.is_nil((next(divergent)))
  end)
end)
