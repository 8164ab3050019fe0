--- The registry of syntaxes: loading scripts, finding them by name or model, and what is done with one.
--
-- One registry serves one Lua state. Scripts are run by the sandbox; here they are kept, compiled where they are used, and
-- renewed where they are loaded again. The functions below take the registry first; registry.new hands them out bound.

local core = require "sluice.core"
local compiler = require "sluice.parse.plan"
local installed = require "sluice.installed"
local sandbox = require "sluice.sandbox"
local several = require "sluice.several"
local tool_definitions = require "sluice.tools"
local vocabulary = require "sluice.syntax"
local visitors = require "sluice.visitors"

local M = {}
local methods, tools = {}, {}

-- The message with the script's whole path: Lua shortens a long one to its end.
local function with_path(path, message)
  local tail, rest = message:match "^%.%.%.([^\n]-)(:%d+: .*)$"
  return tail and path:sub(-#tail) == tail and path .. rest or message
end

-- A sentence of what is wrong with a script, with its place: one about a field of s.syntax{...} has none of its own.
local function placed(path, text, message)
  message = with_path(path, message)
  if message:sub(1, #path + 1) == path .. ":" then
    return message
  end
  local field = message:match "^syntax [^:]*: .-field '([%a_][%w_]*)'" or message:match "^syntax [^:]*: (%a+)[:,]"
  local number = 0
  for line in (field and text .. "\n" or ""):gmatch "([^\n]*)\n" do
    number = number + 1
    if (" " .. line):find("[%s{,]" .. field .. "%s*=") then
      return ("%s:%d: %s"):format(path, number, message)
    end
  end
  return ("%s: %s"):format(path, message)
end

local inside = installed.inside

-- A script's text, of the system or of the library; or nil and a sentence.
local function read(self, path)
  if path:sub(1, #inside) ~= inside then
    return self.system.read(path)
  end
  local text = self.system.embedded and self.system.embedded(path:sub(#inside + 1, -5))
  return text, not text and path .. " cannot be read: there is no such script in the library" or nil
end

-- ---- Loading --------------------------------------------------------------------------------

-- Compiles an entry's description, once. Answers its plan, or nil, a sentence and true. The library's own scripts are known to be
-- good: what it takes to compile them is not counted, and `later` they get no program yet: entry.outline is such a plan.
local function planned(self, entry, later)
  local plan, problem = entry.plan or entry.outline, nil
  if not plan then
    plan, problem = core.counted(not entry.ours, later and entry.ours and compiler.outline or compiler.plan, entry.description, self.lpeg)
  elseif not later and not plan.code then
    problem = select(2, core.counted(not entry.ours, plan.complete))
  end
  if problem then
    local message = with_path(entry.path, tostring(problem))
    local at, why = message:match "^(.-:%d+: )(.*)$"
    if not at or at:sub(1, #entry.path) ~= entry.path then
      at, why = entry.path .. ": ", message
    end
    return nil, ("%ssyntax %s: %s"):format(at, entry.name, why), true
  end
  entry.outline, entry.plan = plan, plan.code and plan
  return plan
end

local function add(self, entry)
  if not entry.ours then
    several.settle(self)
  end
  local description, by_name = entry.description, self.by_name
  self.replaced = self.replaced or by_name[description.name] ~= nil
  if not by_name[description.name] then
    self.order[#self.order + 1] = description.name
  end
  by_name[description.name], self.by_path[entry.path] = entry, entry
  if not (entry.ours and (self.pending or self.early)) then -- else it is one that was only postponed
    self.autos = {}
  end
  for _, alias in ipairs(not self.pending and description.aliases or {}) do -- where some are missing, names are all that counts
    local taken = by_name[alias]
    if not taken or taken.name ~= alias then
      by_name[alias] = entry
    end
  end
end

-- Adds what was loaded before the scripts among which it belongs; before it what it inherits from.
local function add_early(self, entry)
  if entry.parent and not self.by_name[entry.parent.name] then
    add_early(self, entry.parent)
  end
  add(self, entry)
  return entry.name
end

-- The entry of this name that a script in `folder` inherits from: loaded before, or from a file beside it, or the
-- library's. Raises.
local function ancestor(self, folder, name)
  local have = self.by_name[name]
  if not have and type(name) == "string" and name:match "^[%w_.-]+$" then
    local file = folder .. name .. ".lua"
    if not read(self, file) and read(self, inside .. name .. ".lua") then
      file = inside .. name .. ".lua"
    end
    if self.loading[file] then
      error(("%s inherits from itself"):format(name), 0)
    end
    local ok, message = methods.load_file(self, file, true)
    if not ok then
      error(message, 0)
    end
    have = self.by_name[name]
  end
  if not have then
    error(("there is no syntax '%s' to inherit from"):format(tostring(name)), 0)
  end
  return have
end

-- What is wrong with what a script answered, or nil.
local function refused(description, path)
  if description == nil then
    return ("%s: the script returns nothing; it must return a syntax: put `return` before s.syntax{...}"):format(path)
  elseif type(description) ~= "table" or getmetatable(description) ~= nil or not description.is_syntax then
    return ("%s: the script must return s.syntax{...}, not a %s of its own"):format(path, type(description))
  end
end

-- The entry of the script with this text, described but not compiled; or nil and a sentence. `folder`: where the scripts are
-- that it inherits from; the library's own are found from everywhere. `ours`: it is one of the library's.
local function described(self, text, path, folder, ours)
  folder = folder or path:match "^(.*[/\\])" or ""
  local answer, message, has_patterns
  local is_template = text:find "^%s*{" -- no script begins so: a response template, or the tokenizer configuration that holds one
  if is_template then
    answer, message = require("sluice.response_template").description(text, path)
  else
    answer, message, has_patterns = self.sandbox.run(text, path, function(name)
      local from = ancestor(self, folder, name)
      ours = ours and from.ours
      return from.description
    end)
  end
  if answer == nil and message then
    return nil, placed(path, text, message)
  end
  local problem = refused(answer, path)
  if problem then
    return nil, problem
  end
  local description = answer
  if not is_template then
    local ok
    ok, description = pcall(self.sandbox.taken_over, answer, ours, has_patterns)
    if not ok then
      return nil, placed(path, text, tostring(description))
    end
  end
  local parent = self.by_name[description.parent]
  return { name = description.name, description = description, path = path, folder = folder, text = text, ours = ours,
    parent = parent and parent.name == description.parent and parent or nil }
end

-- Dialects of a script that was loaded again are loaded again, too.
local function renew(self)
  if next(self.loading) or not self.replaced then
    return
  end
  for _ = 1, #self.order do
    local stale
    for _, name in ipairs(self.order) do
      local entry = self.by_name[name]
      if entry.parent and self.by_name[entry.parent.name] ~= entry.parent then
        stale = entry
      end
    end
    if not stale or not methods.load_text(self, stale.text, stale.path, true, stale.folder, stale.ours) then
      break
    end
  end
  self.replaced = false
end

--- The plan of the script with this text, which is not registered; or nil and a sentence.
function methods.compile(self, text, path)
  local entry, message = described(self, text, path)
  if not entry then
    return nil, message
  end
  return planned(self, entry)
end

--- Loads the script with this text. Answers its name, or nil and a sentence. `later`: it is compiled when it is used. `folder`:
-- and `ours`: as for `described`.
function methods.load_text(self, text, path, later, folder, ours)
  local entry, message = core.counted(not ours, described, self, text, path, folder, ours)
  if not entry then
    return nil, message
  end
  if not later then
    local plan, problem = planned(self, entry)
    if not plan then
      return nil, problem
    end
  end
  add(self, entry)
  return entry.name
end

--- Loads one script, as load_text does. One that was loaded before is read anew: streams under way go on with what it was.
function methods.load_file(self, path, later)
  if self.early and self.early[path] then
    return add_early(self, self.early[path])
  end
  local text, message = read(self, path)
  if not text then
    return nil, message
  end
  self.loading[path] = true
  local own = self.system.embedded and self.system.embedded(path:match "([^/\\]*)%.lua$" or "")
  local name, problem = methods.load_text(self, text, path, later, nil, text == own)
  self.loading[path] = nil
  renew(self)
  return name, problem
end

--- Loads the script with this text, which errors call `name`. Answers its syntax's name, or nil and a sentence.
function methods.load_memory(self, text, name)
  local loaded, problem = methods.load_text(self, text, name, false, inside)
  renew(self)
  return loaded, problem
end

-- Loads every script of a folder, in the order of their names, but for those that are loaded as they stand. Answers how many, and the
-- sentences of those that could not be loaded.
local function load_scripts(self, path, names)
  local count, problems = 0, {}
  table.sort(names)
  for _, name in ipairs(names) do
    local file = path .. "/" .. name
    local known = self.by_name[name:sub(1, -5)]
    if name:match "%.lua$" and not (known and known.path == file and known.text == read(self, file)) then
      local ok, message = methods.load_file(self, file, true)
      count = count + (ok and 1 or 0)
      problems[#problems + 1] = not ok and message or nil
    end
  end
  return count, problems
end

--- The same; where they are the library's own, and nothing is loaded yet, they are loaded when they are asked for.
function methods.load_folder(self, path, names)
  local postponed = installed.postpone(self, { { path = path, names = names } })
  if postponed then
    return postponed, {}
  end
  return load_scripts(self, path, names)
end

--- Loads the scripts of the library and of these folders: see installed.load.
function methods.load_installed(self, folders)
  return installed.load(self, folders, { load_file = methods.load_file, load_folder = load_scripts })
end

-- ---- Finding --------------------------------------------------------------------------------

-- What the plans of "auto" are made with.
local how = { planned = planned, load_file = methods.load_file }

--- The plan of a syntax by name, alias or path, or of "auto". Answers nil and a sentence where there is none; and true where
-- its script is at fault.
function methods.plan(self, name)
  if type(name) == "string" and (name == "auto" or name:sub(1, 5) == "auto:") then
    return several.plan(self, name, how)
  elseif self.pending and not installed.one(self, name, methods.load_file) then
    installed.settle(self, methods.load_file)
  end
  local entry = self.by_name[name]
  if not entry and type(name) == "string" and name:find "[/\\.]" then
    local text = read(self, name)
    entry = self.by_path[name]
    if not (entry and text == entry.text and self.by_name[entry.name] == entry) then
      local known, count = self.by_path[name], #self.order
      local loaded, message = methods.load_file(self, name)
      if not loaded then
        return nil, message, text ~= nil
      end
      entry = self.by_name[loaded]
      visitors.add(self, entry, #self.order > count or (known and known.passing))
    end
  end
  if not entry then
    local names = { auto = true }
    for known in pairs(self.by_name) do
      names[known] = true
    end
    local near = vocabulary.nearest(tostring(name), names)
    return nil, ("there is no syntax '%s'%s"):format(tostring(name), near and ("; the nearest is '%s'"):format(near) or "")
  end
  return planned(self, entry)
end
how.plan = methods.plan

-- Model names are compared without case, separators and publisher.
local function fold(name)
  local bare = name:lower():gsub("^.*/", ""):gsub("(%d)[._](%d)", "%1\0%2") -- 3.8 is a version, 3-8B is not
  return (bare:gsub("[^%w%z]", ""):gsub("%z", "."))
end

-- Does a script's model fit the name? `*` stands for anything. How many bytes of the name are meant.
local function fits_model(wanted, known)
  local at, size = 1, 0
  for part in (known .. "*"):gmatch "([^*]*)%*" do
    local f = fold(part)
    local first, last = wanted:find(f, at, true)
    if not first then
      return nil
    end
    at, size = last + 1, size + #f
  end
  return size > 0 and size or nil
end

-- The scripts' models that fit best: { name, place, known, start } each.
local function best_models(self, wanted)
  local best, found = 0, {}
  for _, name in ipairs(self.order) do
    local d = self.by_name[name].description
    for place, known in ipairs(d.models or {}) do
      local size = fits_model(wanted, known)
      if size and size >= best then
        if size > best then
          best, found = size, {}
        end
        if not (found[#found] and found[#found].name == name) then
          found[#found + 1] = { name = name, place = place, known = known, start = (d.model_starts or {})[known] }
        end
      end
    end
  end
  table.sort(found, function(a, b)
    if a.place ~= b.place then
      return a.place < b.place
    end
    return a.name < b.name
  end)
  return found
end

-- The models whose names begin with this one, for a sentence.
local function longer_models(self, wanted)
  local list = {}
  for _, name in ipairs(self.order) do
    for _, known in ipairs(#wanted > 1 and self.by_name[name].description.models or {}) do
      list[#list + 1] = fold(known):sub(1, #wanted) == wanted and ("%s (%s)"):format(known, name) or nil
    end
  end
  table.sort(list)
  local shown = table.concat(list, ", ", 1, math.min(#list, 8))
  return list[1] and ("; there is %s%s"):format(shown, list[9] and ", ..." or "") or ""
end

--- The syntax for a model's name: the one with the longest fitting name among the scripts' models; "auto:a,b" where several scripts
-- have that name. Answers nil and a sentence where there is none, or where other names fit as well; else the name, the entry of its
-- script that fits, and "reasoning" where the model's responses start there.
function methods.syntax_for(self, model)
  local wanted = fold(tostring(model))
  local found = best_models(self, wanted)
  if #found == 0 then
    return nil, ("no syntax names a model like '%s'%s"):format(tostring(model), longer_models(self, wanted))
  end
  local names, alike, start = {}, true, nil
  for i, one in ipairs(found) do
    names[i] = one.name
    alike = alike and fold(one.known) == fold(found[1].known)
    start = start or one.start
  end
  if not alike then
    return nil, ("'%s' fits %s equally; choose one"):format(tostring(model), table.concat(names, ", "))
  end
  return #names == 1 and names[1] or "auto:" .. table.concat(names, ","), found[1].known, start
end

local function strings(list)
  local copied = core.json.array()
  for i, text in ipairs(list or {}) do
    copied[i] = text
  end
  return copied
end

local function pairs_of(reasoning)
  local list = core.json.array()
  for i, pair in ipairs(reasoning and reasoning.open and { reasoning } or reasoning or {}) do
    list[i] = core.json.object { { "open", pair.open }, { "close", pair.close } }
  end
  return list
end

--- Every syntax, as a list of tables for `sluice list`.
function methods.list(self)
  local out, names = core.json.array(), {}
  for i, name in ipairs(self.order) do
    names[i] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local d = self.by_name[name].description
    local can = core.json.array { "parse" }
    if not d.parse or d.render then
      can[2] = "render"
    end
    out[#out + 1] = core.json.object {
      { "name", name }, { "aliases", strings(d.aliases) }, { "models", strings(d.models) }, { "can", can },
      { "special", strings(d.special) }, { "reasoning", pairs_of(d.reasoning) }, { "stop", strings(d.stop) },
      { "family", several.family_of(self.by_name[name]) }, { "stop_words", strings(d.stop_words) },
      { "source", d.source or core.json.null },
      { "path", self.by_name[name].path },
    }
  end
  return out
end

--- The same as JSON text.
function methods.list_json(self)
  return core.json.encode(methods.list(self), ", ", ": ")
end

-- ---- What is done with a syntax -------------------------------------------------------------

-- What is for one syntax only, as a function of the registry, its plan and more: `auto` recognises, and writes nothing. The
-- argument number `at` of those is options, or JSON text of some; a mark among them is in the plan.
local function of_one(at, run)
  return function(self, plan, ...)
    if plan.names then
      return nil, ("'%s' recognises formats and writes none: name the syntax"):format(plan.syntax.name), "refused"
    end
    local given = { ... }
    given[at] = methods.options(self, given[at])
    if given[at] and given[at].mark ~= nil then
      local rest = {}
      for key, value in pairs(given[at]) do
        rest[key] = key ~= "mark" and value or nil
      end
      local found, message = plan.for_mark(given[at].mark)
      if not found then
        return nil, message, "bad_option"
      end
      plan, given[at] = found, rest
    end
    return run(self, plan, given[1], given[2], given[3])
  end
end

--- Calls as text in a syntax: see sluice.render.
methods.render = of_one(2, function(_, plan, calls, options)
  local key = next(options or {})
  if key then
    return nil, ("there is no option '%s'; there is mark"):format(tostring(key)), "bad_option"
  end
  return require("sluice.write.render").render(plan, calls)
end)

--- A turn's text without its results, and the results.
function methods.split(_, plan, text)
  return require("sluice.write.render").split(plan, text)
end

--- A grammar for these tools: see sluice.grammar. `options`: a table, or JSON text of one, or nil.
methods.grammar = of_one(3, function(_, plan, given, target, options)
  return require("sluice.constrain.grammar").grammar(plan, given, target, options)
end)

--- Instructions for these tools: see sluice.prompt.
methods.prompt = of_one(2, function(_, plan, given, options)
  return require("sluice.prompt").prompt(plan, given, options)
end)

--- A syntax in another project's form: see sluice.export.
methods.export = of_one(2, function(_, plan, target, options)
  if target ~= "response-template" then
    return nil, ("there is no export to '%s'; there is \"response-template\""):format(tostring(target)), "not_found"
  end
  return require("sluice.write.response_template").export(plan, options)
end)

--- Options from JSON text, or as they are.
function methods.options(_, options)
  if type(options) == "string" then
    local decoded = core.json.decode(options)
    if core.json.kind(decoded) ~= "object" then
      error("the options are no JSON object", 0)
    end
    return decoded
  end
  return options
end

--- Tools from JSON text or a table: see sluice.tools.
function methods.tools(_, value)
  if type(value) == "string" then
    return tool_definitions.read_text(value)
  end
  return tool_definitions.read(value)
end

-- ---- For those who write scripts ------------------------------------------------------------

--- Is the script at this path in order? See sluice.check. `look`: only its first lines.
function methods.check(self, path, look)
  return require("sluice.author.check").check(self.bound, path, look)
end

--- A description read out of samples: see sluice.infer.
function methods.infer(self, asked)
  return require("sluice.author.infer").infer(self.bound, asked)
end

tools.check = methods.check

--- The first lines of what check says.
function tools.look(self, path)
  return methods.check(self, path, true)
end

--- The program of a syntax, by its name or the path to its script, in lines: see sluice.author.listing.
function tools.program(self, syntax)
  local plan, message = methods.plan(self, syntax)
  if not plan then
    return nil, message
  end
  return require("sluice.author.listing").of(plan)
end

--- What is tried at each byte of a text, in lines: see sluice.explain. `asked`: JSON text of { syntax, text, tools, options }.
function tools.explain(self, asked)
  return require("sluice.author.explain").explain(self.bound, methods.options(self, asked))
end

--- Calls as text. `asked`: JSON text of { syntax, calls, options }; `calls` is JSON text.
function tools.render(self, asked)
  asked = methods.options(self, asked)
  local plan, message = methods.plan(self, asked.syntax)
  if not plan then
    return nil, message
  end
  return methods.render(self, plan, asked.calls, asked.options)
end

--- A syntax in another form. `asked`: JSON text of { syntax, to, options }.
function tools.export(self, asked)
  asked = methods.options(self, asked)
  local plan, message = methods.plan(self, asked.syntax)
  if not plan then
    return nil, message
  end
  return methods.export(self, plan, asked.to, asked.options)
end

--- As self.infer, of JSON text, as JSON text.
function tools.infer(self, asked)
  local made, message = methods.infer(self, methods.options(self, asked))
  if not made then
    return nil, message
  end
  return core.json.encode(core.json.object { { "script", made.script }, { "page", made.page }, { "report", made.report },
    { "explained", made.explained } })
end

--- JSON text of a script and its page: see sluice.new. `asked`: JSON text of { name, like }.
function tools.new(self, asked)
  asked = methods.options(self, asked)
  local script, page = require("sluice.author.new").files(self.bound, asked.name, asked.like)
  if not script then
    return nil, page
  end
  return core.json.encode(core.json.object { { "script", script }, { "page", page } })
end

--- What is known of each syntax, or (a name) all that is known of one, as JSON text.
function tools.describe(self, name)
  return core.json.encode(require("sluice.author.describe").syntaxes(self.bound, name ~= "" and name or nil))
end

--- The syntax of a model's name and the entry of its script that fits, as JSON text.
function tools.model(self, model)
  local name, entry, start = methods.syntax_for(self, model)
  if not name then
    return nil, entry
  end
  return core.json.encode(core.json.object { { "name", name }, { "entry", entry }, start and { "start", start } or nil })
end

--- Is this the name or an alias of a syntax? The name, or nil and a sentence.
function tools.known(self, name)
  if name ~= "auto" and not self.by_name[name] then
    return nil, ("there is no syntax '%s'"):format(name)
  end
  return name
end

--- What the command has for those who write scripts; answers text, or nil and a sentence.
function methods.tool(self, name, argument)
  if not tools[name] then
    return nil, ("there is no tool '%s'"):format(name)
  end
  return tools[name](self, argument)
end

-- What asks for no other syntax than it is given.
local alone = { plan = true, tools = true, options = true, render = true, split = true, grammar = true, prompt = true, export = true }

--- registry.new(lpeg, system): `lpeg` is LPeg. system.read(path) -> text, or nil and a sentence; system.embedded(name) -> text or
-- nil, the scripts inside the library (without a name: their names); system.libraries: see sluice.sandbox. Returns a table of the
-- functions above, without their first argument, with `by_name` (entries by name and alias) and `order` (names as they were loaded).
function M.new(lpeg, system)
  local self = { lpeg = lpeg, system = system, by_name = {}, by_path = {}, order = {}, autos = {}, own = {}, loading = {}, visitors = {} }
  self.sandbox = sandbox.new(lpeg, system)
  vocabulary.patterns, vocabulary.core = self.sandbox.patterns, core
  core.set_questions(require "sluice.parse.questions")
  self.bound = { by_name = self.by_name, order = self.order }
  for name, method in pairs(methods) do
    self.bound[name] = function(...)
      if self.pending and not alone[name] then
        installed.settle(self, methods.load_file)
      end
      return method(self, ...)
    end
  end
  return self.bound
end

return M
