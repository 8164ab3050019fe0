--- Computes what a raw value may quote of its own format, from the description around it: see core/quoting.h for the kinds of
-- literals, and core/op_quoted.c for the rule.

local core = require "sluice.core"

local follow = require "sluice.parse.follow"
local find = require("sluice.syntax").find

local M = {}

local firsts_of, chain_of, body_of, set_of = follow.firsts_of, follow.chain_of, follow.body_of, core.set

do

  local function header_word(node)
    return node.word == "name" or node.word == "key"
  end

  -- The word that holds a key or a name in a list of words, the chain after it, and the literals before it, in order.
  local function find_head(list, rest, what, before)
    for i, node in ipairs(list) do
      if header_word(node) and node.word == what then
        return node, chain_of(list, i + 1, rest), list[i + 1]
      elseif node.word == "attributes" then
        for _, pair in ipairs(node.list) do
          if pair[2].word == what then
            return node, chain_of(list, i + 1, rest), list[i + 1], pair[1]
          end
        end
      elseif node.word == "literal" then
        before[#before + 1] = body_of(node) ~= "" and body_of(node) or nil
      elseif node.word == "any" then
        for k = 1, #node do
          local so_far = {}
          for j, text in ipairs(before) do
            so_far[j] = text
          end
          local found, after, next_word, attribute = find_head({ node[k] }, chain_of(list, i + 1, rest), what, so_far)
          if found and so_far[1] then
            for j, text in ipairs(so_far) do
              before[j] = text
            end
            return found, after, next_word, attribute
          end
        end
      elseif #node > 0 and node.word ~= "parameters" then
        local found, after, next_word, attribute = find_head(node, chain_of(list, i + 1, rest), what, before)
        if found then
          return found, after, next_word, attribute
        end
      end
    end
  end

  -- How the head is written: nil if that is ambiguous.
  local function head_of(list, rest, what)
    local before = {}
    local node, after, next_word, attribute = find_head(list, rest, what, before)
    if not node or not before[1] then
      return nil
    end
    local acc = firsts_of(after)
    local ends = {}
    for _, entry in ipairs(acc) do
      ends[#ends + 1] = entry.text
    end
    if next_word and next_word.word == "literal" and next_word.text:sub(1, 1) == "\n" then
      ends[#ends + 1] = "\n"
    end
    if #ends == 0 or (acc.open and not attribute) then
      return nil
    end
    return { ends = set_of(ends), attribute = attribute }, before
  end

  -- Literals before the calls of a block: they open its section.
  local function before_calls(seq, list)
    for _, node in ipairs(seq) do
      if node.word == "calls" then
        return true
      elseif node.word == "literal" then
        list[#list + 1] = node
      elseif before_calls(node, list) then
        return true
      end
    end
  end

  --- The kinds of literals around a value in `seq`, a block of `plan`, with the chain `rest` after it; nil if the format has too few
  -- literals for the rule.
  function M.spec(plan, seq, rest)
    local kinds, order, tags = {}, {}, {}
    local function add(text, kind)
      if text ~= "" and text ~= "{" and text ~= "[" and text ~= '"' then
        if not kinds[text] then
          kinds[text] = 0
          order[#order + 1] = text
        end
        if kinds[text] % (kind * 2) < kind then
          kinds[text] = kinds[text] + kind
        end
      end
    end

    -- Along the chain: before the parameters' loop comes the closer of a parameter, then that of a call, then a section's.
    local parameters, calls
    local named = {} -- the chain after the name in a closer
    local found = { [core.PC] = false, [core.CC] = false, [core.SC] = false }
    local more_closers = {}
    local kind = core.PC
    local chain = rest
    while chain do
      local node = chain.node
      if node.word == "again" then
        if node.loop.word == "parameters" and not parameters then
          parameters, kind = node.loop, core.CC
        elseif node.loop.word == "calls" and parameters and not calls then
          calls, kind = node.loop, core.SC
        end
      elseif found[kind] and kind ~= core.PC then
        for _, entry in ipairs(firsts_of { node = node }) do
          more_closers[#more_closers + 1] = entry.text
        end
      elseif not found[kind] then
        local acc = firsts_of({ node = node })
        if #acc > 0 then
          found[kind] = true
          for _, entry in ipairs(acc) do
            add(entry.text, kind)
          end
          if chain.rest and chain.rest.node.word == "backref" then
            named[kind] = chain.rest.rest
          end
        elseif acc.open then
          return nil
        end
      end
      chain = chain.rest
    end
    if not parameters or parameters.nested or not found[core.PC] then
      return nil
    end
    local key, key_openers = head_of(parameters, nil, "key")
    local openers = firsts_of(chain_of(parameters, 1, nil))
    if not key or openers.open then
      return nil
    end
    add(key_openers[#key_openers], core.PO)
    tags[key_openers[#key_openers]] = key.attribute ~= nil
    -- Openers of calls: the first literals of the calls' loop, or of the block.
    local body = calls or seq
    local name, name_openers = head_of(body, nil, "name")
    if not name then
      return nil
    end
    for i, text in ipairs(name_openers) do
      add(text, i == #name_openers and core.CO or core.MORE_OPENS)
    end
    tags[name_openers[#name_openers]] = name.attribute ~= nil
    for _, text in ipairs(more_closers) do
      if not kinds[text] then
        add(text, core.MORE_CLOSES)
      end
    end
    if calls then
      local list = {}
      before_calls(seq, list)
      for _, node in ipairs(list) do
        local text = body_of(node)
        if not kinds[text] then
          add(text, core.SO)
        end
      end
    end
    for _, list in ipairs { plan.syntax.stop or {}, plan.syntax.ignored_tokens or {} } do
      for _, text in ipairs(list) do
        if not kinds[text] then
          add(text, core.TURN)
        end
      end
    end
    local roles = {}
    for i, text in ipairs(order) do
      roles[i] = kinds[text]
      if tags[text] and text:find "[%w_]$" then
        roles[i] = roles[i] + core.TAG
      end
    end
    for which, after in pairs(named) do
      local list = {}
      for i, entry in ipairs(firsts_of(after)) do
        list[i] = entry.text
      end
      named[which] = #list > 0 and { ends = set_of(list) } or nil
    end
    local others = {}
    find(parameters, function(node)
      local text = node.word == "literal" and body_of(node) or ""
      others[#others + 1] = text ~= "" and not kinds[text] and text or nil
    end)
    return core.quoting {
      marks = set_of(order, roles), others = others[1] and set_of(others),
      key = key, name = name, closer = named[core.PC], outer = named[core.CC],
      section = calls ~= nil and found[core.SC], separate = calls ~= nil and calls.separate_blocks,
    }
  end
end

-- A set of names, which may be empty.
local function set_of_names(list)
  return core.set(#list > 0 and list or { "\0" })
end

--- The names of the given tools, and the parameters that a tool declares, as sets.
function M.names(tools)
  if tools and not tools.name_set then
    local list = {}
    for _, tool in ipairs(tools.list) do
      list[#list + 1] = tool.name
    end
    tools.name_set = set_of_names(list)
  end
  return tools and tools.name_set
end

function M.keys(tool)
  if tool and not tool.key_set then
    local list = {}
    local properties = tool.parameters and tool.parameters.properties
    for key in pairs(type(properties) == "table" and properties or {}) do
      if type(key) == "string" and key ~= "" then
        list[#list + 1] = key
      end
    end
    tool.key_set = set_of_names(list)
  end
  return tool and tool.key_set
end

return M
