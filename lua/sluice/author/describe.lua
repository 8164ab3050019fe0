--- What there is to say of each syntax, for `sluice list`: whose format it is, and how a call looks in it.

local core = require "sluice.core"

local json = core.json
local M = {}

-- The first sentence of a script's comment: what the format is, in a line.
local function about(text)
  local first, rest = text:match "^%-%-%- ([^\n]*)\n(.*)$"
  while first and not first:find "%.$" and rest:find "^%-%- " do
    local more
    more, rest = rest:match "^%-%- ([^\n]*)\n(.*)$"
    first = more and first .. " " .. more or first
  end
  local sentence = first and (first:match "^(.-%.)%s" or first)
  return sentence and sentence:gsub("%.$", "") or nil
end

--- strings(list) -> the same strings as a JSON array of its own; an empty one for nil.
function M.strings(list)
  local out = json.array()
  for i, text in ipairs(list or {}) do
    out[i] = text
  end
  return out
end

local function examples(list)
  local out = json.array()
  for i, example in ipairs(list or {}) do
    local calls = json.array()
    for k, call in ipairs(example.calls) do
      calls[k] = json.object { { "name", call.name }, { "arguments", call.arguments } }
    end
    out[i] = json.object { { "text", example.text }, { "calls", calls } }
  end
  return out
end

--- describe.syntaxes(registry, name) -> a list of JSON objects, one for each syntax: the members of `sluice list --json`, and about,
-- family, stop, origin, parent; where a name is given, for that one only, and its examples.
function M.syntaxes(registry, name)
  local out = json.array()
  for _, item in ipairs(registry.list()) do
    local entry = registry.by_name[item.name]
    local d = entry.description
    local members = {}
    local whole = item.name == name
    for _, key in ipairs(json.keys(item)) do
      members[#members + 1] = { key, item[key] }
    end
    for _, member in ipairs { { "about", about(entry.text) }, { "family", not item.family and d.family or nil },
      { "stop", M.strings(d.stop) }, { "origin", d.origin }, { "parent", d.parent },
      { "examples", whole and examples(d.examples) or nil } } do
      members[#members + 1] = member[2] and member or nil
    end
    if whole or not name then
      out[#out + 1] = json.object(members)
    end
  end
  return out
end

return M
