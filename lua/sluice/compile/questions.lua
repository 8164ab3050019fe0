--- Answers the machine's questions: results of a script's functions, and facts about the given tools. Called by
-- lua/calls.c, each with the plan and the tools of the stream, the number of the call's tool, a number and a text.

local core = require "sluice.core"
local lists = require "sluice.lists"
local schema = require "sluice.schema.types"

local json = core.json

local M = {}

-- The set of these names, which may be none; made once, and kept in `owner`, if there is one.
local function names_in(owner, names)
  if owner and not owner.set_of_names then
    local list = lists.map(names(), function(name)
      return type(name) == "string" and name ~= "" and name or nil
    end)
    owner.set_of_names = core.set(list[1] and list or { "\0" })
  end
  return owner and owner.set_of_names
end

--- The program of a plan that has only its outline.
function M.program(plan)
  plan.complete()
  return plan.code
end

--- Repairs a name by the given tools; nil if it cannot.
function M.repair_name(plan, tools, _, _, name)
  return plan.syntax.repair_name(name, tools.by_name)
end

--- The compiled schema of a tool, or nil.
function M.schema(_, tools, tool)
  return tools.list[tool].compiled or nil
end

--- True if the tool declares the parameter; singular: 1 if that of a name counts.
function M.declares(_, tools, tool, singular, key)
  local properties = schema.properties_of(tools.list[tool])
  return not properties or properties[singular == 1 and schema.plural(tools.list[tool], key) or key] ~= nil
end

--- The declared name of an array that a text calls by its singular; nil if that is its name.
function M.plural(_, tools, tool, _, key)
  return schema.plural(tools.list[tool], key)
end

--- The parameters that a tool (0: none) declares, and the given tools' names, as sets; nil if unknown.
function M.given(_, tools, tool)
  tool = tools and tools.list[tool]
  local keys = names_in(tool, function()
    return json.keys(schema.properties_of(tool) or {})
  end)
  return keys, names_in(tools, function()
    return lists.each(tools.list, "name")
  end)
end

--- The name of the parameter at this place (from 1) of the tool's definition; nil if there is none, or the order is unknown.
function M.parameter(_, tools, tool, place)
  tool = tools and tools.list[tool]
  local properties = schema.properties_of(tool)
  local names = properties and json.keys(properties) or {}
  return (#names < 2 or (getmetatable(properties) or {}).order) and names[place] or nil -- a table of the host has no order
end

--- The tool's only parameter, if none has this name; else nil.
function M.single(_, tools, tool, _, key)
  local properties = schema.properties_of(tools.list[tool])
  local names = properties and properties[key] == nil and json.keys(properties) or {}
  return #names == 1 and names[1] or nil
end

return M
