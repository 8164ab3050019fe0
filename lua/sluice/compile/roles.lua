--- Literals with their roles, and what reasoning a prompt leaves open.

local core = require "sluice.core"
local lists = require "sluice.lists"

local M = {}

--- roles.letters: what a name or a word can begin with.
M.letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

--- True if the text is too short to identify a format.
function M.is_sign(text)
  return #text < 2 and not text:find "[%w\128-\255]"
end

-- The bits that are in a or b, for every Lua.
local function either(a, b)
  local bit = 1
  while a ~= b and bit <= b do
    a = a + (lists.has(b, bit) and not lists.has(a, bit) and bit or 0)
    bit = bit * 2
  end
  return a
end

--- roles.new(): literals and their roles; a literal may have several roles.
function M.new()
  local self = { list = {}, role = {}, index = {} }
  function self.add(text, role)
    local i = self.index[text] or #self.list + 1
    self.list[i], self.role[i], self.index[text] = text, either(self.role[i] or 0, role), i
  end
  function self.set(quiet)
    return core.set(self.list, self.role, quiet)
  end
  --- The set of those that are searched for, and of the literals of these lists.
  function self.watched(...)
    return core.set(lists.joined(lists.map(self.list, function(text, i)
      return self.role[i] ~= core.STRAY and self.role[i] ~= core.LEADING and text or nil
    end), ...))
  end
  return self
end

-- Where this part occurs last, or 0.
local function last_place(text, part)
  return text:find(part, 1, true) and text:match("^.*()" .. part:gsub("%W", "%%%0")) or 0
end

--- prompt_opens(pairs, in_text) -> a function of a prompt and the plan: true if reasoning is open at its end. Looks only behind the
-- last end of a turn, and parses from the last place of each opener (of these pairs; of blocks, if blocks contain reasoning).
function M.prompt_opens(pair_list, in_text)
  return function(prompt, plan)
    local blocks = (plan.syntax.has or {}).think and plan.opener_list or {}
    for i, text in ipairs(in_text.list) do
      prompt = lists.has(in_text.role[i], core.TURN_END) and prompt:sub(last_place(prompt, text) + 1) or prompt
    end
    return lists.some(lists.joined(lists.each(pair_list, "open"), blocks), function(opener)
      local from, last = last_place(prompt, opener), nil
      if from > 0 then
        local stream = core.stream(plan, nil, {})
        local tail = prompt:sub(from) .. "x" -- the stream borrows it
        stream:feed(tail)
        stream:finish()
        for event in stream.next, stream do
          last = (event.type == "reasoning" or event.type == "text") and event.type or last
        end
      end
      return last == "reasoning"
    end)
  end
end

return M
