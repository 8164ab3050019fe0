--- A program under construction: instructions, and the tables that their operands number. See core/program.h.

local core = require "sluice.core"

local M = {}

local Program = {}
Program.__index = Program

local flags = { exact = core.F_EXACT, line = core.F_LINE, whole_line = core.F_WHOLE_LINE, recover = core.F_RECOVER,
  name = core.F_NAME, soft = core.F_SOFT, many = core.F_MANY }

--- program.new(): an empty program.
function M.new()
  return setmetatable({ code = {}, set_at = {}, nodes = {}, depths = {}, names = {}, depth = 0 }, Program)
end

--- The address of the next instruction.
function Program:here()
  return #self.code
end

--- program:add(name, operands): adds an instruction. Operands: a, b, c (numbers; absent: none), and flags by name. Returns it, so that
-- operands can be set later.
function Program:add(name, operands)
  local ins = { op = core.instructions[name], flags = 0, a = core.NONE, b = core.NONE, c = core.NONE }
  for key, value in pairs(operands or {}) do
    if flags[key] then
      ins.flags = ins.flags + (value and flags[key] or 0)
    else
      ins[key] = value
    end
  end
  self.code[#self.code + 1] = ins
  self.nodes[#self.code], self.depths[#self.code], self.names[#self.code] = self.node, self.depth, name
  return ins
end

--- program:put(name, row): adds a row to a table; returns its number.
function Program:put(name, row)
  local list = self[name] or {}
  self[name], list[#list + 1] = list, row
  return #list - 1
end

--- The number of a set of these literals (and roles). Equal sets share one number.
function Program:set(list, roles)
  local key = table.concat(list, "\0") .. "\1" .. table.concat(roles or {}, ",")
  self.set_at[key] = self.set_at[key] or self:put("sets", core.set(list, roles))
  return self.set_at[key]
end

--- The number of a pattern or function of the script; nil if it is nil.
function Program:pattern(pattern)
  return pattern ~= nil and self:put("patterns", pattern) or nil
end

return M
