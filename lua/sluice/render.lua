--- Writes calls as text. What knows no word (reading the text back, turns, results) stands in sluice.write.render.

local core = require "sluice.core"
local shared = require("sluice.write.render").shared
local word = require "sluice.word"

local M = {}

local Call = {}
Call.__index = Call

--- Refuses a call that the format cannot carry.
function Call.refuse(_, message, ...)
  shared.refuse(message, ...)
end

local everything = setmetatable({}, { __index = function()
  return true
end, __newindex = function() end })

--- All arguments are written.
function Call:use_all()
  self.used = everything
end

--- The arguments in their order, { key, value } each.
function Call:pairs()
  local list = {}
  for i, key in ipairs(core.json.keys(self.arguments)) do
    list[i] = { key, self.arguments[key] }
  end
  return list
end

--- A value as bare text: a string as it is, anything else as JSON.
function Call:text(value)
  return type(value) == "string" and value or core.json.encode(value, self.style.item, self.style.key)
end

-- The first block that can carry calls of this name: several blocks may each have a fixed tool.
function M.block_for(syntax, name)
  for _, block in ipairs(syntax.blocks) do
    if word.find(block, function(at)
      return at.is == name
    end) then
      return block
    end
  end
  return syntax.blocks[1]
end

--- plan:calls_text(calls, whole): the calls as text. `whole`: with the generation prompt. Refuses calls that the format cannot carry.
function M.calls_text(plan, calls, whole)
  local syntax, list, out = plan.syntax, {}, {}
  for i, call in ipairs(calls) do
    list[i] = setmetatable(shared.prepare(plan, call, i), Call)
  end
  if #list == 0 then
    return ""
  elseif syntax.max_calls and #list > syntax.max_calls then
    shared.refuse("%s carries at most %d call%s per message", syntax.name, syntax.max_calls, syntax.max_calls == 1 and "" or "s")
  elseif syntax.blocks[1]:many() then
    syntax.blocks[1]:write_all(list, out)
  else
    for i, call in ipairs(list) do
      out[#out + 1] = i > 1 and syntax.between or nil
      M.block_for(syntax, call.name):write(call, out)
    end
  end
  for i, call in ipairs(list) do
    local fits, key = shared.complete(call)
    if not fits then
      shared.refuse("%s has no place for the argument '%s' of call %d", syntax.name, key, i)
    end
  end
  local text = table.concat(out)
  text = whole and text or shared.behind_prompt(plan, text)
  shared.check(plan, text, list)
  return text
end

return M
