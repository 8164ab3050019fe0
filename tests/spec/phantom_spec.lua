--- The phantom law: if a call's value quotes another call, the quoted call never becomes a call, in any syntax or by auto, in any chunking.
-- Values consist of whole calls, single openers and closers, fences, diffs, strings of programs and halves, in the syntax's own
-- form and in others. SLUICE_ROUNDS is their number for each syntax (60).

local sluice = require "sluice"
local support = require "support"
local laws = require "sluice.author.laws"
local json = sluice.json

local rounds = tonumber(os.getenv "SLUICE_ROUNDS") or 60
local random = laws.random(tonumber(os.getenv "SLUICE_SEED") or 7)

local function tool(name, ...)
  local properties, keys = {}, { ... }
  for _, key in ipairs(keys) do
    properties[#properties + 1] = { key, json.object { { "type", "string" } } }
  end
  return json.object { { "type", "function" }, { "function", json.object { { "name", name }, { "parameters", json.object {
    { "type", "object" }, { "properties", json.object(properties) }, { "required", json.array(keys) } } } } } }
end
local tools = json.encode(json.array { tool("write_file", "path", "content"), tool("delete_all", "sure"), tool("look", "city", "day") })

local names, whole = support.syntaxes(), {}
for _, name in ipairs(names) do
  whole[name] = sluice.render(name, { { name = "delete_all", arguments = '{"sure": "yes"}' } })
end

-- The literals of a form, as written in a call.
local function literals(name)
  local list = {}
  for text in (whole[name] or ""):gmatch "<[^<>\n]*>" do
    list[#list + 1] = text
  end
  return #list > 0 and list or { "[" }
end

local function pick(list)
  return list[random(#list)]
end

local frames = { "use %s to call", "%s", "the end is %s then", "`%s`" }
local joints = { "\n", "\n\n", " " }

local function piece(own)
  local name = random(4) > 1 and own or pick(names)
  local call, kind = whole[name] or "call", random(8)
  if kind <= 2 then
    return call
  elseif kind == 3 then
    return (pick(frames):gsub("%%s", (pick(literals(name)):gsub("%%", "%%%%"))))
  elseif kind == 4 then
    return "```\n" .. call .. "\n```"
  elseif kind == 5 then
    return call:sub(1, random(#call)):gsub("[\128-\255]+$", "")
  elseif kind == 6 then
    return "+" .. call:gsub("\n", "\n+")
  elseif kind == 7 then
    return 'out = parse("' .. call:gsub("\n", "\\n") .. '")'
  end
  return pick { "Some text.", "# Title\n\nWords", "x < y && z", "" }
end

local function value(own)
  local out = {}
  for i = 1, random(4) do
    out[i] = (piece(own))
  end
  return table.concat(out, pick(joints))
end

-- The name of a call that counts and that the text does not contain, or nil; and the call. Where the value is damaged, a quoted
-- call may be read; then it is in doubt, and so is the call that quotes it.
local function phantom(result)
  for i, call in ipairs(result.calls) do
    if (i > 1 or call.name ~= "write_file") and (call.valid or result.calls[1].valid) then
      return call.name
    end
  end
  return nil, result.calls[1]
end

-- Removes what a format may drop from a value: white space at the edges, and a fence around it.
local function trim(text)
  return text:match "^%s*(.-)%s*$"
end

local function core_of(text)
  text = trim(text)
  return (text:match "^```[^\n]*\n(.-)\n?```$" or text):match "^%s*(.-)%s*$"
end

-- Auto includes the formats of agents only on request.
local families = {}
for _, known in ipairs(sluice.syntaxes()) do
  families[known.name] = known.family
end

describe("a quoted call is not a call", function()
  local total, refused, changed = 0, 0, 0
  for _, name in ipairs(names) do
    local base = sluice.render(name, { { name = "write_file", arguments = '{"path": "a.md", "content": "PLACE"}' } })
    it(name, function()
      for _ = 1, base and rounds or 0 do
        local v = value(name)
        local arguments = json.encode(json.object { { "path", "a.md" }, { "content", v } })
        local text = sluice.render(name, { { name = "write_file", arguments = arguments } })
        total = total + 1
        if not text then -- a model may still write what render refuses
          refused = refused + 1
          local first, last = base:find("PLACE", 1, true)
          text = base:sub(1, first - 1) .. (base:find('"PLACE"', 1, true) and json.encode(v):sub(2, -2) or v) .. base:sub(last + 1)
        end
        local cut = text:sub(1, math.max(1, random(#text)))
        local among = families[name] == "agent" and "auto:model," .. name or "auto"
        for syntax, given in pairs { [name] = text, [among] = text, cut = cut } do
          local found, call = phantom(sluice.parse(syntax == "cut" and name or syntax, given, { tools = tools }))
          assert.is_nil(found, ("%s: %s\n%s"):format(syntax, tostring(found), given))
          local content = call and json.decode(call.arguments).content or ""
          if syntax == name and call and (type(content) ~= "string" or (trim(content) ~= trim(v) and trim(content) ~= core_of(v))) then
            changed = changed + 1
            assert.is_false(call.valid, "changed, and valid: " .. given)
          end
        end
      end
    end)
  end
  it("and few values are changed or refused", function()
    assert.is_true(changed <= total * 0.04, ("%d of %d changed"):format(changed, total))
    assert.is_true(refused <= total * 0.12, ("%d of %d refused"):format(refused, total))
  end)
end)
