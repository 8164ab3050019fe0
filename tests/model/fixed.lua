--- Prints the tools of the syntaxes that have their own, or have fixed parameters: {"SYNTAX": [TOOL...]}.

local sluice = require "sluice"
local forms = require "sluice.ways"

local json = sluice.json
local all = {}
for _, item in ipairs(sluice.syntaxes()) do
  local name = item.name
  local fixed = sluice.description(name).fixed_parameters
  local list = forms.of(sluice.description(name)) or fixed and { { { key = fixed[#fixed] } } } -- a function writes the others
  local named, tools = list and list[1].name, json.array()
  for i, form in ipairs(list and (named and list or { list[1], list[1] }) or {}) do
    local properties, required = {}, json.array()
    for k, member in ipairs(form) do
      properties[k] = { member.key, json.object { { "type", "string" }, { "maxLength", 40 } } }
      required[#required + 1] = not member.optional and member.key or nil
    end
    tools[i] = json.object { { "name", named and form.name or i == 1 and "search_notes" or "plan_trip" }, { "parameters", json.object {
      { "type", "object" }, { "properties", json.object(properties) }, { "required", required } } } }
  end
  all[#all + 1] = list and { name, tools } or nil
end
print(json.encode(json.object(all)))
