--- The structure of the repository: docs/design.md is true, nothing includes or requires itself indirectly.

local support = require "support"

local root = support.root

-- The files in a folder of the repository and below it; paths from the root.
local function files(folder, ending)
  local out = {}
  local list = io.popen(("cd %s && find %s -name '*%s' | sort"):format(root, folder, ending))
  for path in list:lines() do
    out[#out + 1] = path
  end
  list:close()
  assert(out[1], folder)
  return out
end

-- The first cycle in a graph (name -> list of names), or nil.
local function circle(graph)
  local done = {}
  local function visit(name, trail)
    if done[name] == "under way" then
      return table.concat(trail, " -> ") .. " -> " .. name
    elseif done[name] then
      return nil
    end
    done[name] = "under way"
    trail[#trail + 1] = name
    for _, to in ipairs(graph[name] or {}) do
      local found = visit(to, trail)
      if found then
        return found
      end
    end
    trail[#trail] = nil
    done[name] = "done"
  end
  for name in pairs(graph) do
    local found = visit(name, {})
    if found then
      return found
    end
  end
end

-- "core/json/../alloc.h" -> "core/alloc.h"
local function tidy(path)
  local before
  repeat
    before = path
    path = path:gsub("[^/]+/%.%./", "", 1)
  until path == before
  return path
end

-- The repository's headers that each C file and header of a folder includes.
local function includes(folder)
  local graph = {}
  for _, ending in ipairs { ".c", ".h" } do
    for _, path in ipairs(files(folder, ending)) do
      local list = {}
      for name in support.read(root .. "/" .. path):gmatch '#include "([^"\n]+)"' do
        list[#list + 1] = tidy(path:match "^.*/" .. name)
      end
      graph[path] = list
    end
  end
  return graph
end

describe("the repository", function()
  it("finds cycles", function()
    assert.is_nil(circle { a = { "b", "c" }, b = { "c" }, c = {} })
    assert.is_truthy(circle { a = { "b" }, b = { "c" }, c = { "a" } })
  end)

  it("has no header that includes itself indirectly", function()
    for _, folder in ipairs { "core", "lua" } do
      assert.is_nil(circle(includes(folder)))
    end
  end)

  it("has a core that includes nothing from other folders", function()
    for path, list in pairs(includes "core") do
      for _, name in ipairs(list) do
        assert.is_truthy(name:find "^core/", path .. " includes " .. name)
      end
      assert.is_nil(support.read(root .. "/" .. path):find "#include [<\"]lua", path)
    end
  end)

  -- A require inside a function runs later, when both modules are loaded.
  it("has no Lua module that requires itself indirectly while it is loaded", function()
    local graph = {}
    for _, path in ipairs(files("lua/sluice", ".lua")) do
      local name = path:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", ".")
      local list = {}
      for line in support.read(root .. "/" .. path):gmatch "[^\n]+" do
        local wants = line:match "^local.-require%s*%(?%s*[\"'](sluice[%w_.]*)"
        list[#list + 1] = wants and wants ~= "sluice.core" and wants or nil
      end
      graph[name] = list
    end
    assert.is_truthy(graph["sluice.registry"][1])
    assert.is_nil(circle(graph))
  end)
end)

describe("docs/design.md", function()
  local page = support.read(root .. "/docs/design.md")

  -- The code in the first cells of the table under a heading.
  local function table_under(heading)
    local text = page:match("\n##+ " .. heading .. "\n(.-)\n##") or error(heading)
    local out = {}
    for cell in text:gmatch "\n|([^|\n]*)|[^\n]*" do
      for name in cell:gmatch "`([%w_]+)`" do
        out[name] = true
      end
    end
    return out
  end

  it("names files of the core that exist, and all of them", function()
    local rooms, design = {}, support.read(root .. "/docs/design.md")
    for row in design:gmatch "\n| (`core/[^|]*) |" do
      for name in row:gsub("core/", ""):gmatch "`([%w_]+)[`.]" do
        rooms[name] = true
      end
    end
    for _, path in ipairs(files("core", ".c")) do
      local name = path:match "^core/([%w_]+)%.c$"
      assert.is_true(not name or rooms[name], path)
      rooms[name or ""] = nil
    end
    rooms.program, rooms.include, rooms.json, rooms.schema = nil, nil, nil, nil -- headers and folders
    assert.is_nil(next(rooms))
  end)

  it("has every instruction of the machine in its table, and no other", function()
    local named = table_under "Instructions"
    local list = support.read(root .. "/core/program.h"):match "#define SLUICE__INSTRUCTIONS.-\n\n"
    local runs = {}
    for name in list:gmatch "X%(([%w_]+)%)" do
      runs[name] = true
    end
    assert.are.same(runs, named)
  end)

  it("lists the instructions of every word", function()
    local named = table_under "Words to instructions"
    for word in pairs(require("sluice.vocabulary").words) do
      assert.is_true(named[word], word)
    end
  end)

  -- Line numbers in a script change when lines are added above.
  local function without_lines(text)
    return (text:gsub("(\n *%d+ )[ %d][ %d][ %d][ %d]%d ", "%1    . "):gsub("%(line %d+%)", "(line .)"))
  end

  -- SLUICE_REWRITE=1 updates them.
  it("shows the current output of its commands", function()
    local count = 0
    local made = page:gsub("(\n```sh\n(.-)```\n\n```\n)(.-)(\n```\n)", function(before, command, shown, after)
      local script = os.tmpname()
      support.write(script, (command:gsub("build/sluice", support.command)))
      local handle = io.popen("sh " .. script .. " 2>&1")
      local out = handle:read "*a"
      handle:close()
      os.remove(script)
      count = count + 1
      out = out:gsub("\n$", "")
      if not os.getenv "SLUICE_REWRITE" then
        assert.are.equal(without_lines(out), without_lines(shown))
      end
      return before .. out .. after
    end)
    assert.are.equal(1, count)
    if os.getenv "SLUICE_REWRITE" then
      support.write(root .. "/docs/design.md", made)
    end
  end)
end)
