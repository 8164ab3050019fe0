--- Refuses descriptions that compile but can never read a call, with a message that says what to write instead.

local shapes = require "sluice.shapes"
local vocabulary = require "sluice.syntax"

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

-- Raises if a pattern of a name or a key matches neither a piece of an example nor a usual name, whatever character precedes it.
local function never_matches(node, lpeg, examples)
  if not (node.word == "name" or node.word == "key") or not node.pattern or matches(lpeg, node.pattern, probes)
    or matches(lpeg, node.pattern, examples) then
    return
  end
  local longer = {}
  for byte = 33, 255 do
    for _, probe in ipairs(probes) do
      longer[#longer + 1] = string.char(byte) .. probe
    end
  end
  if not matches(lpeg, node.pattern, longer) then
    error(("%ss.%s: its pattern can never match: it matches nothing in the examples and no usual name; correct the pattern, or add an "
      .. "example that it matches"):format(node.place or "", node.word), 0)
  end
end

local gives_name = { name = true, header = true, name_in_id = true, object = true, section = true, array = true }
local gives_arguments = { arguments = true, parameters = true }

-- Calls `see(node)` for each word, in the order of the text. Alternatives of `any` follow one another.
local function each(node, see)
  if see(node) then
    return
  end
  for _, pair in ipairs(node.list or {}) do -- of attributes
    see(pair[2])
  end
  for i = 1, #node do
    each(node[i], see)
  end
end

-- Raises if a name comes after the arguments: a call cannot be announced before its name is known.
local function name_comes_late(block)
  local named, before
  each(block, function(node)
    if gives_name[node.word] then
      if node.word == "name" and before and not named then
        error(("%ss.name: it comes after s.%s, but a call is announced by its name, before its arguments; put s.name() first. If the "
          .. "format writes the name last, read the block with `parse = function(stream) ... end`, or with s.object{...} if it is one "
          .. "JSON object"):format(node.place or "", before), 0)
      end
      named = true
      return true
    elseif gives_arguments[node.word] then
      before = before or node.word
    end
  end)
end

local makes_block = { name = true, header = true, name_in_id = true, object = true, text = true, reasoning = true }

-- Raises if a block neither names the called tool nor is text.
local function unnamed(block, number, count)
  local place
  local found = vocabulary.find(block, function(node)
    place = place or node.place
    return makes_block[node.word]
  end)
  for word in pairs(found and {} or makes_block) do
    found = found or vocabulary.find(block, word) -- among the attributes of a tag
  end
  if not found then
    error(("%s%s has no word for the tool's name: add s.name(), or s.object{...} if the call is JSON; s.name { is = \"NAME\" } if the "
      .. "block always means one tool"):format(place or "", count == 1 and "the call" or ("block %d"):format(number)), 0)
  end
end

-- Words that are allowed only in the list of s.attributes.
local in_attributes = { type = 's.attributes { { "type", s.type() } }', number = 's.attributes { { "index", s.number() } }' }

-- Raises if a word has bad options, or is not allowed in its place.
local function misplaced(node)
  local place = node.place or ""
  if in_attributes[node.word] then
    error(("%ss.%s: it is only for attributes of a tag: %s"):format(place, node.word, in_attributes[node.word]), 0)
  end
  local wrong = shapes.word(node)
  if wrong then
    error(("%ss.%s: %s"):format(place, node.word, wrong), 0)
  end
  for _, pair in ipairs(node.list or {}) do -- of attributes
    wrong = shapes.word(pair[2])
    if wrong then
      error(("%ss.%s: %s"):format(pair[2].place or place, pair[2].word, wrong), 0)
    end
  end
  for i = 1, #node do
    misplaced(node[i])
  end
end

--- mistakes.words(blocks): raises a message for the author if a word has bad options or a wrong place.
function M.words(blocks)
  for _, block in ipairs(blocks) do
    misplaced(block)
  end
end

--- mistakes.unnamed(blocks): raises such a message if a block neither names the called tool nor is text.
function M.unnamed(blocks)
  for number, block in ipairs(blocks) do
    unnamed(block, number, #blocks)
  end
end

--- mistakes.check(blocks, examples, lpeg): raises such a message if a block can never read a call.
function M.check(blocks, examples, lpeg)
  local texts = {}
  for i, example in ipairs(examples or {}) do
    texts[i] = example.text
  end
  for _, block in ipairs(blocks) do
    name_comes_late(block)
    vocabulary.find(block, function(node)
      never_matches(node, lpeg, texts)
      return false
    end)
  end
end

return M
