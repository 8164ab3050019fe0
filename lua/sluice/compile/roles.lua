--- Literals with their roles, and what reasoning a prompt leaves open.

local core = require "sluice.core"

local M = {}

--- roles.letters: what a name or a word can begin with.
M.letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

--- True if the role (a number) contains this bit.
function M.has(role, bit)
  return role % (bit * 2) >= bit
end

-- The bits that are in a or b, for every Lua.
local function either(a, b)
  local bit = 1
  while a ~= b and bit <= b do
    a = a + (M.has(b, bit) and not M.has(a, bit) and bit or 0)
    bit = bit * 2
  end
  return a
end

--- roles.new(): literals and their roles; a literal may have several roles.
function M.new()
  local self = { list = {}, role = {}, index = {} }
  function self.add(text, role)
    local i = self.index[text]
    if i then
      self.role[i] = either(self.role[i], role)
    else
      i = #self.list + 1
      self.list[i], self.role[i], self.index[text] = text, role, i
    end
  end
  function self.set(quiet)
    return core.set(self.list, self.role, quiet)
  end
  --- The set of those that are searched for, and of the literals of these lists.
  function self.watched(...)
    local list = {}
    for i, text in ipairs(self.list) do
      list[#list + 1] = self.role[i] ~= core.STRAY and self.role[i] ~= core.LEADING and text or nil
    end
    for _, others in ipairs { ... } do
      for _, text in ipairs(others) do
        list[#list + 1] = text
      end
    end
    return core.set(list)
  end
  return self
end

--- prompt_opens(pairs) -> a function of a prompt: true if its tail leaves reasoning of one of these pairs open.
function M.prompt_opens(pair_list)
  return function(prompt)
    local last, opens = 0, false -- the last opener or closer
    for _, pair in ipairs(pair_list) do
      for key, is_opener in pairs { open = true, close = false } do
        local at = prompt:find(pair[key], 1, true)
        while at do
          if at > last or at == last and not is_opener then
            last, opens = at, is_opener
          end
          at = prompt:find(pair[key], at + 1, true)
        end
      end
    end
    return opens
  end
end

return M
