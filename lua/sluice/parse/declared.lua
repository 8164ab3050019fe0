--- Openers made from the names of the given tools: `<` before s.name { declared = true } opens a block only as `<read_file`,
-- so that other tags are text.

local vocabulary = require "sluice.syntax"

local M = {}

local function asks(node)
  return node.word == "name" and node.declared
end

-- A copy of a word in which each literal before such a name is joined with it.
local function joined(node, names)
  local copy = {}
  for k, v in pairs(node) do
    copy[k] = type(k) ~= "number" and v or nil
  end
  local i = 1
  while i <= #node do
    local part, after = node[i], node[i + 1]
    local prefix = part.word == "literal" and after and asks(after) and part.text or asks(part) and ""
    if prefix then
      local texts = {}
      for k, name in ipairs(names) do
        texts[k] = prefix .. name
      end
      if not texts[1] then
        texts[1] = "\0\1\0" -- no tool, so no block
      end
      copy[#copy + 1] = { word = "declared", texts = texts, names = names, prefix = #prefix, before = prefix }
      i = i + (asks(part) and 1 or 2)
    else
      copy[#copy + 1] = joined(part, names)
      i = i + 1
    end
  end
  copy.between = type(node.between) == "table" and joined(node.between, names) or node.between
  return copy
end

--- declared.blocks(syntax, names) -> the blocks of a description for tools with these names (nil: none; the format's own tools
-- count), and true if they depend on the names.
function M.blocks(syntax, names)
  local out, depends = {}, false
  for i, block in ipairs(syntax.blocks) do
    local found = vocabulary.find(block, asks) ~= nil
    depends = depends or found
    out[i] = found and joined(block, names or syntax.tools or {}) or block
  end
  return out, depends
end

local kept = 4 -- number of cached results

-- The tools' names.
local function names_of(tools)
  if not tools.name_list then
    local names = {}
    for i, tool in ipairs(tools.list) do
      names[i] = tool.name
    end
    tools.name_list = names
  end
  return tools.name_list
end

local function are_same(a, b)
  for i = 1, math.max(#a, #b) do
    if a[i] ~= b[i] then
      return false
    end
  end
  return true
end

--- declared.cache(make) -> a function of tools that makes something from their names (`name_list`), and caches it as long as the tools
-- live, and for later tools with the same names: hosts send the same ones with each request.
function M.cache(make)
  local made, recent = setmetatable({}, { __mode = "k" }), {}
  return function(tools)
    if made[tools] then
      return made[tools]
    end
    local names, found = names_of(tools), nil
    for i, entry in ipairs(recent) do
      if are_same(entry.names, names) then
        found = table.remove(recent, i)
        break
      end
    end
    found = found or { names = names, plan = make(tools) }
    table.insert(recent, 1, found)
    recent[kept + 1] = nil
    made[tools] = found.plan
    return found.plan
  end
end

return M
