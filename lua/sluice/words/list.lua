--- A list of words in braces, one after the other. `exact = true`: white space at the edges of its literals counts. `at`: it begins a line
-- ("line", or "indent": after blanks), or, for a block, the message, or stands right after another block ("start").

local check = require "sluice.check"
local word = require "sluice.word"

local list = word.wrapper("list", { at = check.one_of("start", "line", "indent") })
list.owner = "a list of words"

--- A list of words in the word `owner`; nil: for a block.
function list.of(owner, value)
  local out = word.words_of(word.bound(list, owner and owner.context or {}), value)
  if owner and out.at == "start" then
    word.fail(owner, 'at = "start" is only for a whole block: nothing else can begin the message')
  elseif owner and out.at and (out[1].word == "same" or out[1].refers_to) then
    word.fail(owner, ('at = "%s" needs a literal first: what s.same repeats is not looked for'):format(out.at))
  end
  return word.make(list, out)
end

function list:first(rest, firsts)
  local before = #firsts
  firsts:walk(self:enter(rest), true)
  for i = before + 1, (self.at == "line" or self.at == "indent") and #firsts or 0 do
    firsts[i].at_line = self.at
  end
end

--- True if what is before it consists of whole lines.
function list:begins_line()
  return (self.at == "line" or self.at == "indent") and self[1].body and self[1].text:sub(1, 1) ~= "\n"
end

function list:write(call, out, behind)
  local before = out[#out]
  if self:begins_line() and before and before ~= "" and before:sub(-1) ~= "\n" then
    call:refuse "what is written before a line must consist of whole lines: the newline at its end is missing (as between = \"\\n\")"
  end
  word.Wrapper.write(self, call, out, behind)
end

return list
