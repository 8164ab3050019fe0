--- Loads the library's own scripts on demand: a host that parses one format runs one script.
--
-- While a host uses syntaxes only by name, only these are loaded. `settle` loads all of them, in order; entries loaded before become
-- what they would be in that order.

local M = {}

-- Path prefix of scripts inside the library.
M.inside = "(sluice)/"

-- The paths of the library's scripts in load order, and by name, if a folder holds exactly these scripts or there is no folder; else nil.
local function own_paths(self, folders)
  local embedded, list, by_name = self.system.embedded, {}, {}
  if not embedded or #folders > 1 then
    return nil
  end
  local folder = folders[1] and folders[1].path .. "/" or M.inside
  local there = {}
  for _, file in ipairs(folders[1] and folders[1].names or {}) do
    there[file] = true
  end
  for _, name in ipairs(embedded()) do
    local path = folder .. name .. ".lua"
    if folders[1] and not (there[name .. ".lua"] and self.system.read(path) == embedded(name)) then
      return nil
    end
    there[name .. ".lua"] = nil
    list[#list + 1], by_name[name] = path, path
  end
  for file in pairs(there) do
    if file:match "%.lua$" then
      return nil
    end
  end
  return list, by_name
end

--- installed.postpone(registry, folders): postpones loading if nothing is loaded and these folders, { path, names } each, hold just the
-- library's own scripts. Returns their number; nil if they must be loaded at once.
function M.postpone(self, folders)
  local list, by_name = own_paths(self, folders)
  if not list or next(self.by_name) then
    return nil
  end
  self.pending = { list = list, by_name = by_name }
  return #list
end

-- Loads the library's scripts for which `wanted` returns true, except those already loaded and unchanged.
local function load_inside(self, wanted, problems, load_file)
  local count = 0
  for _, name in ipairs(self.system.embedded and self.system.embedded() or {}) do
    local file = M.inside .. name .. ".lua"
    local known = self.by_name[name]
    if wanted(name) and not (known and known.path == file) then
      local ok, message = load_file(self, file, true)
      count = count + (ok and 1 or 0)
      problems[#problems + 1] = message
    end
  end
  return count
end

--- installed.load(registry, folders, how): loads the scripts of the library and of these folders, { path, names } each; a folder's
-- scripts replace earlier ones of the same name. `how`: the registry's functions. Returns the number of scripts, and the messages of
-- those that could not be loaded.
function M.load(self, folders, how)
  local postponed = M.postpone(self, folders)
  if postponed then
    return postponed, {}
  end
  local problems, files = {}, {}
  for _, folder in ipairs(folders) do
    for _, name in ipairs(folder.names) do
      files[name] = true
    end
  end
  -- a script that a folder has is not also loaded from the library, unless the folder's file fails
  local count = load_inside(self, function(name)
    return not files[name .. ".lua"]
  end, problems, how.load_file)
  for _, folder in ipairs(folders) do
    local loaded, wrong = how.load_folder(self, folder.path, folder.names)
    count = count + loaded
    for _, message in ipairs(wrong) do
      problems[#problems + 1] = message
    end
  end
  return count + load_inside(self, function(name)
    return not self.by_name[name] or self.by_name[name].name ~= name
  end, problems, how.load_file), problems
end

--- installed.one(registry, name, load): loads the library's script of this name. Returns true if there is one.
function M.one(self, name, load)
  local path = self.pending.by_name[name]
  if path and not self.by_name[name] then
    load(self, path, true)
  end
  return path ~= nil and self.by_name[name] ~= nil
end

local function clear(t)
  for key in pairs(t) do
    t[key] = nil
  end
end

--- installed.settle(registry, load): loads everything postponed. Raises on failure; the next call tries again.
function M.settle(self, load)
  local pending = self.pending
  local early = {}
  for path, entry in pairs(self.by_path) do
    early[path] = entry
  end
  clear(self.by_name)
  clear(self.by_path)
  clear(self.order)
  self.pending, self.early = nil, early
  for _, path in ipairs(pending.list) do
    if not self.by_path[path] then
      local ok, message = load(self, path, true)
      if not ok then
        self.pending, self.early = pending, nil
        error(message, 0)
      end
    end
  end
  self.early = nil
end

return M
