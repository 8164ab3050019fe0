--- `sluice list`: all syntaxes, one in full, or the one for a model's name.

local engines = require "sluice.command.engine"
local json = require("sluice.core").json
local lists = require "sluice.lists"
local nearest = require "sluice.nearest"
local terminal = require "sluice.command.terminal"

local M = {}

-- Ways to find a syntax, best first: by its name, an alias or its family, by a part of its name, of an alias or of a model, by the name of
-- a model that it is for.
local matches = { function(item, name)
  return item.family == name or lists.set(lists.joined(item.aliases, { item.name }))[name]
end, function(item, name)
  local words = lists.joined(item.aliases, item.models, { item.name })
  return table.concat(words, "\0"):lower():find(name:lower(), 1, true)
end, function(item, _, of_model)
  return of_model and of_model:find("," .. item.name .. ",", 1, true)
end }

-- The syntaxes with these names, each found the best way.
local function chosen(engine, all, names)
  local out, seen = {}, {}
  for _, name in ipairs(names) do
    local found, of_model = false, engine:ask("model", name)
    of_model = of_model and "," .. json.decode(of_model).name:gsub("^auto:", "") .. ","
    for _, match in ipairs(matches) do
      for _, item in ipairs(found and {} or all) do
        if match(item, name, of_model) then
          found = true
          out[#out + 1] = not seen[item.name] and item or nil
          seen[item.name] = true
        end
      end
    end
    if not found then
      local known = lists.set(lists.each(all, "name"))
      terminal.fail(("no syntax, alias, family or model is called '%s'%s; 'sluice list' lists them all"):format(name,
        nearest(name, known, ", the nearest is '%s'") or ""))
    end
  end
  return #names > 0 and out or all
end

-- A list of words on lines of at most 100 columns; "" without words.
local function wrapped(label, words)
  local out, line = {}, ("  %-10s"):format(label)
  for i, word in ipairs(words or {}) do
    local piece = word .. (i < #words and ", " or "")
    if #line + #piece > 100 and i > 1 then
      out[#out + 1] = line:gsub("%s+$", "\n")
      line = (" "):rep(12)
    end
    line = line .. piece
  end
  return words and words[1] and table.concat(out) .. line .. "\n" or ""
end

local function quoted(list)
  return lists.map(list, terminal.quoted)
end

-- Prints one syntax in full.
local function whole(item)
  local out = { item.name, item.about and " - " .. item.about or "", "\n" }
  local function add(label, words)
    out[#out + 1] = wrapped(label, words)
  end
  add("aliases", item.aliases)
  add("family", { item.family })
  add("models", item.models)
  add("origin", item.origin and { item.origin })
  local ways = item.directions
  local grammars = lists.map(json.keys(ways.grammar), function(target)
    local choices = ways.grammar[target]
    return #choices > 0 and target .. (#choices == 1 and (" (%s only)"):format(choices[1]) or "") or nil
  end)
  local function or_none(list)
    return #list > 0 and list or { "none" }
  end
  add("parse", { "streamed", "whole" })
  add("render", ways.render)
  add("grammar", or_none(grammars))
  add("prompt", or_none(ways.prompt))
  add("mark", #item.marked > 0 and quoted(item.marked) or { "not supported" })
  add("tokens", quoted(item.special))
  add("stop", quoted(item.stop))
  add("as", item.parent and { ("a dialect of %s"):format(item.parent) })
  add("source", item.source ~= json.null and { item.source } or nil)
  add("script", { item.path })
  for i, example in ipairs(item.examples) do
    out[#out + 1] = ("\n  example%s\n"):format(#item.examples > 1 and " " .. i or "")
    out[#out + 1] = "    " .. example.text:gsub("\n", "\n    ") .. "\n"
    for _, call in ipairs(example.calls) do
      out[#out + 1] = ("    => %s %s\n"):format(call.name, json.encode(call.arguments, ", ", ": "))
    end
  end
  io.stdout:write(terminal.safe(table.concat(out)))
end

local function line(item)
  return terminal.safe(("%-20s %s%s"):format(item.name, item.about or "",
    #item.aliases > 0 and "; also " .. table.concat(item.aliases, ", ") or "")) .. "\n"
end

-- Prints a line for each syntax, by family: on a terminal with headings.
local function lines(items, coloured)
  local families = {}
  for _, item in ipairs(items) do
    local family = item.family
    if not families[family] then
      families[#families + 1], families[family] = family, {}
    end
    table.insert(families[family], line(item))
  end
  table.sort(families, function(a, b)
    return b ~= "model" and (a == "model" or a < b)
  end)
  local out = {}
  for _, family in ipairs(families) do
    if terminal.is(1) then
      local heading = ("%s (%d)"):format(terminal.safe(family), #families[family])
      out[#out + 1] = (coloured and "\27[1m" .. heading .. "\27[0m" or heading) .. "\n"
    end
    out[#out + 1] = table.concat(families[family])
  end
  io.stdout:write(table.concat(out))
end

function M.run(args)
  local engine = engines.start()
  if args.model then
    local found = engines.ask(engine, "model", args.model)
    if args.json then
      io.stdout:write(json.encode(json.object { { "model", args.model }, { "syntax", found.name }, { "entry", found.entry } }, ", ",
        ": "), "\n")
    else
      terminal.write(("%s: '%s' is in its list of models\n"):format(found.name, found.entry))
    end
    return 0
  end
  local all = engines.ask(engine, "list_json", "")
  if #all == 0 then
    terminal.fail "no syntax is loaded"
  end
  local items = chosen(engine, all, args.names)
  if #args.names == 1 and #items == 1 or args.names[1] and args.json then -- with examples
    for i, item in ipairs(items) do
      items[i] = engines.ask(engine, "list_json", item.name)[1]
    end
  end
  if args.json then
    io.stdout:write(json.encode(json.array(items), ", ", ": "), "\n")
  elseif items[1].examples then
    whole(items[1])
  else
    lines(items, terminal.colours(args.color))
  end
  return 0
end

return M
