--- given(): the name of a given tool (without tools, one of the field `tools`). The literal before it opens a block only together with
-- such a name: `<read_file`, while other tags are text.
-- A plan is made for each set of tools: there each `given` and the literal before it become one `declared`, a hidden word.

local lists = require "sluice.lists"
local word = require "sluice.word"

local given = word.leaf "given"
given.gives, given.header = "name", true

function given.write(_, call, out)
  out[#out + 1] = call.name
end

local declared = word.leaf "declared"
declared.gives = "name"

--- given.expand(node, names): the word for tools with these names.
function given.expand(node, names)
  local function joined(prefix, behind)
    local function texts(ending)
      local list = lists.map(names, function(name)
        return prefix .. name .. ending
      end)
      return list[1] and list or { "\0\1\0" } -- no tool, so no block
    end
    return word.make(declared, { texts = texts "", wholes = texts(behind), names = names, before = prefix, place = node.place })
  end
  return word.map(node, function(at)
    local out = {}
    for i, part in ipairs(at) do
      local before = part.word == "given" and at[i - 1] and at[i - 1].body and at[i - 1]
      out[#out + (before and 0 or 1)] = part.word == "given" and joined(before and before.text or "",
        at[i + 1] and at[i + 1].body and not at[i + 1].exact and at[i + 1]:body() or "") or part
    end
    return out[1] and word.copy(at, {}, out) or at
  end)
end

function declared:first(rest, firsts)
  for i, text in ipairs(self.texts) do
    firsts:add(text, { rest = rest, node = self, whole = self.wholes[i] })
  end
end

function declared:parse(plan)
  local p, first = plan.program, nil
  for _, name in ipairs(self.names) do
    local number = p:put("texts", name)
    first = first or number
  end
  p:add("declared", { a = p:set(self.texts), b = first })
end

return given
