--- Describes syntaxes, for `sluice list` and hosts: models, tokens; of one syntax also directions and examples.

local json = require("sluice.core").json
local lists = require "sluice.lists"

local M = {}

-- The first sentence of a script's comment: a summary of the format.
local function about(text)
  local comment = (text:match "^%-%-%- (.-)\n%f[^\n-]" or ""):gsub("\n%-%- ?", " ") .. " "
  return comment:match "^(.-)%.%s" or comment:match "^(.+)%s$"
end

-- A new JSON array of what `f` makes of each item, or of the items; empty for nil.
local function array(list, f)
  return json.array(f and lists.map(list or {}, f) or lists.joined(list or {}))
end
M.array = array

-- Tools to try a syntax with: those of its examples if it has fixed tools, else an invented one.
local function tools_for(d)
  local calls = {}
  for _, example in ipairs(require("sluice.ways").of(d) and d.examples or {}) do
    calls = lists.joined(calls, example.calls)
  end
  calls[1] = calls[1] or { name = "get_weather", arguments = json.object { { "city", "Paris" }, { "days", 2 } } }
  return json.encode(require("sluice.author.laws").tools_for(calls))
end

-- Tries the directions other than parse: { render: what it writes, grammar: { target: its tool_choices }, prompt: its variants }.
local function directions(registry, name)
  local plan = registry.plan(name)
  local d, tools = plan.syntax, registry.tools(tools_for(plan.syntax))
  return json.object { { "render", json.array { "calls", d.result and "results" or nil } },
    { "grammar", json.object(lists.map(require("sluice.constrain.grammar").targets, function(target)
      return { target, array({ "auto", "required" }, function(choice)
        return registry.grammar(plan, tools, target, { tool_choice = choice }) and choice or nil
      end) }
    end)) },
    { "prompt", array({ "full", "short", "native" }, function(variant)
      return registry.prompt(plan, tools, { variant = variant }) and variant or nil
    end) } }
end

--- describe.syntaxes(registry, name) -> a list of JSON objects, one for each syntax; with a name only this syntax, with its directions, the
-- places of a mark (`marked`) and its examples.
function M.syntaxes(registry, name)
  local names = array(registry.order)
  table.sort(names)
  return array(name and { (registry.by_name[name] or {}).name } or names, function(one)
    local entry = registry.by_name[one]
    local d = entry.description
    local members = { { "name", one }, { "aliases", array(d.aliases) }, { "models", array(d.models) },
      { "can", json.array { "parse", "render" } }, { "special", array(d.special) }, { "reasoning", array(d.reasoning, function(pair)
        return json.object { { "open", pair.open }, { "close", pair.close } }
      end) }, { "stop", array(d.stop) }, { "family", d.family or "model" }, { "stop_words", array(d.stop_words) },
      { "source", d.source or json.null }, { "path", entry.path }, { "about", about(entry.text) }, { "origin", d.origin },
      { "parent", d.parent } }
    return json.object(name and lists.joined(members, { { "directions", directions(registry, one) }, { "marked", array(d.marked) },
      { "examples", array(d.examples, function(example)
        return json.object { { "text", example.text }, { "calls", array(example.calls, function(call)
          return json.object { { "name", call.name }, { "arguments", call.arguments } }
        end) } }
      end) } }) or members)
  end)
end

return M
