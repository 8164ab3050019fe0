--- name(), name(pattern): the tool's name, on one line, up to the next literal. name "edit": the block always means this tool; nothing is
-- read.

local core = require "sluice.core"
local word = require "sluice.word"

local name = word.leaf "name"
name.gives = "name"

function name.build(class, given)
  if type(given) == "string" then
    if given == "" or given:find "[%s%%]" then
      word.fail(class, "must be a name without white space or '%', or an LPeg pattern, such as lpeg.R(\"az\")^1")
    end
    return { is = given }
  end
  local other = '; or the name of the only tool, as in s.name "edit"'
  return { pattern = given ~= nil and word.pattern(class, given, "argument", other) or nil, header = true }
end

function name:first(_, firsts)
  if self.is then
    return true
  end
  firsts:unknown()
end

function name:enter(rest)
  return self.is and rest or nil
end

function name:parse(plan, rest)
  local p = plan.program
  if self.is then
    return p:add("named", { a = p:put("texts", self.is) })
  end
  local ends = word.ends(self, rest)
  if self.pattern and not self.pattern:match "a b" then
    ends[#ends + 1], ends[#ends + 2] = " ", "\t" -- white space ends such a name
  end
  p:add("name", { a = p:set(ends), b = p:pattern(self.pattern) or core.BARE_NAME })
end

function name:write(call, out)
  if self.is and self.is ~= call.name then
    error({ no_way = true, refusal = ("the tool '%s': this form is only for calls of '%s'"):format(call.name, self.is) }, 0)
  end
  out[#out + 1] = not self.is and call.name or nil
end

return name
