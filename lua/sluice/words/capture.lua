--- capture("suffix", pattern, text): a text that the model chooses, up to the next literal, as in <tool_calls:6124c78e>. same "suffix": the
-- same text once more. Written: `text`.
--
-- The core of 0.3 has no register for it: that both are the same is not checked yet; each must match the pattern.

local match = require "sluice.words.match"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local capture = word.leaf "capture"
capture.about = "a text that the model chooses; s.same with its name stands for it"
capture.parse = match.parse

function capture.build(class, name, pattern, text)
  if type(name) ~= "string" or not name:find "^%a[%w_]*$" or name == "key" or name == "name" then
    word.fail(class, 'needs a name other than "key" and "name"')
  elseif type(text) ~= "string" then
    word.fail(class, "needs the text to write as its third argument")
  end
  return { captures = name, pattern = match.build(class, pattern, text).pattern, text_written = text }
end

--- What s.same "suffix" makes: resolved when the block is complete, as captures may stand in any list around it.
function capture.again(class, name)
  return word.node(word.bound(capture, class.context), { refers_to = name })
end

--- The block with its captures known to what repeats them.
function capture.resolve(block)
  local known = {}
  word.find(block, function(node)
    if node.captures then
      known[node.captures] = node
    end
  end)
  local function resolved(node)
    local source = node.refers_to and known[node.refers_to]
    if node.refers_to and not source then
      error(('%ss.same: must be "key", "name" or the name of an s.capture'):format(node.place), 0)
    end
    return source and word.copy(node, { pattern = source.pattern, text_written = source.text_written })
      or #node > 0 and word.map(node, resolved) or node
  end
  return resolved(block)
end

function capture:write(_, out)
  out[#out + 1] = self.text_written
end

function capture:spelt()
  return self.refers_to and self.text_written
end

function capture:tree()
  return tree.lit(self.text_written)
end

return capture
