--- What core/doubt.c needs to know of a description: its literals, which close which, and which are the parameters'.

local core = require "sluice.core"

local M = {}

local INNER, CLOSER, SINGLE, QUOTE, LINE, CALLS, PAIR = 1, 2, 4, 8, 16, 32, 64

-- What an opener and its closer have in common, and whether this is the closer.
local function kind_of(text)
  local word = text:lower():gsub("[%s/<>%[%]{}()|=\"'%*%-~]", "")
  local closes = text:find "^[<%[{|]*/" or text:find "^%]<%]%w+%[></" or text:find "^<[^|>]+|>$" or text:find "^%*%*%* End" or text:find "^【/"
  for _, pair in ipairs { { "start", "end" }, { "begin", "end" }, { "open", "close" }, { "始", "末" }, { "prefix", "suffix" },
    { "request", "end" } } do
    local from = word:find(pair[1], 1, true)
    local to = word:find(pair[2], 1, true)
    if to then
      closes = true
    end
    if (from or to) and pair[1] ~= "request" then
      word = word:gsub(pair[1], ""):gsub(pair[2], "")
    end
  end
  return word:gsub("[_▁%.]", ""), closes and true or false
end

-- Calls each(node, inner) for the literals of a description.
local function walk(node, inner, each, line)
  if node.word == "literal" then
    each(node.text, inner, nil, line)
  end
  if node.quote then
    each(node.quote, inner, true)
  end
  for i = 1, #node do
    walk(node[i], inner or node.word == "parameters", each, i == 1 and (line or node.at == "line"))
  end
end

local function has(node, what)
  if what(node) then
    return true
  end
  for i = 1, #node do
    if has(node[i], what) then
      return true
    end
  end
  return false
end

--- doubt.literals(blocks): set, raw, tagged, fenced: see sluice__literals of core/doubt.h.
function M.literals(blocks)
  local list, roles, at, pairs_, sides = {}, {}, {}, {}, {}
  local raw, loops, tagged, fenced = false, false, false, false
  for _, seq in ipairs(blocks) do
    raw = raw or has(seq, function(n) return n.word == "value" end)
    loops = loops or has(seq, function(n) return n.word == "parameters" end)
    tagged = tagged or has(seq, function(n) return n.word == "backref" end)
    fenced = fenced or has(seq, function(n) return n.word == "fence" or n.word == "literal" and n.text:find "```" end)
  end
  local by_lines
  for _, seq in ipairs(blocks) do
    has(seq, function(n)
      by_lines = n.word == "value" and n.lines and n.key or by_lines
      return false
    end)
  end
  local calls -- the block has nothing but calls
  local count, quoted = 0, false
  local function add(text, inner, quote, line)
    quoted = quoted or quote
    text = text:match "^%s*(.-)%s*$"
    if #text < 4 or not text:find "[<>%[%]{}|=:`#*@(「」【】^\128-\255]" and not text:find "^%u+_%u+$" or text:find "^[\"'{%[%s]+$" or text:find "^[`~]+%w*$" then
      return
    end
    local word, closes = kind_of(text)
    if not pairs_[word] then
      count = count + 1
      pairs_[word] = count
    end
    local number = pairs_[word]
    sides[number] = sides[number] or {}
    sides[number][quote and "quote" or closes] = true
    local role = number * PAIR + ((inner or raw and not loops or quote) and INNER or 0) + (quote and QUOTE or closes and CLOSER or 0)
      + (line and LINE or 0) + (calls and CALLS or 0)
    if not at[text] then
      list[#list + 1] = text
      at[text] = #list
      roles[#list] = role
    elseif inner and roles[at[text]] % 2 == 0 then
      roles[at[text]] = role
    end
  end
  for _, seq in ipairs(blocks) do
    calls = not has(seq, function(n) return n.word == "text" or n.word == "reasoning" end)
    walk(seq, false, add)
  end
  for i, role in ipairs(roles) do
    local side = sides[math.floor(role / PAIR)]
    if not side.quote and not (side[true] and side[false]) then
      roles[i] = role + SINGLE
    end
  end
  raw = raw or quoted
  local begins, directive = {}, nil
  for _, text in ipairs(list) do
    local first = text:match "^%p%p+ "
    if first then
      begins[first] = (begins[first] or 0) + 1
      directive = begins[first] > 2 and first or directive
    end
  end
  local angles = false
  for _, text in ipairs(list) do
    angles = angles or text:find("^<") ~= nil or text:find("minimax", 1, true) ~= nil
  end
  return { set = list[1] and core.set(list, roles) or nil, raw = raw, tagged = tagged, angles = angles, fenced = fenced,
    directive = by_lines and directive, directive_key = directive and by_lines, list = list, roles = roles }
end

return M
