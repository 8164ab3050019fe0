--- The registry of syntaxes: loads scripts, finds them by name or model, and runs operations on them.
--
-- One registry serves one Lua state. The sandbox runs the scripts; the registry keeps them, compiles them on first use, and replaces
-- them when they are loaded again. The functions below take the registry first; registry.new returns them bound to it.

local core = require "sluice.core"
local check = require "sluice.check"
local compiler = require "sluice.compile.plan"
local lists = require "sluice.lists"
local names_of_servers = require "sluice.names"
local nearest = require "sluice.nearest"
local sandbox = require "sluice.sandbox"
local stream_options = require "sluice.options"
local streams = require "sluice.stream"
local tool_definitions = require "sluice.tools"

local M = {}
local methods, tools = {}, {}

-- An error message with the script's path, the line, and the syntax's name if one is given: messages about a field of s.syntax{...} have no
-- line, and Lua cuts the beginning of a long path.
local function placed(path, text, message, name)
  local at, line, why = message:match "^(.-):(%d+): (.*)$"
  local tail = at and at:match "^%.%.%.(.*)$"
  if not (at == path or tail and path:sub(-#tail) == tail) then
    line, why = nil, message
  end
  why = name and ("syntax %s: %s"):format(name, why) or why
  local field = not line and (why:match "^syntax [^:]*: .-field '([%a_][%w_]*)'" or why:match "^syntax [^:]*: (%a+)[:,]")
  local number = 0
  for one in (field and text .. "\n" or ""):gmatch "([^\n]*)\n" do
    number = number + 1
    line = line or (" " .. one):find("[%s{,]" .. field .. "%s*=") and number
  end
  return ("%s:%s %s"):format(path, line and line .. ":" or "", why)
end

-- Path prefix of scripts inside the library. They are loaded when they are asked for: a host that parses one format runs one script, and
-- its own. self.order and self.names: the names of all, in order, and as a set; self.pending: some are not loaded, and aliases do not
-- count.
local inside = "(sluice)/"

-- A script's text, from the system or the library; or nil and a message.
local function read(self, path)
  if path:sub(1, #inside) ~= inside then
    return self.system.read(path)
  end
  local text = self.system.embedded(path:sub(#inside + 1, -5))
  return text, not text and path .. " cannot be read: there is no such script in the library" or nil
end

-- Compiles an entry's description, once. Returns its plan, or nil, a message and true. The library's own scripts are trusted: compiling
-- them is not charged to limits, and with `later` they get a plan without a program: entry.outline.
local function planned(entry, later)
  local plan, problem = entry.plan or entry.outline, nil
  if not plan then
    plan, problem = core.counted(not entry.ours, later and entry.ours and compiler.outline or compiler.plan, entry.description)
  elseif not later and not plan.code then
    problem = select(2, core.counted(not entry.ours, plan.complete))
  end
  if problem then
    return nil, placed(entry.path, entry.text, tostring(problem), entry.name), true
  end
  entry.outline, entry.plan = plan, plan.code and plan
  return plan
end

-- Gives an entry its aliases, unless they are names.
local function claim(self, entry)
  local by_name = self.by_name
  for _, alias in ipairs(entry.description.aliases or {}) do
    local taken = by_name[alias]
    if not taken or taken.name ~= alias then
      by_name[alias] = entry
    end
  end
end

-- Adds an entry; the dialects of one whose place it takes are loaded again.
local function add(self, entry)
  local name, by_name = entry.name, self.by_name
  local old = by_name[name]
  if not self.names[name] then
    self.order[#self.order + 1], self.names[name] = name, true
  end
  by_name[name], self.by_path[entry.path] = entry, entry
  self.autos = {}
  if not self.pending then
    claim(self, entry)
  end
  for _, other in ipairs(old and self.order or {}) do
    local one = by_name[other]
    if one and one.parent == old and one ~= entry then
      methods.load_text(self, one.text, one.path, true, one.folder, one.ours)
    end
  end
end

-- Loads the script at this path. Raises if it cannot be loaded; the next call tries again.
local function must_load(self, path)
  local name, message = methods.load_file(self, path, true)
  return self.by_name[name or error(message, 0)]
end

-- The entry of this name; one of the library's is loaded.
local function entry_of(self, name)
  return self.by_name[name] or self.names[name] and must_load(self, inside .. name .. ".lua") or nil
end

-- Loads all of them.
local function settle(self)
  if self.pending then
    for _, name in ipairs(self.order) do
      entry_of(self, name)
    end
    self.pending = false
    for _, name in ipairs(self.order) do
      claim(self, self.by_name[name])
    end
  end
end

-- The entry of this name for a script in `folder` to inherit from: already loaded, or from a file in the folder, or the library's.
-- Raises if there is none.
local function ancestor(self, folder, name)
  if self.by_name[name] then
    return self.by_name[name]
  end
  local file = folder .. tostring(name) .. ".lua"
  file = read(self, file) and file or inside .. tostring(name) .. ".lua"
  if self.loading[file] then
    error(("%s inherits from itself"):format(name), 0)
  elseif not read(self, file) or not tostring(name):find "^[%w_.-]+$" then
    error(("there is no syntax '%s' to inherit from%s"):format(tostring(name), check.instead(name, self.names)), 0)
  end
  return must_load(self, file)
end

-- Runs the script with this text and returns its entry, not yet compiled; or nil and a message. `folder`: where the scripts are that it
-- inherits from; the library's own are always found. `ours`: it is one of the library's.
local function described(self, text, path, folder, ours)
  folder = folder or path:match "^(.*[/\\])" or ""
  local description, message = self.sandbox.run(text, path, ours, function(name)
    local from = ancestor(self, folder, name)
    ours = ours and from.ours
    return from.description
  end)
  if not description then
    return nil, placed(path, text, message)
  end
  local parent = self.by_name[description.parent]
  return { name = description.name, description = description, path = path, folder = folder, text = text, ours = ours,
    hides = not ours and self.system.embedded(description.name) ~= nil,
    parent = parent and parent.name == description.parent and parent or nil }
end

--- Compiles the script with this text without registering it. Returns its plan, or nil and a message.
function methods.compile(self, text, path)
  local entry, message = described(self, text, path)
  if not entry then
    return nil, message
  end
  return planned(entry)
end

--- Loads the script with this text. Returns its name, or nil and a message. `later`: compile it on first use. `folder`, `ours`: as of
-- `described`.
function methods.load_text(self, text, path, later, folder, ours)
  local entry, message = core.counted(not ours, described, self, text, path, folder, ours)
  if entry and not later then
    message = select(2, planned(entry))
  end
  if message then
    return nil, message
  end
  add(self, entry)
  return entry.name
end

--- Loads one script, as load_text; if it cannot be read, also returns a code. If it was loaded before, it is read again; open streams
-- keep the old version.
function methods.load_file(self, path, later)
  local text, message = read(self, path)
  if not text then
    return nil, message, "not_found"
  end
  self.loading[path] = true
  local own = self.system.embedded(path:match "([^/\\]*)%.lua$" or "")
  local name, problem = methods.load_text(self, text, path, later, nil, text == own)
  self.loading[path] = nil
  return name, problem
end

--- Loads the script with this text; errors call it `name`. Returns its syntax's name, or nil and a message.
function methods.load_memory(self, text, name)
  return methods.load_text(self, text, name, false, inside)
end

-- Loads every script of a folder in alphabetical order, except those that are known with the same text. Returns their number, or nil if it
-- is no folder. Adds the messages of those that could not be loaded to `problems`.
local function load_folder(self, path, problems)
  local files, message = core.list_folder(path)
  if not files then
    return nil, message
  end
  local count = 0
  table.sort(files)
  for _, file in ipairs(files) do
    local name = file:match "^(.*)%.lua$"
    local known = name and (self.by_name[name] and self.by_name[name].text or self.names[name] and self.system.embedded(name))
    if name and not (known and known == read(self, path .. "/" .. file)) then
      local ok, problem = methods.load_file(self, path .. "/" .. file, true)
      count = count + (ok and 1 or 0)
      problems[#problems + 1] = not ok and problem or nil
    end
  end
  return count
end

--- Loads the script at this path, or all of the folder. Returns the syntax's name, or the number of scripts; or nil and a message.
function methods.load_path(self, path)
  local problems = {}
  local count = load_folder(self, path, problems)
  if not count then
    return methods.load_file(self, path)
  elseif problems[1] then
    return nil, table.concat(problems, "\n")
  end
  return count
end

--- Makes the library's scripts known, and loads those of this folder (or nil) and of the folders in the text of SLUICE_PATH (or nil): each
-- replaces earlier ones of the same name. Returns the messages of those that could not be loaded, and one about a folder that cannot be
-- read.
function methods.load_all(self, folder, more)
  local problems, missing = {}, nil
  for i, name in ipairs(self.system.embedded()) do
    if not self.names[name] then
      table.insert(self.order, i, name)
      self.names[name], self.pending = true, true
    end
  end
  local paths = { folder }
  for path in (more or ""):gmatch("[^" .. core.path_separator .. "]+") do
    paths[#paths + 1] = path
  end
  for _, path in ipairs(paths) do
    missing = select(2, load_folder(self, path, problems)) or missing
  end
  return problems, missing and missing .. " (see SLUICE_PATH)"
end

--- The same for the engine. Returns true, or nil, a message and a code.
function methods.load_installed(self, folder, more)
  local problems, missing = methods.load_all(self, folder, more)
  return not (problems[1] or missing) or nil, problems[1] and table.concat(problems, "\n") or missing,
    problems[1] and "script" or "not_found"
end

-- ---- Finding --------------------------------------------------------------------------------

-- What `auto` needs of one of the library's scripts, as of its plan, from the index that the build makes. nil if the index lacks it (it is
-- empty where it could not be made), or another script has its place or that of one that it inherits from.
local function indexed(self, name)
  if not self.index then
    local _, text = self.system.embedded()
    self.index = {}
    for one, line in (text or ""):gmatch "([^\n\t]+)\t[^\t]+\t([^\n]+)" do
      self.index[one] = line
    end
  end
  local plan, entry = self.index[name], self.by_name[name]
  if not plan or entry and entry.path ~= inside .. name .. ".lua" then
    return nil
  elseif type(plan) == "string" then
    plan = core.json.decode(plan)
    self.index[name] = plan
    function plan.load()
      plan.own = plan.own or assert(planned(assert(described(self, self.system.embedded(name), inside .. name .. ".lua", nil, true))))
      return plan.own
    end
  end
  local parent = plan.syntax.parent
  return (not parent or indexed(self, parent)) and plan
end

-- The plans of these names, each of a syntax or of a family; or nil, a message, and true if a script has an error.
local function plans_of(self, names)
  local plans, seen = {}, {}
  for each in names:gmatch "[^,]+" do
    local members = lists.map(self.names[each] and {} or self.order, function(name)
      local plan = indexed(self, name)
      local entry = not plan and entry_of(self, name)
      local family = (plan and plan.syntax or entry.description).family or "model"
      return family == each and (plan or planned(entry, true)) or nil -- without errors
    end)
    if not members[1] then
      local plan, message, broken = self.names[each] and indexed(self, each), nil, nil
      if not plan then
        plan, message, broken = methods.plan(self, each)
      end
      if not plan or plan.names then
        return nil, message or "auto takes names of syntaxes and families", broken
      end
      members[1] = plan
    end
    for _, plan in ipairs(members) do
      local name = plan.syntax.name
      plans[#plans + 1], seen[name] = not seen[name] and plan or nil, true
    end
  end
  return plans
end

-- The plan of "auto", for all syntaxes of the family "model", or of "auto:NAME,NAME..." for syntaxes and families of these names. Cached
-- until a script is loaded. Returns nil, a message, and true if a script has an error, on failure.
local function auto(self, name)
  if self.autos[name] then
    return self.autos[name]
  end
  local plans, message, broken = plans_of(self, name == "auto" and "model" or name:sub(6))
  if not plans then
    return nil, name == "auto" and not broken and "no syntax of the family 'model' is loaded" or message, broken
  elseif #plans == 0 then
    return nil, ("there are no syntaxes for '%s'"):format(name)
  end
  self.autos[name] = require("sluice.compile.auto").plan(name, plans, not lists.some(plans, function(plan)
    return not (plan.load or self.by_name[plan.syntax.name].ours)
  end))
  return self.autos[name]
end

-- The end of the message about an unknown syntax, if it is a model's name.
local function as_model(self, name)
  settle(self)
  local found = not name:find "%.lua$" and methods.syntax_for(self, name)
  return found and ("; the model '%s' uses the syntax '%s'"):format(name, found) or found == nil and "; no syntax lists it as a model" or ""
end

--- The plan of a syntax by name, alias or path, or of "auto". Returns nil and a message if there is none; and true if its script has an
-- error.
function methods.plan(self, name)
  name = tostring(name)
  if name == "auto" or name:sub(1, 5) == "auto:" then
    return auto(self, name)
  elseif name:find '[%c<"]' or #name > 60 and name:find " " and not (name:find "[/\\]" and read(self, name)) then
    return nil, ("there is no syntax %s; the syntax is named before the text"):format(require("sluice.word").quoted(name))
  end
  local entry = entry_of(self, name)
  if not entry and not name:find "[/\\]" then
    settle(self)
    local known = names_of_servers.find(name, self.by_name)
    if known == "auto" then
      return auto(self, known)
    end
    entry = self.by_name[known or name]
  end
  if not entry and name:find "[/\\.]" then
    local text = read(self, name)
    entry = self.by_path[name]
    if not (entry and text == entry.text and self.by_name[entry.name] == entry) then
      local loaded, message = methods.load_file(self, name)
      if not loaded then
        return nil, text and message or message .. as_model(self, name), text ~= nil
      end
      entry = self.by_name[loaded]
    end
  end
  if not entry then
    local near = nearest(name, lists.copy(self.by_name, { auto = true }), "; the nearest is '%s'")
    return nil, ("there is no syntax '%s'%s"):format(name, near or as_model(self, name))
  end
  return planned(entry)
end

-- Normalises a model's name: without case, publisher and separators; between digits these become \1 in versions (3.8, 3_8), else \2 (3-8B,
-- 3_8B).
local function fold(name)
  local bare = name:lower():gsub("^.*/", ""):gsub("(%d)_(%d+b)", "%1-%2"):gsub("(%d)[._]%f[%d]", "%1\1"):gsub("(%d)[^%w\1]+%f[%d]", "%1\2")
  return (bare:gsub("[^%w\1\2]", ""))
end

-- The number of bytes of a model's name that a script's model matches (`*` matches anything), or nil. Numbers match whole.
local function fits_model(wanted, known)
  local at, size = 1, 0
  for part in (known .. "*"):gmatch "([^*]*)%*" do
    local f = fold(part)
    local first, last = wanted:find((f:gsub("%d$", "%0%%f[%%D]")), at)
    if not first then
      return nil
    end
    at, size = last + 1, size + #f
  end
  return size > 0 and size or nil
end

-- The scripts' models that match best: { name, place, known, start } each.
local function best_models(self, wanted)
  local best, found = 0, {}
  settle(self)
  for _, name in ipairs(self.order) do
    local d = self.by_name[name].description
    for place, known in ipairs(d.models or {}) do
      local size = fits_model(wanted, known)
      if size and size > best then
        best, found = size, {}
      end
      if size == best and not (found[#found] and found[#found].name == name) then
        found[#found + 1] = { name = name, place = place, known = known, start = (d.model_starts or {})[known] }
      end
    end
  end
  table.sort(found, function(a, b)
    return a.place < b.place or a.place == b.place and a.name < b.name
  end)
  return found
end

-- The known models whose names begin with this one, as the end of a message.
local function longer_models(self, wanted)
  local list = {}
  for _, name in ipairs(self.order) do
    for _, known in ipairs(#wanted > 1 and self.by_name[name].description.models or {}) do
      list[#list + 1] = fold(known):sub(1, #wanted) == wanted and ("%s (%s)"):format(known, name) or nil
    end
  end
  table.sort(list)
  local shown = table.concat(list, ", ", 1, math.min(#list, 8))
  return list[1] and ("; there is %s%s"):format(shown, list[9] and ", ..." or "")
    or "; the syntax 'auto' recognises a format by its markers"
end

--- Finds the syntax for a model's name: the one with the longest match among the scripts' models; "auto:a,b" if several scripts have
-- that model. Returns the name, the matching entry of the script, and "reasoning" if the model's responses start there; or nil and a
-- message if none matches, or different models match equally.
function methods.syntax_for(self, model)
  local wanted = fold(tostring(model))
  local found = best_models(self, wanted)
  if #found == 0 then
    return nil, ("no syntax lists the model '%s'%s"):format(tostring(model), longer_models(self, wanted))
  end
  local names = lists.each(found, "name")
  if lists.some(found, function(one)
    return fold(one.known) ~= fold(found[1].known)
  end) then
    return nil, ("'%s' fits %s equally; choose one"):format(tostring(model), table.concat(names, ", ")), "not_found"
  end
  return #names == 1 and names[1] or "auto:" .. table.concat(names, ","), found[1].known,
    lists.each(found, "start")[1]
end

--- "reasoning" if the responses of this model start there, else "".
function methods.start_for(self, model)
  local name, _, start = methods.syntax_for(self, model)
  return name and start or ""
end

--- Every syntax, as a list of tables; with a name only that one, in full. See sluice.author.describe.
function methods.list(self, name)
  settle(self)
  return require("sluice.author.describe").syntaxes(self.bound, name)
end

--- The same as JSON text; "": of all.
function methods.list_json(self, name)
  return core.json.encode(methods.list(self, name ~= "" and name or nil), ", ", ": ")
end

-- Makes an operation on one syntax, module[name](plan, ...): refuses `auto`, decodes the options (argument number `at`), applies a mark in
-- them to the plan, and checks the others; kinds: their types.
local function of_one(name, module, at, kinds)
  methods[name] = function(self, plan, ...)
    if plan.names then
      return nil, ("'%s' only recognises formats: name one syntax"):format(plan.syntax.name), "refused"
    end
    local given = { ... }
    local good, options = pcall(methods.options, self, given[at])
    if not good then
      return nil, options, "json"
    end
    options = lists.copy(options or {})
    local wrong
    if options.mark ~= nil then
      plan, wrong = plan.for_mark(options.mark)
      options.mark = nil
    end
    wrong = wrong or stream_options.wrong_in(options, kinds)
    if wrong then
      return nil, wrong, "bad_option"
    end
    given[at] = options
    return require(module)[name](plan, given[1], given[2], given[3])
  end
end

of_one("render", "sluice.render", 2, {})
of_one("prompt", "sluice.prompt", 2, { variant = "string" })
of_one("grammar", "sluice.constrain.grammar", 3, { tool_choice = "string", parallel = "boolean", max_calls = "number",
  reasoning = "boolean", tokens = "string or table", relax = "boolean" })

--- Makes a filter of sluice.wire; nil and a message if the options are wrong.
function methods.wire(_, plan, given, options, from, to, model)
  local first, message = core.stream(plan, given, options)
  if not first then
    return nil, message
  end
  local function make()
    local raw = first or assert(core.stream(plan, given, options))
    first = nil
    return streams.new(raw)
  end
  local good, made = pcall(require("sluice.wire").filter, { stream = make, from = from, to = to, model = model })
  return good and made or nil, made
end

--- Decodes options that are JSON text.
function methods.options(_, options)
  local decoded = type(options) == "string" and core.json.decode(options) or options
  if options ~= nil and core.json.kind(decoded) ~= "object" then
    error("the options are not a JSON object", 0)
  end
  return decoded
end

--- Stream options of JSON text, checked (null is as absent); or nil and a message. The last are kept: most streams of a host have the same.
function methods.stream_options(self, text)
  if self.options_text ~= text then
    local good, given = pcall(methods.options, self, text)
    for name, value in pairs(good and given or {}) do
      if value == core.json.null and stream_options.kinds[name] then
        given[name] = nil
      end
    end
    local wrong = not good and given or stream_options.wrong_in(given)
    if wrong then
      return nil, wrong
    end
    self.options_text, self.options_read = text, given
  end
  return self.options_read
end

--- Reads tools from JSON text or a table: see sluice.tools.
function methods.tools(_, value)
  local decoded = type(value) == "string" and tool_definitions.read_text or tool_definitions.read
  return decoded(value)
end

--- The parts of these tools' schemas that cannot be checked, as JSON text: see sluice.tools_notes.
function methods.tools_notes(_, given)
  return core.json.encode(tool_definitions.notes(given))
end

--- Checks the script at this path: see sluice.check.
function methods.check(self, path)
  return require("sluice.author.check").check(self.bound, path)
end

--- Infers a description from samples: see sluice.infer.
function methods.infer(self, request)
  settle(self)
  return require("sluice.author.infer").infer(self.bound, request)
end

-- ---- For the command: text in, which may be JSON of an object, and text or JSON out ----------

tools.check, tools.load, tools.list_json, tools.infer = methods.check, methods.load_file, methods.list_json, methods.infer

--- The index of the library's scripts: see `indexed`.
function tools.index(self)
  return require("sluice.compile.auto").index(lists.map(self.system.embedded(), function(name)
    return assert(planned(entry_of(self, name), true))
  end))
end

--- Lists what is tried at each byte of a text: see sluice.author.explain. `request`: { syntax, text, tools, options }.
function tools.explain(self, request)
  return require("sluice.author.explain").explain(self.bound, request)
end

--- Writes calls. `request`: { syntax, calls, options }; `calls` is JSON text.
function tools.render(self, request)
  local plan, message, broken = methods.plan(self, request.syntax)
  if not plan then
    return nil, message, broken and "script" or "not_found"
  end
  return methods.render(self, plan, request.calls, request.options)
end

--- tools_notes, with the tools as JSON text.
function tools.tools_notes(self, text)
  local given, message = methods.tools(self, text)
  return given and methods.tools_notes(self, given), message
end

--- A new script and its page: see sluice.author.new. `request`: { name, like }.
function tools.new(self, request)
  local script, page = require("sluice.author.new").files(self.bound, request.name, request.like)
  return script and { script = script, page = page }, page
end

--- { name, entry, start? }: the syntax for a model's name, the matching entry of its script, and where its responses start.
function tools.model(self, model)
  local name, entry, start = methods.syntax_for(self, model)
  return name and { name = name, entry = entry, start = start }, entry, "not_found"
end

--- Returns the name if it is a syntax's name or alias; else nil and a message.
function tools.known(self, name)
  settle(self)
  local known = (name == "auto" or self.by_name[name]) and name or names_of_servers.find(name, self.by_name)
  return known, not known and ("there is no syntax '%s'%s"):format(name, nearest(name, self.by_name, "; the nearest is '%s'") or "") or nil
end

--- Runs one of these by its name. Returns text; or nil, a message, and maybe a code.
function methods.tool(self, name, argument)
  if not tools[name] then
    return nil, ("there is no tool '%s'"):format(name)
  end
  local object = name ~= "tools_notes" and argument:find "^{" and methods.options(self, argument)
  local made, message, code = tools[name](self, object or argument)
  return made and (type(made) == "table" and core.json.encode(made) or made) or nil, message, code
end

--- registry.new(lpeg, system): makes a registry. system.read(path) -> text, or nil and a message; system.embedded(name) -> the text of a
-- script inside the library, or nil (without a name: their names, and their index); system.limited: see sluice.sandbox. Returns a table
-- of the functions above, without their first argument, with `by_name` and `order`.
function M.new(lpeg, system)
  -- by_name: entries by name and alias; autos: plans of `auto`; loading: paths. See also `inside`
  local self = { by_name = {}, by_path = {}, order = {}, names = {}, autos = {}, loading = {}, system = system,
    sandbox = sandbox.new(lpeg, system) }
  core.set_questions(require "sluice.compile.questions")
  self.bound = { by_name = self.by_name, order = self.order }
  for name, method in pairs(methods) do
    self.bound[name] = function(...)
      return method(self, ...)
    end
  end
  return self.bound
end

return M
