--- capture("suffix", "6124c78e"): a text on one line that the model chooses, up to the next literal, as in <tool_calls:6124c78e>. It stands
-- in the call's `extra` under this name, and is written from there; without it, the second argument. same "suffix": that text once more;
-- if it differs within a call, that is reported, and the call is incomplete.

local follow = require "sluice.compile.follow"
local word = require "sluice.word"

local capture = word.leaf "capture"
capture.about = "a text that the model chooses, reported in `extra`; s.same with its name stands for it"
capture.header = true

function capture.build(class, name, text)
  if type(name) ~= "string" or not name:find "^%a[%w_]*$" or name == "key" or name == "name" then
    word.fail(class, 'needs a name other than "key" and "name"')
  elseif type(text) ~= "string" or text:find "[\r\n]" then
    word.fail(class, "needs the text to write as its second argument, on one line")
  end
  return { extra = { { name } }, text_written = text }
end

--- What s.same "suffix" makes: resolved when the block is complete, as captures may stand in any list around it.
function capture.again(class, name)
  return word.node(word.bound(capture, class.context), { refers_to = name })
end

--- The block with its captures known to what repeats them.
function capture.resolve(block)
  local known = {}
  word.find(block, function(node)
    if node.text_written and node.extra then
      known[node.extra[1][1]] = node
    end
  end)
  local function resolved(node)
    local source = node.refers_to and known[node.refers_to]
    if node.refers_to and not source then
      error(('%ss.same: must be "key", "name" or the name of an s.capture'):format(node.place), 0)
    end
    return source and word.copy(node, { extra = source.extra, text_written = source.text_written })
      or #node > 0 and word.map(node, resolved) or node
  end
  return resolved(block)
end

function capture:parse(plan, rest)
  local p, number = plan.program, nil
  for i, pair in ipairs(plan.extra) do
    number = pair[1] == self.extra[1][1] and i - 1 or number
  end
  p:add("side", { a = p:set(follow.texts(follow.firsts(rest))), b = number })
end

function capture:write(call, out)
  local name = self.extra[1][1]
  local text = call.extra and call.extra[name]
  text = text == nil and self.text_written or text
  if type(text) ~= "string" or text:find "[\r\n]" then
    call:refuse("'%s' in the call's `extra` is not text on one line", name)
  end
  out[#out + 1] = text
end

function capture:spelt()
  return self.refers_to and self.text_written
end

return capture
