--- Loads the library's own scripts on demand: a host that parses one format runs one script, and its own.
--
-- Scripts of folders are loaded at once. While a host uses syntaxes only by name, only these of the library are loaded. `settle` loads
-- all of them, in order; entries loaded before become what they would be in that order.

local M = {}

-- Path prefix of scripts inside the library.
M.inside = "(sluice)/"

-- The files of these folders that take the place of the library's scripts of the same name, by name. A file with the same text as the
-- library's script is it.
local function own_files(self, folders)
  local own, embedded, ours = {}, self.system.embedded, {}
  for _, name in ipairs(embedded and embedded() or {}) do
    ours[name] = true
  end
  for _, folder in ipairs(folders) do
    for _, file in ipairs(folder.names) do
      local name, path = file:match "^(.*)%.lua$", folder.path .. "/" .. file
      if name then
        own[name] = not (ours[name] and self.system.read(path) == embedded(name)) and path or nil
      end
    end
  end
  return own
end

--- installed.load(registry, folders, how): loads the scripts of the library and of these folders, { path, names } each; a folder's
-- scripts replace earlier ones of the same name. The library's are postponed if nothing is loaded yet. `how`: the registry's functions.
-- Returns the number of scripts, and the messages of those that could not be loaded.
function M.load(self, folders, how)
  local embedded = self.system.embedded
  local postpone = embedded ~= nil and next(self.by_name) == nil
  local own, problems, list, by_name = own_files(self, folders), {}, {}, {}
  for i, name in ipairs(embedded and embedded() or {}) do
    local path = M.inside .. name .. ".lua"
    local known = self.by_name[name]
    list[i], by_name[name] = path, path
    if not postpone and not (known and known.path == path) then
      problems[#problems + 1] = select(2, how.load_file(self, path, true))
    end
  end
  self.pending = postpone and { list = list, by_name = by_name } or self.pending
  for _, folder in ipairs(folders) do
    local names = {}
    for _, file in ipairs(folder.names) do
      names[#names + 1] = own[file:match "^(.*)%.lua$" or ""] == folder.path .. "/" .. file and file or nil
    end
    for _, message in ipairs(select(2, how.load_folder(self, folder.path, names))) do
      problems[#problems + 1] = message
    end
  end
  local count = #list
  for _, path in pairs(own) do
    local entry = self.by_path[path]
    count = count + (entry and not by_name[entry.name] and 1 or 0)
  end
  return count, problems
end

--- installed.one(registry, name, load): loads the library's script of this name. Returns true if there is a syntax of this name.
function M.one(self, name, load)
  local path = self.pending.by_name[name]
  if path and not self.by_name[name] then
    load(self, path, true)
  end
  return self.by_name[name] ~= nil
end

--- installed.models(registry, load): loads those of the library's scripts that `auto` may need: they name no family. Raises on failure.
function M.models(self, load)
  for _, path in ipairs(self.pending.list) do
    local name = path:sub(#M.inside + 1, -5)
    if not self.by_name[name] and not self.system.embedded(name):find('family = "', 1, true) then
      local ok, message = load(self, path, true)
      if not ok then
        error(message, 0)
      end
    end
  end
end

--- installed.settle(registry, load): loads the scripts of the library that were postponed, and puts all in order: the library's, then those
-- of folders. Raises on failure; the next call tries again.
function M.settle(self, load)
  local order, seen = {}, {}
  for _, path in ipairs(self.pending.list) do
    local name = path:sub(#M.inside + 1, -5)
    local ok, message = self.by_name[name] ~= nil, nil
    if not ok then
      ok, message = load(self, path, true)
    end
    if not ok then
      error(message, 0)
    end
    order[#order + 1], seen[name] = name, true
  end
  for _, name in ipairs(self.order) do
    order[#order + 1] = not seen[name] and name or nil
  end
  for i, name in ipairs(order) do
    self.order[i] = name
  end
  self.pending = nil
end

return M
