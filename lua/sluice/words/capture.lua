--- capture("suffix", "6124c78e"): a text on one line that the model chooses, as in <tool_calls:6124c78e>; same "suffix": that text again.

local word = require "sluice.word"

local capture = word.leaf "capture"
capture.header = true

function capture.build(class, name, text)
  if type(name) ~= "string" or not name:find "^%a[%w_]*$" or name == "key" or name == "name" then
    word.fail(class, 'needs a name other than "key" and "name"')
  elseif type(text) ~= "string" or text:find "[\r\n]" then
    word.fail(class, "needs the text to write as its second argument, on one line")
  end
  return { side = name, extra = { { name, text_written = text } } }
end

--- What s.same "suffix" makes.
function capture.again(class, name)
  return word.node(word.bound(capture, class.context), { side = name, refers_to = name })
end

-- What a plan knows of it: where the program keeps it, and the text that is written of a call without it.
local function known(self, plan)
  for i, pair in ipairs(plan.extra) do
    if pair[1] == self.side and pair.text_written then
      return i - 1, pair.text_written
    end
  end
  error(('%ss.same: must be "key", "name" or the name of an s.capture'):format(self.place), 0)
end

function capture:parse(plan, rest)
  plan.program:add("side", { a = plan.program:set(word.ends(self, rest)), b = known(self, plan) })
end

function capture:write(call, out)
  local text = call.extra and call.extra[self.side]
  if text == nil then
    text = select(2, known(self, call.plan))
  end
  if type(text) ~= "string" or text:find "[\r\n]" then
    call:refuse("'%s' in the call's `extra` is not text on one line", self.side)
  end
  out[#out + 1] = text
end

function capture:spelt(context)
  return self.refers_to and select(2, known(self, context.plan))
end

return capture
