--- also(x): read, and never written. In `any` an alternative; elsewhere it may be absent.
-- A text directly before it is without its literals in a grammar: they would end it, or begin another.

local lists = require "sluice.lists"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local also = require("sluice.words.opt").kind "also"
also.unwritten = true

--- What is inside, as one word.
function also:content()
  return #self == 1 and self[1] or word.make(word.classes.list, lists.joined(self))
end

function also.written()
  return {}
end

function also.write() end

function also.tree()
  return tree.empty
end

return also
