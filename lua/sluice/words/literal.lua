--- A literal: a string in a description. White space at its edges is written as it is, and read as any amount of white space; next to a
-- value or text it says how much to drop on that side. `tok` makes one that is a special token.

local follow = require "sluice.compile.follow"
local word = require "sluice.word"

---@class sluice.Literal: sluice.Word
---@field text string
---@field exact boolean? white space counts
---@field token boolean? a special token of the model
local literal = word.leaf "literal"

--- What is searched for: without the white space at its edges, unless it is exact. Of an exact literal a newline at the end means the end
-- of the line.
function literal:body()
  if self.exact then
    return #self.text > 1 and self.text:match "^(.*)\n$" or self.text
  end
  local _, body = follow.parts(self.text)
  return body
end

function literal:first(rest, firsts)
  local body = self:body()
  local space = firsts.space .. (self.exact and "" or follow.parts(self.text))
  if body == "" then
    firsts.space = space
    return true
  end
  firsts:add(body, { rest = rest, node = self, space = space, own_line = space:find "\n" and body:find "^[%w_*#>+-]" })
end

function literal:last()
  return self
end

--- True if it consists of one character, ten times or more: then how often counts, and a longer run is not this literal, unless it is
-- several of it.
function literal:is_run()
  local body = self:body()
  local unit = body:match "^[%z\1-\127\194-\244][\128-\191]*"
  return unit ~= nil and not self.exact and #body >= 10 * #unit and body == unit:rep(#body / #unit)
end

function literal:parse(plan)
  local body, line = self:body(), self.exact and self.text:match "\n$" ~= nil
  if body ~= "" then
    local p = plan.program
    p:add("literal", { a = p:set { body }, exact = self.exact, line = line, whole_line = self.exact and self.text == "\n" })
  end
end

function literal:write(_, out)
  out[#out + 1] = self.text
end

function literal:shown()
  return word.quoted(self.text)
end

return literal
