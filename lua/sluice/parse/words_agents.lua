--- Words of formats that agents invented, as they are read. Each is made of the operations of core/stream.h, like those of
-- sluice.parse.compile, whose tools they are handed.

local core = require "sluice.core"
local schema = require "sluice.schema.types"

local NAME = {} -- bytes that a name goes on with
for i = 0, 255 do
  NAME[i] = string.char(i):match "[%w_-]" ~= nil or i >= 128
end

return function(words, with)
  local set_of, texts, firsts_of = with.set_of, with.texts, with.firsts_of

  -- What stands before a name together with the name of a given tool: see sluice.parse.declared.
  function words.declared(_, node)
    local set = set_of(node.texts)
    return function(st, c)
      local item, first, last = st:accept(set, true)
      if not item or NAME[st:byte(false) or 0] then
        return false
      end
      c.name, c.name_start, c.name_end, c.pattern = node.names[item], first + node.prefix, last, nil
      return c.name ~= nil
    end
  end
end
