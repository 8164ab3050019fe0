--- Marks against echoes: the host draws a random word, which becomes part of a prompted format's openers and closers. Text that a model
-- only repeats lacks it.

local literals = require "sluice.literals"
local vocabulary = require "sluice.syntax"

local M = {}

--- marks.description(description, mark): the description with this mark in its openers and closers. Its field `marked` says where:
-- "<call{ mark}>" turns `<call>` into `<call k3f9>`; the text in {} is there only with a mark. Returns nil and a message if the mark is
-- invalid, or the description has no place for one.
function M.description(description, mark)
  if type(mark) ~= "string" or not mark:find "^[%w_-]+$" or #mark > 64 then
    return nil, "a mark is a word of at most 64 letters, digits, '-' and '_'"
  elseif not description.marked then
    return nil, ("%s has no place for a mark: its script has no field `marked`"):format(description.name)
  end
  local others, special = {}, {}
  for _, form in ipairs(description.marked) do
    local plain = form:gsub("{[^{}]*}", "")
    others[plain] = form:gsub("{([^{}]*)mark([^{}]*)}", "%1" .. mark .. "%2")
  end
  for _, token in ipairs(description.special or {}) do
    special[#special + 1] = not others[token] and token or nil -- with a mark it is no longer a token of the model
  end
  local template, stop_words = description.template, {}
  for i, word in ipairs(description.stop_words or {}) do
    stop_words[i] = literals.replaced(word, others)
  end
  return vocabulary.inherit(description, { literals = others, special = special, stop_words = stop_words,
    template = type(template) == "string" and literals.replaced(template, others) or nil })
end

return M
