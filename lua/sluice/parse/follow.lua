--- What can follow: literals and the chains of words after them. Computed once, when a script is loaded.

local vocabulary = require "sluice.syntax"

local M = {}

-- A text's leading white space, its body, its trailing white space.
local function parts(text)
  local lead, body, trail = text:match "^(%s*)(.-)(%s*)$"
  return lead, body, trail
end

-- The last bodies, cached: the same ones are needed often.
local bodies, body_count = {}, 0

local function trimmed(text)
  local body = bodies[text]
  if not body then
    local _
    _, body = parts(text)
    if body_count == 1000 then
      bodies, body_count = {}, 0
    end
    bodies[text], body_count = body, body_count + 1
  end
  return body
end

-- The searched text of a literal: without the white space at its edges, unless it is exact.
-- A newline that ends an exact literal means the end of the line: blanks before it do not count.
local function body_of(node)
  if node.exact then
    return #node.text > 1 and node.text:match "^(.*)\n$" or node.text
  end
  return trimmed(node.text)
end

local function cons(node, rest)
  return { node = node, rest = rest }
end

local function chain_of(seq, i, rest)
  for k = #seq, i, -1 do
    rest = cons(seq[k], rest)
  end
  return rest
end

local may_be_absent = { optional = true, recoverable = true }
local like_sequence = { sequence = true, exact = true }
local opaque = { attributes = true, pattern = true, reasoning = true, name = true, key = true, value = true, id = true,
  text = true, header = true, name_in_id = true, items = true, block_text = true, extra = true }

-- Marks every literal inside `exact`.
local function prepare(node, exact)
  if node.word == "literal" then
    node.exact = node.exact or exact
  end
  exact = exact or node.word == "exact"
  for i = 1, #node do
    prepare(node[i], exact)
  end
  if node.between then
    prepare(node.between, exact)
  end
  return node
end

-- Stays in one piece: a branch for each word, over one chain.
-- The literals that can come first in a chain. Each entry: text, rest (the chain after it), opener (the
-- parameters word that it begins again), node, passed (a required word before it is missing). acc.open: something other than a
-- literal can come first.
local function firsts(chain, acc, opener)
  local passed = false -- a required word was skipped
  while chain do
    local node, rest = chain.node, chain.rest
    local word = node.word
    if word == "literal" then
      local body = body_of(node)
      if body ~= "" then
        if not acc.seen[body] then
          acc[#acc + 1] = { text = body, rest = rest, opener = opener, node = node, passed = passed }
          acc.seen[body] = acc[#acc]
        end
        return acc
      end
      chain = rest
    elseif like_sequence[word] and (node.at == "line" or node.at == "indent") then
      local before = #acc
      firsts(chain_of(node, 1, rest), acc, opener)
      for i = before + 1, #acc do
        acc[i].at_line = node.at
      end
      return acc
    elseif like_sequence[word] then
      chain = chain_of(node, 1, rest)
    elseif may_be_absent[word] then
      firsts(chain_of(node, 1, rest), acc, opener)
      passed = passed or word == "recoverable"
      chain = rest
    elseif word == "any" then
      for i = 1, #node do
        firsts(cons(node[i], rest), acc, opener)
      end
      return acc
    elseif word == "parameters" then
      firsts(chain_of(node, 1, cons({ word = "again", loop = node }, rest)), acc, node)
      chain = rest
    elseif word == "calls" then
      chain = chain_of(node, 1, node.once and rest or cons({ word = "again", loop = node }, rest))
    elseif word == "again" then
      local loop = node.loop
      if loop.between then
        firsts(cons(loop.between, chain_of(loop, 1, chain)), acc)
      end
      firsts(chain_of(loop, 1, chain), acc, loop.word == "parameters" and loop or nil)
      chain = rest
    elseif word == "arguments" then
      if node.kwargs then
        acc.open = true
        return acc
      end
      for _, text in ipairs { "{", '"' } do
        if not acc.seen[text] then
          acc[#acc + 1] = { text = text, rest = rest, arguments = true }
          acc.seen[text] = acc[#acc]
        end
      end
      return acc
    elseif word == "fence" then
      if not acc.seen["```"] then
        acc[#acc + 1] = { text = "```", rest = rest, fence = true }
        acc.seen["```"] = acc[#acc]
      end
      return acc
    elseif word == "member_end" then
      acc[#acc + 1] = { text = "}", rest = rest }
      acc.seen["}"] = acc[#acc]
      return acc
    elseif word == "declared" then
      for _, text in ipairs(node.texts) do
        if not acc.seen[text] then
          acc[#acc + 1] = { text = text, rest = rest, opener = opener, node = node }
          acc.seen[text] = acc[#acc]
        end
      end
      return acc
    elseif word == "object" or word == "member" then
      if not acc.seen["{"] then
        acc[#acc + 1] = { text = "{", rest = rest, anywhere = node.anywhere }
        acc.seen["{"] = acc[#acc]
      end
      return acc
    elseif word == "section" then
      local list = { "[", "{", "```" }
      for _, text in ipairs(node.close) do
        list[#list + 1] = text:match "^%s*(.-)%s*$"
      end
      for _, text in ipairs(list) do
        acc[#acc + 1] = { text = text, rest = rest }
        acc.seen[text] = acc[#acc]
      end
      return acc
    elseif (word == "backref" or opaque[word]) and not node.is then
      acc.open = acc.open or not passed
      return acc
    else
      chain = rest
    end
  end
  acc.ends = true
  return acc
end

local function firsts_of(chain)
  return firsts(chain, { seen = {} })
end

-- Every literal that can still come in a chain and begins something, except those that only end a name.
local function laters(chain, list, seen)
  list, seen = list or {}, seen or {}
  local function collect(node, before)
    if node.word == "literal" and not (before and not before.is
      and (before.word == "name" or before.word == "key" or before.word == "backref"
      or before.word == "id" or before.word == "attributes")) then
      local body = body_of(node)
      if body ~= "" and not seen[body] then
        seen[body] = true
        list[#list + 1] = body
      end
    end
    for _, text in ipairs(node.word == "declared" and node.texts or {}) do
      list[#list + 1] = not seen[text] and text or nil
      seen[text] = true
    end
    for i = 1, #node do
      collect(node[i], node[i - 1])
    end
    if node.between then
      collect(node.between)
    end
    if node.loop and not node.loop.once then
      collect(node.loop)
    end
  end
  local before
  while chain do
    collect(chain.node, before)
    before = chain.node
    chain = chain.rest
  end
  return list
end

-- The first literal to the right of a word, through wrappers.
local function literal_right(chain)
  while chain do
    local node = chain.node
    if node.word == "literal" then
      return node
    elseif like_sequence[node.word] or may_be_absent[node.word] then
      chain = chain_of(node, 1, chain.rest)
    elseif node.word == "any" then
      chain = cons(node[1], chain.rest)
    elseif node.is then
      chain = chain.rest
    else
      return nil
    end
  end
end

-- True if a name follows that literal, as in </NAME>.
local function literal_right_is_named(chain)
  while chain and chain.node.word ~= "literal" do
    local node = chain.node
    if not (like_sequence[node.word] or may_be_absent[node.word] or node.word == "any") then
      return false
    end
    chain = node.word == "any" and cons(node[1], chain.rest) or chain_of(node, 1, chain.rest)
  end
  return chain and chain.rest and chain.rest.node.word == "backref" or false
end

local function literal_last(node)
  if not node then
    return nil
  elseif node.word == "literal" then
    return node
  elseif like_sequence[node.word] or may_be_absent[node.word] then
    return literal_last(node[#node])
  elseif node.word == "any" then
    return literal_last(node[1])
  end
end

--- The literals of a list of firsts, in its order.
function M.texts(acc)
  local list = {}
  for i, entry in ipairs(acc) do
    list[i] = entry.text
  end
  return list
end

--- True if the node has this word (or one for which the function returns true).
function M.has(node, word)
  return vocabulary.find(node, word) ~= nil
end

--- True if it has exact literals: these decide, and never count as missing.
function M.has_exact(node)
  return vocabulary.find(node, function(at)
    return at.exact
  end) ~= nil
end

--- The loop to which a chain returns.
function M.loop_around(chain)
  while chain do
    if chain.node.word == "again" then
      return chain.node.loop
    end
    chain = chain.rest
  end
end

M.parts, M.body_of, M.cons, M.chain_of, M.prepare = parts, body_of, cons, chain_of, prepare
M.firsts, M.firsts_of, M.laters, M.literal_right, M.literal_last = firsts, firsts_of, laters, literal_right, literal_last
M.literal_right_is_named, M.opaque = literal_right_is_named, opaque

return M
