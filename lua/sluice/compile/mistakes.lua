--- Refuses descriptions that compile but can never read a call, with a message that says what to write instead.

local lists = require "sluice.lists"
local word = require "sluice.word"

local M = {}

-- The value at the end of a block: what follows a missing closer may belong to it.
local function open_end(node)
  if node.parameter or node.read then
    return node.parameter and node
  elseif node.word == "any" then
    return lists.some(node, open_end)
  end
  local i = #node
  while i > 0 and node[i].text and not node[i].text:find "%S" do
    i = i - 1
  end
  return i > 0 and open_end(node[i]) or nil
end

-- How often a word is written in a parameter: of alternatives one is.
local function times(node, what)
  local out = node.word == what and not node.key and 1 or 0
  for _, inside in ipairs(node) do
    local more = times(inside, what)
    out = node.word == "any" and math.max(out, more) or out + more
  end
  return out
end

local function check_block(block, number, count)
  local inside, named, arguments, text, place = {}, nil, nil, nil, nil -- inside: the words in s.params, or in a list of calls
  word.find(block, function(node, parent)
    inside[node] = (node.word == "params" or node.word == "calls") and node.word or parent and inside[parent]
    place = place or node.place ~= "" and node.place or nil
    if node.word == "any" and not node:written()[1] then
      word.refuse(node, "every alternative is `also`: none is written")
    elseif node.word == "calls" and parent and inside[parent] then
      word.refuse(node, "it is inside another list, of calls or of parameters, and lists of calls do not nest")
    elseif (node.gives == "arguments" or node.parameter or node.word == "json") and not inside[parent] and word.has(block, "calls") then
      word.refuse(node, "it is outside the block's list of calls, so it belongs to no call; put it inside")
    elseif (node.word == "key" or node.what == "key" or node.word == "value" and not node.key) and inside[node] ~= "params" then
      word.refuse(node, 'it must be inside s.params { ... }; a parameter that is always there is s.value { key = "KEY" }')
    elseif node.gives == "name" and arguments and not named then
      word.refuse(node, "it comes after s.%s, but a call starts with its name, before its arguments; put the name first. If the format "
        .. "writes the name last, read the block with s.lines, or with s.json{...} if it is one JSON object", arguments)
    end
    for _, what in ipairs(node.word == "params" and { "key", "value" } or {}) do
      if times(node, what) ~= 1 then
        word.refuse(node, "a parameter has one s.%s(), not %d", what, times(node, what))
      end
    end
    named = named or node.gives == "name" or node.gives == "text"
    text = text or node.gives == "text" and parent and (parent == block or parent.word == "opt") and node
    arguments = arguments or node.gives == "arguments" and node.word or nil
  end)
  if not named then
    error(("%s%s has no word for the tool's name: add s.name(), or s.json{...} if the call is JSON; s.name \"NAME\" if the "
      .. "block can only name one tool"):format(place or "", count == 1 and "the call" or ("block %d"):format(number)), 0)
  end
  if text and word.with(block, "gives", "name") then
    word.refuse(text, "text inside a call cannot be rendered: give it a block of its own")
  end
  local open = open_end(block)
  if open and not (open.line or open.key) then
    word.refuse(open, "nothing ends the call after it: put the literal that closes a call at the end of the block")
  end
end

--- mistakes.check(description): raises a message for the author if a block can never read a call.
function M.check(description)
  for i, block in ipairs(description.blocks) do
    check_block(block, i, #description.blocks)
  end
end

return M
