--- What core/doubt.c needs to know of a description: its literals, which close which, and which are the parameters'.

local core = require "sluice.core"
local lists = require "sluice.lists"
local word = require "sluice.word"

local M = {}

local INNER, CLOSER, SINGLE, QUOTE = core.D_INNER, core.D_CLOSER, core.D_SINGLE, core.D_QUOTE
local LINE, CALLS, ALONE, PAIR = core.D_LINE, core.D_CALLS, core.D_ALONE, core.D_PAIR

-- What an opener, but for its attributes, and its closer have in common, and whether this is the closer.
local function kind_of(text)
  if text:find "^%]%]>" then
    return "!cdata", true
  end
  local kind = text:gsub("^(%p+%w[%w_:.-]*)%s+[%w_:.-]+=.*", "%1"):lower():gsub("[%s/<>%[%]{}()|=\"'%*%-~]", "")
  local closes = text:find "^[<%[{|]*/" or text:find "^%]<%]%w+%[>%[</" or text:find "^<[^|>]+|>$" or text:find "^%*%*%* End"
    or text:find "^【/"
  for _, pair in ipairs { { "start", "end" }, { "begin", "end" }, { "open", "close" }, { "始", "末" }, { "prefix", "suffix" } } do
    local rest, count = kind:gsub(pair[1], ""):gsub(pair[2], "")
    kind, closes = rest, closes or count > 0
  end
  return kind:gsub("[_▁%.:]", ""):gsub("sep$", ""), closes and true or false
end

-- Is it no word or sign that any text may have?
local function is_telling(text)
  return #text >= 4 and (text:find "[<>%[%]{}|=:`#@(「」【】^\128-\255]" or text:find "^%*%*%*" or text:find "^%u+_%u+$")
    and not text:find "^[\"'{%[%s]+$" and not text:find "^[`~]+%w*$"
    and not text:find "^%l+:$"
end

-- Calls each(text, inner, quote, line) for the literals of a description; inner: of its parameters, or around the value of a fixed one;
-- line: it begins a line.
local function walk(node, inner, each, line)
  line = line or node.at == "line" or node.at == "indent"
  if node.word == "literal" then
    each(node.text, inner, nil, line)
  end
  if node.quote then
    each(node.quote, inner, true)
  end
  for _, text in ipairs(node.opens or {}) do -- of lines that a function reads
    each(text, inner, nil, true)
  end
  inner = inner or node.word == "params" or node[2] and node[2].word == "value"
  for i = 1, #node do
    walk(node[i], inner, each, (i == 1 or node.word == "any") and line)
  end
end

-- The last line of what a function reads, but for fences, which text may have.
local function last_line(blocks)
  return lists.some(blocks, function(block)
    local read = word.find(block, function(node)
      return node.word == "lines" and node[1] ~= nil
    end)
    local last = read and read[1][#read[1]]
    local text = last and last.word == "literal" and last.text:match "^%s*(.-)%s*$"
    return text and text ~= "" and not text:find "^[`~]" and text
  end)
end

local function begins_in_fence(block)
  local first = word.find(block, function(node)
    return #node == 0
  end)
  return first.body ~= nil and first.text:find "```" ~= nil
end

--- doubt.literals(blocks, has, special): set, plain, raw, tagged, angles, fenced, in_fences: see sluice__format_literals of
-- core/program.h; list: what is watched for.
function M.literals(blocks, has, special)
  local list, roles, at, numbers, sides = {}, {}, {}, {}, {}
  local fenced, in_fences, angles, quoted, calls, values, bare, raw = false, false, false, false, false, false, false, false
  local function add(text, inner, quote, line)
    quoted = quoted or quote
    fenced = fenced or values and text:find "```" ~= nil
    text = text:match "^%s*(.-)%s*$"
    if not is_telling(text) then
      return
    end
    angles = angles or text:find "^<" ~= nil or text:find "%[<" ~= nil
    local kind, closes = kind_of(text)
    if not numbers[kind] then
      sides[#sides + 1] = {}
      numbers[kind] = #sides
    end
    local number = numbers[kind]
    sides[number][quote and "quote" or closes] = true
    local role = number * PAIR + ((inner or bare or quote) and INNER or 0)
      + (quote and QUOTE or closes and CLOSER or 0) + (line and LINE or 0) + (calls and CALLS or 0)
    local i = at[text] or #list + 1
    if not at[text] or role % 2 == INNER and roles[i] % 2 == 0 then
      list[i], at[text], roles[i] = text, i, role
    end
  end
  for _, block in ipairs(blocks) do
    calls = not (word.has(block, "text") or word.has(block, "think")) -- the block has nothing but calls
    values = word.has(block, "value") or word.has(block, "lines") -- which a fence may end too early
    local text = word.find(block, function(node) return node.word == "args" and node.raw end) ~= nil
    raw, bare = raw or text, (text or word.has(block, "value")) and not word.has(block, "params")
    in_fences = in_fences or calls and block.at ~= "start" and begins_in_fence(block)
    walk(block, false, add)
    fenced = fenced or word.with(block, "trim", "fence") ~= nil
  end
  for i, role in ipairs(roles) do
    local side = sides[math.floor(role / PAIR)]
    local token = role % 2 == INNER and list[i]:find "^<|[^|]+|>$" -- in a value it is left over
    if not side.quote and not token and not (side[true] and side[false]) then
      roles[i] = role + SINGLE
    end
  end
  local last = last_line(blocks)
  if last and not at[last] then
    list[#list + 1], roles[#roles + 1] = last, SINGLE + LINE + ALONE
  end
  local set, plain, plain_roles = list[1] and core.set(list, roles) or nil, {}, {}
  for i, text in ipairs(list) do
    if not lists.some(special or {}, function(token) return text:find(token, 1, true) end) then
      plain[#plain + 1], plain_roles[#plain + 1] = text, roles[i]
    end
  end
  if has.same then -- a tag that is named after the call
    list[#list + 1] = "</"
  end
  plain = plain[1] and core.set(plain, plain_roles) or nil
  return { set = set, plain = plain, list = list, raw = has.value or raw or quoted or has.lines, tagged = has.same,
    angles = angles, fenced = fenced, in_fences = in_fences }
end

return M
