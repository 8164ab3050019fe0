--- The registry of syntaxes: loading scripts in their sandbox, finding them by name or model.
--
-- One host serves one Lua state. Scripts get their world handed in: the words of `sluice.syntax`, LPeg, and the parts
-- of the standard library that reach nothing outside.

local core = require "sluice.core"
local vocabulary = require "sluice.syntax"
local compiler = require "sluice.parse.plan"
local schema = require "sluice.schema.types"

local M = {}

-- A sentence of what is wrong with a script, with its place: one about a field of s.syntax{...} has none of its own.
local function placed(path, text, message)
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

-- The folder, as it were, of the scripts inside the library.
local inside = "(sluice)/"

--- host.new(lpeg, system): `lpeg` is LPeg; `system` has read(path) -> text or nil, message; and embedded(name) -> text or nil, the
-- scripts inside the library (without a name: their names).
function M.new(lpeg, system)
  vocabulary.lpeg, vocabulary.core = lpeg, core
  core.set_questions(require "sluice.parse.questions")
  local self = { by_name = {}, order = {} }

  local function copy(t, without)
    local out = {}
    for k, v in pairs(t) do
      if not (without and without[k]) then
        out[k] = v
      end
    end
    return out
  end

  -- A script's text, of the system or of the library; or nil and a sentence.
  local function read(path)
    if path:sub(1, #inside) ~= inside then
      return system.read(path)
    end
    local text = system.embedded and system.embedded(path:sub(#inside + 1, -5))
    return text, not text and path .. " cannot be read: there is no such script in the library" or nil
  end

  local safe_lpeg = copy(lpeg, { setmaxstack = true })

  -- The environment of a script: built from nothing.
  local function environment(load_named)
    local env = {
      assert = assert, error = error, ipairs = ipairs, pairs = pairs, next = next, select = select,
      tonumber = tonumber, tostring = tostring, type = type, unpack = unpack or table.unpack, rawequal = rawequal,
      string = copy(string, { dump = true }), table = copy(table, { move = true }), math = copy(math, { randomseed = true }),
      utf8 = utf8 and copy(utf8), lpeg = safe_lpeg,
    }
    function env.require(name)
      if name == "sluice.syntax" then
        local words = copy(vocabulary, { lpeg = true, core = true, find = true, ready = true })
        return setmetatable(words, {
          __index = function(_, key)
            local near = vocabulary.nearest(tostring(key), words)
            error(("there is no word 's.%s'%s"):format(tostring(key), near and (" (did you mean 's.%s'?)"):format(near)
              or "; docs/vocabulary.md has them all"), 2)
          end,
          __metatable = "locked",
        })
      elseif name == "lpeg" then
        return safe_lpeg
      end
      error(("a syntax may require \"sluice.syntax\" and \"lpeg\", not %q"):format(tostring(name)), 2)
    end
    --- inherit(name, changes): a dialect of another syntax.
    function env.inherit(name, changes)
      return vocabulary.inherit(load_named(name), changes)
    end
    return setmetatable(env, {
      __index = function(_, key)
        error(("a syntax has no '%s'%s"):format(tostring(key), key == "s"
          and ': begin with `local s = require "sluice.syntax"`' or ""), 2)
      end,
    })
  end

  local function run_chunk(text, chunk_name, env)
    local f, message
    if text:byte(1) == 27 then
      return nil, "a script is text, not bytecode"
    elseif setfenv then -- Lua 5.1 and LuaJIT
      f, message = loadstring(text, chunk_name)
      if f then
        setfenv(f, env)
      end
    else
      f, message = load(text, chunk_name, "t", env)
    end
    if not f then
      return nil, message
    end
    local ok, result = pcall(f)
    if not ok then
      return nil, tostring(result)
    end
    return result
  end

  -- Compiles an entry's description, once. Answers its plan, or nil, a sentence and true.
  local function planned(entry)
    if not entry.plan then
      local ok, plan = pcall(compiler.plan, entry.description, lpeg)
      if not ok then
        local at, why = tostring(plan):match "^(.-:%d+: )(.*)$"
        if not at or at:sub(1, #entry.path) ~= entry.path then
          at, why = entry.path .. ": ", tostring(plan)
        end
        return nil, ("%ssyntax %s: %s"):format(at, entry.name, why), true
      end
      entry.plan = plan
    end
    return entry.plan
  end

  local autos = {} -- plans of "auto", by name, for as long as no script is loaded

  local function add(entry)
    local description = entry.description
    if not self.by_name[description.name] then
      self.order[#self.order + 1] = description.name
    end
    self.by_name[description.name] = entry
    autos = {}
    for _, alias in ipairs(description.aliases or {}) do
      local taken = self.by_name[alias]
      if not taken or taken.name ~= alias then
        self.by_name[alias] = entry
      end
    end
  end

  local loading = {}

  -- The entry of the script with this text, described but not compiled; or nil and a sentence. `folder`: where the scripts are
  -- that it inherits from; the library's own are found from everywhere.
  local function described(text, path, folder)
    folder = folder or path:match "^(.*[/\\])" or ""
    local function load_named(name)
      local have = self.by_name[name]
      if not have and type(name) == "string" and name:match "^[%w_.-]+$" then
        local file = folder .. name .. ".lua"
        if not read(file) and read(inside .. name .. ".lua") then
          file = inside .. name .. ".lua"
        end
        if loading[file] then
          error(("%s inherits from itself"):format(name), 0)
        end
        local ok, message = self.load_file(file, true)
        if not ok then
          error(message, 0)
        end
        have = self.by_name[name]
      end
      if not have then
        error(("there is no syntax '%s' to inherit from"):format(tostring(name)), 0)
      end
      return have.description
    end
    local description, message = run_chunk(text, "@" .. path, environment(load_named))
    if description == nil and message then
      return nil, placed(path, text, message)
    elseif description == nil then
      return nil, ("%s: the script returns nothing; it must return a syntax: put `return` before s.syntax{...}"):format(path)
    elseif type(description) ~= "table" or not description.is_syntax then
      return nil, ("%s: the script must return s.syntax{...}, not a %s of its own"):format(path, type(description))
    end
    local parent = self.by_name[description.parent]
    return { name = description.name, description = description, path = path, folder = folder, text = text,
      parent = parent and parent.name == description.parent and parent or nil }
  end

  --- The plan of the script with this text, which is not registered; or nil and a sentence.
  function self.compile(text, path)
    local entry, message = described(text, path)
    if not entry then
      return nil, message
    end
    return planned(entry)
  end

  --- Loads the script with this text. Answers its name, or nil and a sentence. `later`: it is compiled when it is used. `folder`:
  -- as for `described`.
  function self.load_text(text, path, later, folder)
    local entry, message = described(text, path, folder)
    if not entry then
      return nil, message
    end
    if not later then
      local plan, problem = planned(entry)
      if not plan then
        return nil, problem
      end
    end
    add(entry)
    return entry.name
  end

  -- Dialects of a script that was loaded again are loaded again, too.
  local function renew()
    for _ = 1, next(loading) and 0 or #self.order do
      local stale
      for _, name in ipairs(self.order) do
        local entry = self.by_name[name]
        if entry.parent and self.by_name[entry.parent.name] ~= entry.parent then
          stale = entry
        end
      end
      if not stale or not self.load_text(stale.text, stale.path, true, stale.folder) then
        return
      end
    end
  end

  --- Loads one script, as load_text does. One that was loaded before is read anew: streams under way go on with what it was.
  function self.load_file(path, later)
    local text, message = read(path)
    if not text then
      return nil, message
    end
    loading[path] = true
    local name, problem = self.load_text(text, path, later)
    loading[path] = nil
    renew()
    return name, problem
  end

  --- Loads the script with this text, which errors call `name`. Answers its syntax's name, or nil and a sentence.
  function self.load_memory(text, name)
    local loaded, problem = self.load_text(text, name, false, inside)
    renew()
    return loaded, problem
  end

  --- Loads every script of a folder, in the order of their names, but for those that are loaded as they stand. Answers how many,
  -- and the sentences of those that could not be loaded.
  function self.load_folder(path, names)
    local count, problems = 0, {}
    table.sort(names)
    for _, name in ipairs(names) do
      if name:match "%.lua$" then
        local file = path .. "/" .. name
        local known = self.by_name[name:sub(1, -5)]
        if not (known and known.path == file and known.text == read(file)) then
          local ok, message = self.load_file(file, true)
          if ok then
            count = count + 1
          else
            problems[#problems + 1] = message
          end
        end
      end
    end
    return count, problems
  end

  -- Loads the library's scripts that `wanted` says yes to, but for those that are loaded as they stand.
  local function load_inside(wanted, problems)
    local count = 0
    for _, name in ipairs(system.embedded and system.embedded() or {}) do
      local file = inside .. name .. ".lua"
      local known = self.by_name[name]
      if wanted(name) and not (known and known.path == file) then
        local ok, message = self.load_file(file, true)
        count = count + (ok and 1 or 0)
        problems[#problems + 1] = message
      end
    end
    return count
  end

  --- Loads the scripts of the library and of these folders, { path, names } each; a folder's replace those of the same name
  -- that come before. Answers how many, and the sentences of those that could not be loaded.
  function self.load_installed(folders)
    local problems, files = {}, {}
    for _, folder in ipairs(folders) do
      for _, name in ipairs(folder.names) do
        files[name] = true
      end
    end
    -- what a folder has is not loaded twice, but where its file is of no use
    local count = load_inside(function(name)
      return not files[name .. ".lua"]
    end, problems)
    for _, folder in ipairs(folders) do
      local loaded, wrong = self.load_folder(folder.path, folder.names)
      count = count + loaded
      for _, message in ipairs(wrong) do
        problems[#problems + 1] = message
      end
    end
    return count + load_inside(function(name)
      return not self.by_name[name] or self.by_name[name].name ~= name
    end, problems), problems
  end

  -- The plan of "auto", for all syntaxes, or of "auto:NAME,NAME..." for these.
  local function auto(name)
    if autos[name] then
      return autos[name]
    end
    local plans = {}
    if name == "auto" then
      for _, known in ipairs(self.order) do
        plans[#plans + 1] = planned(self.by_name[known]) or nil -- what is at fault is left out
      end
    else
      local seen = {}
      for each in name:sub(6):gmatch "[^,]+" do
        local plan, message, broken = self.plan(each)
        if not plan or plan.members then
          return nil, message or "auto is for syntaxes by their names", broken
        elseif not seen[plan] then
          seen[plan] = true
          plans[#plans + 1] = plan
        end
      end
    end
    if #plans == 0 then
      return nil, ("there are no syntaxes for '%s'"):format(name)
    end
    local plan = require("sluice.parse.auto").plan(name, plans)
    autos[name] = plan
    return plan
  end

  --- The plan of a syntax by name, alias or path, or of "auto". Answers nil and a sentence where there is none; and true where
  -- its script is at fault.
  function self.plan(name)
    if type(name) == "string" and (name == "auto" or name:sub(1, 5) == "auto:") then
      return auto(name)
    end
    local entry = self.by_name[name]
    if not entry and type(name) == "string" and name:find "[/\\.]" then
      local loaded, message = self.load_file(name)
      if not loaded then
        return nil, message
      end
      entry = self.by_name[loaded]
    end
    if not entry then
      local names = copy(self.by_name)
      names.auto = true
      local near = vocabulary.nearest(tostring(name), names)
      return nil, ("there is no syntax '%s'%s"):format(tostring(name), near and ("; the nearest is '%s'"):format(near) or "")
    end
    return planned(entry)
  end

  --- Every syntax, as a list of tables for `sluice list`.
  function self.list()
    local out = core.json.array()
    local names = {}
    for i, name in ipairs(self.order) do
      names[i] = name
    end
    table.sort(names)
    local function strings(list)
      local copied = core.json.array()
      for i, text in ipairs(list or {}) do
        copied[i] = text
      end
      return copied
    end
    for _, name in ipairs(names) do
      local d = self.by_name[name].description
      local can = core.json.array { "parse" }
      if not d.parse or d.render then
        can[2] = "render"
      end
      out[#out + 1] = core.json.object {
        { "name", name }, { "aliases", strings(d.aliases) }, { "models", strings(d.models) }, { "can", can },
        { "special", strings(d.special) }, { "source", d.source or core.json.null },
        { "path", self.by_name[name].path },
      }
    end
    return out
  end

  --- The same as JSON text.
  function self.list_json()
    return core.json.encode(self.list(), ", ", ": ")
  end

  -- What is for one syntax only, as a function of its plan and more: `auto` recognises, and writes nothing.
  local function of_one(run)
    return function(plan, ...)
      if plan.members then
        return nil, ("'%s' recognises formats and writes none: name the syntax"):format(plan.syntax.name), "refused"
      end
      return run(plan, ...)
    end
  end

  --- Calls as text in a syntax: see sluice.render.
  self.render = of_one(function(plan, calls)
    return require("sluice.write.render").render(plan, calls)
  end)

  --- A turn's text without its results, and the results.
  function self.split(plan, text)
    return require("sluice.write.render").split(plan, text)
  end

  --- A grammar for these tools: see sluice.grammar. `options`: a table, or JSON text of one, or nil.
  self.grammar = of_one(function(plan, tools, target, options)
    return require("sluice.constrain.grammar").grammar(plan, tools, target, self.options(options))
  end)

  --- Instructions for these tools: see sluice.prompt.
  self.prompt = of_one(function(plan, tools, options)
    return require("sluice.prompt").prompt(plan, tools, self.options(options))
  end)

  --- Is the script at this path in order? See sluice.check. `look`: only its first lines.
  function self.check(path, look)
    return require("sluice.author.check").check(self, path, look)
  end

  --- A description read out of samples: see sluice.infer.
  function self.infer(asked)
    return require("sluice.author.infer").infer(self, asked)
  end

  local tools = { check = self.check }

  --- The first lines of what check says.
  function tools.look(path)
    return self.check(path, true)
  end

  --- What is tried at each byte of a text, in lines: see sluice.explain. `asked`: JSON text of { syntax, text, tools, options }.
  function tools.explain(asked)
    asked = self.options(asked)
    return require("sluice.author.explain").explain(self, asked)
  end

  --- As self.infer, of JSON text, as JSON text.
  function tools.infer(asked)
    local made, message = self.infer(self.options(asked))
    if not made then
      return nil, message
    end
    return core.json.encode(core.json.object { { "script", made.script }, { "page", made.page }, { "report", made.report },
      { "explained", made.explained } })
  end

  --- JSON text of a script and its page: see sluice.new. `asked`: JSON text of { name, like }.
  function tools.new(asked)
    asked = self.options(asked)
    local script, page = require("sluice.author.new").files(self, asked.name, asked.like)
    if not script then
      return nil, page
    end
    return core.json.encode(core.json.object { { "script", script }, { "page", page } })
  end

  --- What the command has for those who write scripts; answers text, or nil and a sentence.
  function self.tool(name, argument)
    if not tools[name] then
      return nil, ("there is no tool '%s'"):format(name)
    end
    return tools[name](argument)
  end

  --- Options from JSON text, or as they are.
  function self.options(options)
    if type(options) == "string" then
      local decoded = core.json.decode(options)
      if core.json.kind(decoded) ~= "object" then
        error("the options are no JSON object", 0)
      end
      return decoded
    end
    return options
  end

  -- Model names are compared without case, separators and publisher.
  local function fold(name)
    return (name:lower():gsub("^.*/", ""):gsub("[^%w]", ""))
  end

  -- Does a script's model fit the name? `*` stands for anything. How many bytes of it are meant.
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

  --- The syntax for a model's name: the one with the longest fitting name among the scripts' models; "auto:a,b" where several scripts
  -- have that name. Answers it, nil, and "reasoning" where the model's responses start there; or nil and a sentence where there is
  -- none, or where other names fit as well.
  function self.syntax_for(model)
    local wanted = fold(tostring(model))
    local best, found = 0, {}
    for _, name in ipairs(self.order) do
      local d = self.by_name[name].description
      for place, known in ipairs(d.models or {}) do
        local size = fits_model(wanted, known)
        if size and size >= best then
          if size > best then
            best, found = size, {}
          end
          local last = found[#found]
          if not (last and last.name == name) then
            found[#found + 1] = { name = name, place = place, model = fold(known), start = (d.model_starts or {})[known] }
          end
        end
      end
    end
    if #found == 0 then
      return nil, ("no syntax names a model like '%s'"):format(tostring(model))
    end
    table.sort(found, function(a, b)
      if a.place ~= b.place then
        return a.place < b.place
      end
      return a.name < b.name
    end)
    local names, alike, start = {}, true, found[1].start
    for i, one in ipairs(found) do
      names[i] = one.name
      alike = alike and one.model == found[1].model
      start = start or one.start
    end
    if #names > 1 and not alike then
      return nil, ("'%s' fits %s equally; choose one"):format(tostring(model), table.concat(names, ", "))
    end
    return #names == 1 and names[1] or "auto:" .. table.concat(names, ","), nil, start
  end

  --- Tools from JSON text or a table.
  function self.tools(value)
    if type(value) == "string" then
      local decoded, message = core.tools_json(value)
      if decoded == nil then
        return nil, message
      end
      value = decoded
    end
    return schema.tools(value)
  end

  return self
end

return M
