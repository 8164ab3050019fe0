--- id(): the model's own call id, as text up to the next literal. Written: the call's id; without one call_1, the call's number.

local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local id = word.leaf "id"
id.header = true

local term = tree.term("ID", "[A-Za-z0-9_-]{1,64}")

function id:parse(plan, rest)
  local p = plan.program
  p:add("id", { a = p:set(word.ends(self, rest)) })
end

function id.write(_, call, out)
  out[#out + 1] = call.id or ("call_%d"):format(call.index)
end

function id.tree()
  return term
end

return id
