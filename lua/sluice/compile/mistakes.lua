--- Refuses descriptions that compile but can never read a call, with a message that says what to write instead.

local word = require "sluice.word"

local M = {}

-- Names on which a pattern is tried besides the examples.
local probes = { "a", "Z", "_", "1", "f1", "get_weather", "functions.get_weather", "functions.get_weather:0", "call_1", "a-b", "$x", "é" }
local longest = 4096 -- bytes of an example that are tried

-- True if the pattern matches a piece of one of these texts that is not just white space.
local function matches(lpeg, pattern, texts)
  local whole = lpeg.C(pattern) / 1
  for _, text in ipairs(texts) do
    for at = 1, math.min(#text, longest) do
      if (lpeg.match(whole, text, at) or ""):find "%S" then
        return true
      end
    end
  end
  return false
end

-- True if a pattern matches neither a piece of an example nor a usual name, whatever character precedes it.
local function never_matches(lpeg, pattern, examples)
  if matches(lpeg, pattern, probes) or matches(lpeg, pattern, examples) then
    return false
  end
  local longer = {}
  for byte = 33, 255 do
    for _, probe in ipairs(probes) do
      longer[#longer + 1] = string.char(byte) .. probe
    end
  end
  return not matches(lpeg, pattern, longer)
end

-- Where and which: the beginning of a message.
local function fail(node, message, ...)
  error(("%ss.%s: "):format(node.place or "", node.word) .. message:format(...), 0)
end

local function check_block(lpeg, block, number, count, examples)
  local named, arguments, place
  word.find(block, function(node)
    place = place or node.place ~= "" and node.place or nil
    local wrong = node.wrong and node:wrong()
    if wrong then
      fail(node, "%s", wrong)
    elseif node.pattern and node.word ~= "match" and never_matches(lpeg, node.pattern, examples) then
      fail(node, "its pattern can never match: it matches nothing in the examples and no usual name; correct the pattern, or add an "
        .. "example that it matches")
    elseif node.gives == "name" and arguments and not named then
      fail(node, "it comes after s.%s, but a call starts with its name, before its arguments; put the name first. If the format "
        .. "writes the name last, read the block with s.lines, or with s.json{...} if it is one JSON object", arguments)
    end
    named = named or node.gives == "name" or node.gives == "text"
    arguments = arguments or node.gives == "arguments" and node.word or nil
  end)
  if not named then
    error(("%s%s has no word for the tool's name: add s.name(), or s.json{...} if the call is JSON; s.name \"NAME\" if the "
      .. "block can only name one tool"):format(place or "", count == 1 and "the call" or ("block %d"):format(number)), 0)
  end
end

--- mistakes.check(description, lpeg): raises a message for the author if a block can never read a call.
function M.check(description, lpeg)
  local texts = {}
  for i, example in ipairs(description.examples or {}) do
    texts[i] = example.text
  end
  for i, block in ipairs(description.blocks) do
    check_block(lpeg, block, i, #description.blocks, texts)
  end
end

return M
