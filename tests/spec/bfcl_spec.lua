--- Law 6 with real calls: those of the Berkeley Function Calling Leaderboard, written and parsed by every syntax.
-- Of 1,074 sets the 387 that differ in kinds of values or schemas, or in what some syntax's program does; of these one in ten, or all with
-- SLUICE_ALL=1.

local sluice = require "sluice"
local support = require "support"

local json = sluice.json

-- This call violates its own schema (a boolean for a declared string), so the value comes back as a string.
local broken = { ["bfcl/simple_python_307"] = true }

local sets = {}
do
  local i = 0
  for line in io.lines(support.root .. "/tests/data/bfcl/calls.jsonl") do
    i = i + 1
    local set = json.decode(line)
    if (os.getenv "SLUICE_ALL" or i % 10 == 1) and not broken[set.id] then
      sets[#sets + 1] = set
    end
  end
end

-- True if the format writes the members of an object as elements, and reads those without a schema as text.
local function untyped(name)
  local text = sluice.render(name, { { name = "f", arguments = json.decode '{"o": {"a": 1}}' } })
  local call = text and sluice.parse(name, text).calls[1]
  return call and call.arguments == '{"o":{"a":"1"}}'
end

-- A value in such elements.
local function as_text(value, s)
  local kind = json.kind(value)
  s = type(s) == "table" and s or nil
  if kind == "array" then
    local out = json.array()
    for i, item in ipairs(value) do
      out[i] = as_text(item, s and s.items)
    end
    return out
  elseif kind == "object" then
    local out = {}
    for i, key in ipairs(json.keys(value)) do
      local member = s and type(s.properties) == "table" and s.properties[key]
      out[i] = { key, as_text(value[key], member or s and s.additionalProperties) }
    end
    return json.object(out)
  end
  if s or kind == "string" then
    return value
  end
  return json.encode(value)
end

-- A format with fixed parameters gives those that a call does not have as empty text; in codecompanion_xml the parameter that is an
-- attribute comes first.
local function as_given(name, wanted, got)
  local out = {}
  for i, key in ipairs(json.keys(name == "codecompanion_xml" and #json.keys(wanted) == #json.keys(got) and wanted or got)) do
    out[i] = { key, got[key] }
  end
  if sluice.description(name).fixed_parameters then
    for i = #out, 1, -1 do
      if out[i][2] == "" and wanted[out[i][1]] == nil then
        table.remove(out, i)
      end
    end
  end
  return json.object(out)
end

describe("real calls", function()
  for _, name in ipairs(support.syntaxes()) do
    local elements = untyped(name)
    it(("come back from %s"):format(name), function()
      for _, set in ipairs(sets) do
        local text, message, code = sluice.render(name, set.calls)
        if text then
          local result = sluice.parse(name, text, { tools = json.encode(set.tools) })
          assert.are.equal(#set.calls, #result.calls, text)
          for i, call in ipairs(set.calls) do
            local got = result.calls[i]
            assert.are.equal(call.name, got.name, text)
            assert.are.equal("complete", got.status, text)
            local arguments = call.arguments
            for _, tool in ipairs(elements and set.tools or {}) do
              if tool["function"].name == call.name then
                arguments = as_text(arguments, tool["function"].parameters)
              end
            end
            assert.are.equal(json.encode(arguments), json.encode(as_given(name, arguments, json.decode(got.arguments))), text)
          end
        else
          assert.are.equal("refused", code)
          assert.is_true(#message > 10)
        end
      end
    end)
  end
end)
