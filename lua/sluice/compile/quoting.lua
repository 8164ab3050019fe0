--- What a raw value may quote of its own format, from the description around it: see core/program.h for the kinds of literals, and
-- core/quoted.c for the rule. This is knowledge about a whole block, not about one word: it asks each word what it gives.

local core = require "sluice.core"
local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local roles = require "sluice.compile.roles"
local word = require "sluice.word"

local M = {}

local firsts_of, chain_of, set_of = follow.firsts, follow.chain_of, core.set

-- The places in a chain, before `stop`, of the words that give the name or the key, one for each alternative that has it, and the literals
-- before each: added to `list`, which is returned.
local function heads(chain, stop, what, before, list)
  while chain ~= stop do
    local node, after = chain.node, chain.rest
    if node.gives == what and node.header or node.attribute_of and node:attribute_of(what) then
      list[#list + 1] = { chain = chain, before = before }
      return list
    elseif node.body then
      before[#before + 1] = node:body() ~= "" and node:body() or nil
    elseif node.word == "any" then
      for k = 1, #node do
        heads(follow.cons(node[k], after), stop, what, lists.joined(before), list)
      end
      return list
    elseif #node > 0 and node.gives ~= "arguments" then
      if node.word == "opt" or node.unwritten then -- it may be absent
        heads(after, stop, what, lists.joined(before), list)
      end
      after = chain_of(node, 1, after)
    end
    chain = after
  end
  return list
end

-- How a head is written: nil if that is ambiguous.
local function head_of(found, what)
  local attribute, after = found.chain.node.attribute_of and found.chain.node:attribute_of(what), found.chain.rest
  local firsts = firsts_of(after)
  local ends = follow.texts(firsts)
  ends[#ends + 1] = after and after.node.body and after.node.text:sub(1, 1) == "\n" and "\n" or nil
  return (#ends > 0 and (attribute or not firsts.open)) and { ends = set_of(ends), attribute = attribute } or nil
end

-- Of these the first that has literals before it: how it is written, and those literals.
local function first_head(found_heads, what)
  for _, found in ipairs(found_heads) do
    if found.before[1] then
      return found.chain.rest and head_of(found, what), found.before
    end
  end
end

-- Along the chain after a value: the closer of a parameter, then that of a call, then a section's. Returns the loops, the chain after
-- the name in each closer, and which kinds were found; or nil. mark(text, kind) notes a literal.
local function closers_of(rest, mark)
  local loops, named, found, kind = {}, {}, {}, core.PC
  while rest do
    local node = rest.node
    if node.loop then
      if node.loop.word == "params" and not loops.params then
        loops.params, kind = node.loop, core.CC
      elseif node.loop.word == "calls" and loops.params and not loops.calls then
        loops.calls, kind = node.loop, core.SC
      end
    elseif not found[kind] then
      local firsts = firsts_of { node = node }
      if #firsts > 0 then
        if rest.rest and rest.rest.node.refers_to or kind == core.PC and firsts.ends and not node.recover then
          return nil -- a closer that goes on with a captured text is no literal, and one that may be absent is not the only one
        end
        found[kind] = node.recover or not firsts.ends -- false: it may be absent, and the next one stands there
        for _, entry in ipairs(firsts) do
          if not mark(entry.text, kind) and kind == core.PC then
            return nil
          end
        end
        named[kind] = rest.rest and rest.rest.node.word == "same" and rest.rest.rest or nil
      elseif firsts.open then
        return nil
      end
    end
    rest = rest.rest
  end
  return loops, named, found
end

--- What ends the name in a closer, by the chain after it; nil if nothing does, or there is no chain.
function M.closer(chain)
  local ends = follow.texts(firsts_of(chain))
  return #ends > 0 and { ends = set_of(ends) } or nil
end

--- How the parameters inside a parameter of a loop are written: see sluice__elements of core/program.h.
function M.elements(params, plan)
  local openers, list = {}, {}
  for _, found in ipairs(heads(chain_of(params, 1), nil, "key", {}, {})) do
    local chain = found.chain.rest
    while chain and chain.node.word ~= "value" do
      chain = chain.rest
    end
    local close, after = follow.literal_right(chain and chain.rest)
    local named = after and after.node.word == "same" and M.closer(after.rest) or nil
    list[#list + 1] = { key = head_of(found, "key"), closer = named, close = close and close:body(),
      pattern = plan.program:pattern(found.chain.node.pattern) }
    if not found.before[1] or not list[#list].key or not close then
      word.refuse(params, "nested parameters need an opener, a key, a value and a closer")
    end
    openers[#openers + 1] = found.before[#found.before]
  end
  local marks = follow.list(openers)
  for _, one in ipairs(list) do
    marks:add(one.close)
  end
  return { marks = set_of(marks), list = list, item = params.nested }
end

--- The kinds of literals around a value in `block`, with the chain `rest` after it; nil if the format has too few for the rule.
function M.spec(block, rest)
  local marks, any = roles.new(), { [""] = true, ['"'] = true }
  local function mark(text, kind) -- false: it is too short to be told from text
    return not any[text] and (marks.add(text, kind) or true)
  end
  local loops, named, found = closers_of(rest, mark)
  local params = loops and loops.params
  if not params or params.separator or found[core.PC] == nil or found[core.CC] == nil then
    return nil
  end
  local keys = heads(chain_of(params, 1), nil, "key", {}, {})
  local key = first_head(keys, "key")
  local name, name_openers = first_head(heads(chain_of(loops.calls or block, 1), nil, "name", {}, {}), "name")
  if not key or not name or firsts_of(chain_of(params, 1)).open then
    return nil
  end
  for _, found_key in ipairs(keys) do
    if not mark(found_key.before[#found_key.before] or "", core.PO) then
      return nil -- else a closer that is followed by this would not count
    end
  end
  for i, text in ipairs(name_openers) do
    mark(text, i == #name_openers and core.CO or core.MORE_OPENS)
  end
  if loops.calls then
    word.find(block, function(node) -- literals before the calls of a block open its section
      if node.body and not marks.index[node:body()] then
        mark(node:body(), core.SO)
      end
      return node.word == "calls"
    end)
  end
  return { marks = marks.set(), key = key, name = name, closer = M.closer(named[core.PC]), outer = M.closer(named[core.CC]) }
end

return M
