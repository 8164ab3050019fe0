--- Describes syntaxes for `sluice list`: models, directions, examples.

local core = require "sluice.core"
local forms = require "sluice.ways"
local laws = require "sluice.author.laws"
local targets = require("sluice.constrain.grammar").targets

local json = core.json
local M = {}

-- The first sentence of a script's comment: a summary of the format.
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

M.strings = require("sluice.registry").strings

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

-- Tools to try a syntax with: those of its examples if it has fixed tools, else an invented one.
local function tools_for(d)
  local calls = {}
  for _, example in ipairs(forms.of(d) and d.examples or {}) do
    for _, call in ipairs(example.calls) do
      calls[#calls + 1] = call
    end
  end
  calls[1] = calls[1] or { name = "get_weather", arguments = json.object { { "city", "Paris" }, { "days", 2 } } }
  return json.encode(laws.tools_for(calls))
end

-- Tries the directions other than parse: { render: what it writes, grammar: { target: its tool_choices }, prompt: its variants }.
local function directions(registry, item)
  local plan = registry.plan(item.name)
  local d, tools = plan.syntax, registry.tools(tools_for(plan.syntax))
  local render, prompt, grammars = json.array { "calls", d.result and "results" or nil }, json.array(), {}
  for i, target in ipairs(targets) do
    local choices = json.array()
    for _, choice in ipairs { "auto", "required" } do
      choices[#choices + 1] = registry.grammar(plan, tools, target, { tool_choice = choice }) and choice or nil
    end
    grammars[i] = { target, choices }
  end
  for _, variant in ipairs { "full", "short", "native" } do
    prompt[#prompt + 1] = registry.prompt(plan, tools, { variant = variant }) and variant or nil
  end
  return json.object { { "render", render }, { "grammar", json.object(grammars) }, { "prompt", prompt } }
end

--- describe.syntaxes(registry, name) -> a list of JSON objects, one for each syntax: the members of `sluice list --json`, and about,
-- family, stop, origin, parent; with a name only this syntax, with its directions, the places of a mark (`marked`) and its examples.
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
      { "directions", whole and directions(registry, item) or nil }, { "marked", whole and M.strings(d.marked) or nil },
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
