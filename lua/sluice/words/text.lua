--- text(): plain text, up to the next literal or the end. A block that has it is a message without a call.

local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

--- Defines `text`, or `think`, which differs in the events that it becomes.
local function kind(name)
  local class = word.leaf(name)
  class.gives = "text"

  function class:parse(plan, rest, before)
    local p = plan.program
    local left, right = before and before:last(), follow.literal_right(rest)
    local lead = left and select(3, follow.parts(left.text)) or ""
    local trail = right and follow.parts(right.text) or ""
    local list = follow.texts(follow.firsts(rest))
    local open = name == "think" and #list == 0
    list:all(name == "text" and plan.syntax.stop or {})
    for _, text in ipairs(plan.line_openers) do -- JSON that can be a call at the start of a line
      list:add("\n" .. text)
    end
    local count = #list
    for _, text in ipairs(plan.opener_list) do -- a new block ends it, unless it needs the start of the message
      list:add(plan.place[text] and text or "")
    end
    local closed = right or name == "text" -- a thought that no literal closes ends at openers in the middle of a line, too
    local places = lists.map(list, function(text, i) -- and at openers that are more than a word
      local asks = i > count and closed and (name == "text" or plan.thinks[text] or text:find "^%w+$")
      return asks and plan.place[text] or 0
    end)
    for _, text in ipairs(name == "text" and list or {}) do
      plan.text_ends[#plan.text_ends + 1] = text
    end
    p:add("say", { a = p:put("contents", { ends = p:set(list, places), open = open, type = self.word,
      lead = lead ~= "" and lead or nil, trail = trail ~= "" and trail or nil }) })
  end

  function class.write(_, call)
    call:refuse "a block of text has no calls"
  end

  function class.tree()
    return tree.raw()
  end

  return class
end

local text = kind "text"
text.kind = kind
return text
