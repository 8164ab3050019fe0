--- Leaves out of a tool's schema what a grammar cannot express, and no more.

local json = require("sluice.core").json
local lists = require "sluice.lists"
local schema = require "sluice.schema.types"
local together = require "sluice.constrain.together"

local M = {}

-- The keywords that stay: those that make the form of a value, and at first those that choose between forms.
local form = "type properties required items $ref $defs definitions nullable"
local stages = { lists.set(form .. " anyOf allOf enum const"), lists.set(form) }

-- The schema without the keywords at the pointers in `left`; adds the pointers of all that could be left out to `places`.
local function without(s, left, pointer, stay, places)
  if json.kind(s) ~= "object" then
    return s
  end
  local gone = {}
  for _, key in ipairs(json.keys(s)) do
    local at = pointer .. "/" .. key
    if not stay[key] and not together.notes[key] and key:sub(1, 2) ~= "x-" then
      places[#places + 1] = at
      gone[key] = left[at]
    end
  end
  gone.additionalProperties = gone.additionalProperties or gone.patternProperties -- false would leave no members
  local all = schema.parts(s, function(part, key, name)
    name = name and "/" .. tostring(name):gsub("~", "~0"):gsub("/", "~1") or ""
    return without(part, left, pointer .. "/" .. key .. name, stay, places)
  end)
  local rest = schema.with(all, gone)
  return gone.oneOf and not together.other(rest, {}) and schema.with(rest, {}, { { "anyOf", all.oneOf } }) or rest
end

--- tool(tool, left, fits) -> a tool that fits, without what must be left out; `left` gets the names of that. If even the form does not fit:
-- the tool without all that could be left out.
function M.tool(tool, left, fits)
  if fits(tool) then
    return tool
  end
  local least
  for _, stay in ipairs(stages) do
    local out, places = {}, {}
    local function relaxed()
      return setmetatable({ parameters = without(tool.parameters, out, "", stay, {}), bare = false, relaxed = true }, { __index = tool })
    end
    without(tool.parameters, out, "", stay, places)
    for _, place in ipairs(places) do
      out[place] = true
    end
    least = relaxed()
    if fits(least) then
      for _, place in ipairs(places) do -- put back what fits
        out[place] = nil
        if not fits(relaxed()) then
          out[place], left[#left + 1] = true, tool.name .. "#" .. place
        end
      end
      return relaxed()
    end
  end
  return least
end

--- The text of a grammar that says what it is without: in a comment, or a member.
function M.noted(text, left)
  if #left == 0 then
    return text
  end
  local list = json.encode(left, ", ", ": ")
  return text:sub(1, 1) == "{" and ('{"without": %s, %s'):format(list, text:sub(2)) or ("# without: %s\n%s"):format(list, text)
end

return M
