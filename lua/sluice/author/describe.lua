--- Describes syntaxes for `sluice list`: models, directions, examples.

local core = require "sluice.core"
local forms = require "sluice.ways"
local laws = require "sluice.author.laws"
local lists = require "sluice.lists"
local targets = require("sluice.constrain.grammar").targets

local json = core.json
local M = {}

-- The first sentence of a script's comment: a summary of the format.
local function about(text)
  local comment = (text:match "^%-%-%- (.-)\n%f[^\n-]" or ""):gsub("\n%-%- ?", " ") .. " "
  return comment:match "^(.-)%.%s" or comment:match "^(.+)%s$"
end

local strings = require("sluice.registry").strings

-- Tools to try a syntax with: those of its examples if it has fixed tools, else an invented one.
local function tools_for(d)
  local calls = {}
  for _, example in ipairs(forms.of(d) and d.examples or {}) do
    calls = lists.joined(calls, example.calls)
  end
  calls[1] = calls[1] or { name = "get_weather", arguments = json.object { { "city", "Paris" }, { "days", 2 } } }
  return json.encode(laws.tools_for(calls))
end

-- Tries the directions other than parse: { render: what it writes, grammar: { target: its tool_choices }, prompt: its variants }.
local function directions(registry, name)
  local plan = registry.plan(name)
  local d, tools = plan.syntax, registry.tools(tools_for(plan.syntax))
  return json.object { { "render", json.array { "calls", d.result and "results" or nil } },
    { "grammar", json.object(lists.map(targets, function(target)
      return { target, json.array(lists.map({ "auto", "required" }, function(choice)
        return registry.grammar(plan, tools, target, { tool_choice = choice }) and choice or nil
      end)) }
    end)) },
    { "prompt", json.array(lists.map({ "full", "short", "native" }, function(variant)
      return registry.prompt(plan, tools, { variant = variant }) and variant or nil
    end)) } }
end

--- describe.syntaxes(registry, name) -> a list of JSON objects, one for each syntax: the members of `sluice list --json`, and about,
-- origin, parent; with a name only this syntax, with its directions, the places of a mark (`marked`) and its examples.
function M.syntaxes(registry, name)
  return json.array(lists.map(registry.list(), function(item)
    local entry, whole = registry.by_name[item.name], item.name == name
    if name and not whole then
      return nil
    end
    local d = entry.description
    return json.object(lists.joined(lists.map(json.keys(item), function(key)
      return { key, item[key] }
    end), { { "about", about(entry.text) }, { "origin", d.origin }, { "parent", d.parent },
      { "directions", whole and directions(registry, name) or nil }, { "marked", whole and strings(d.marked) or nil },
      { "examples", whole and json.array(lists.map(d.examples or {}, function(example)
        return json.object { { "text", example.text }, { "calls", json.array(lists.map(example.calls, function(call)
          return json.object { { "name", call.name }, { "arguments", call.arguments } }
        end)) } }
      end)) or nil } }))
  end))
end

return M
