--- Compiles parameters and their values to instructions: adds to the words of sluice.parse.emit.

local core = require "sluice.core"
local emit = require "sluice.parse.emit"
local follow = require "sluice.parse.follow"

local quoting = require "sluice.parse.quoting"

local parts, body_of, cons, chain_of = follow.parts, follow.body_of, follow.cons, follow.chain_of
local firsts_of, laters, texts, literal_last, literal_right = follow.firsts_of, follow.laters, follow.texts, follow.literal_last,
  follow.literal_right
local words, sequence = emit.words, emit.sequence

local NOTHING = "\0\1\0" -- never occurs in a text

-- The place of the key in a parameter's opener; and the opener's fixed keys.
local function key_in(opener)
  local at
  for k = 1, #opener do
    if opener[k].word == "key" or opener[k].word == "attributes" then
      at = k
    end
  end
  local fixed = {}
  local function find_fixed(word)
    if word.word == "value" and word.key then
      fixed[#fixed + 1] = word.key
    end
    for k = 1, #word do
      find_fixed(word[k])
    end
  end
  find_fixed(opener)
  return at, fixed
end

-- A question for the machine: the code of some words, then an answer.
local function probe(plan, ask, words_of_it)
  plan.program:defer(function()
    ask.probe = plan.program:here()
    sequence(plan, words_of_it, nil)
    plan.program:add "answer"
  end)
end

-- The question to ask before a literal ends a value; nil if its role decides.
local function ask_for(plan, entry, confirm, lines)
  local p = plan.program
  local follows = entry.rest and entry.rest.node
  if entry.opener then
    local at, fixed = key_in(entry.opener)
    if not at then
      return { kind = "fixed", fixed = fixed }
    end
    local head = {}
    for k = 1, math.min(at + 1, #entry.opener) do
      head[k] = entry.opener[k]
    end
    local ask = { kind = "key" }
    probe(plan, ask, head)
    return ask
  elseif follows and follows.word == "backref" then
    local after = entry.rest.rest
    local ask = { kind = "named", later = p:set(#confirm > 0 and confirm or { NOTHING }),
      -- if no literal can follow it, nothing can confirm it
      open = firsts_of(after and after.rest).open or #laters(after and after.rest) == 0 }
    probe(plan, ask, { entry.node, follows, after and after.node })
    return ask
  elseif entry.fence then
    return { kind = "fence" }
  elseif entry.at_line or lines then
    -- a literal that its line continues, as `*** Add File: `, is not the whole line
    local within = entry.node and entry.node.text and entry.node.text:match "[ \t]$" ~= nil
    return { kind = "line", later = p:set { entry.text }, indent = entry.at_line == "indent", within = within }
  end
end

-- The white space that a value drops at its sides, from the literals next to it.
local function edges(node, left, right)
  local lead, trail
  if left and not left.exact then
    local _, _, after = parts(left.text)
    lead = after ~= "" and after or nil
  end
  if right and not right.exact then
    local first = parts(right.text)
    trail = first ~= "" and first or nil
  end
  if node.newlines then
    return "\n", "\n"
  end
  return lead, trail
end

-- Options of a raw value, as bits for the core.
local function bits_of(node)
  return (node.fenced and core.FENCED or 0) + (node.unquoted and core.QUOTED or 0)
    + (node.entities == true and core.ENTITIES or node.entities and core.ANGLES or 0)
end

-- The openers of a call: a block's, or those of the next call in the list around it.
local function call_openers(plan, rest)
  local list, seen = {}, {}
  local function add(text)
    if not seen[text] then
      seen[text] = true
      list[#list + 1] = text
    end
  end
  for _, text in ipairs(plan.opener_list) do
    add(text)
  end
  while rest do
    if rest.node.word == "again" and rest.node.loop.word == "calls" then
      for _, text in ipairs(texts(firsts_of(chain_of(rest.node.loop, 1, nil)))) do
        add(text)
      end
    end
    rest = rest.rest
  end
  return list
end

function words.value(plan, node, rest, before)
  local p = plan.program
  local right = literal_right(rest)
  local spec = { key = node.key, to_line_end = node.to_line_end, trim = node.trim, asks = {}, as = bits_of(node), present = node.present,
    single = node.single, carry = node.carry }
  spec.lead, spec.trail = edges(node, literal_last(before), right)
  local acc, list, roles = firsts_of(rest), {}, {}
  local confirm = laters(rest)
  local last = {} -- by what follows an entry, which many share: true if nothing follows it, or anything
  for i, entry in ipairs(acc) do
    list[i] = entry.text
    local ask = ask_for(plan, entry, confirm, node.lines)
    spec.asks[i] = ask or false
    if ask then
      roles[i] = core.ASK
    elseif node.to_line_end and entry.text:sub(1, 1) == "\n" then
      roles[i] = core.FINAL
    else
      local behind = entry.rest or last
      if last[behind] == nil then
        last[behind] = #laters(entry.rest) == 0 or firsts_of(entry.rest).open or false
      end
      roles[i] = last[behind] and core.FINAL or core.CLOSER
    end
  end
  if #list == 0 then
    list, roles = { NOTHING }, { core.FINAL } -- ends only with its line or the text
  end
  local streamed = plan.block and not node.inline
  spec.quoting = streamed and quoting.spec(plan, plan.block, rest)
  local ends = { (unpack or table.unpack)(list) }
  local loop = follow.loop_around(rest)
  local anywhere = streamed and loop
  for _, role in ipairs(streamed and not (loop or plan.block.at or node.lines) and roles or {}) do
    anywhere = anywhere or role ~= core.FINAL -- it may have skipped a closer; else the first one ends it
  end
  for _, text in ipairs(anywhere and not spec.quoting and not node.to_line_end and call_openers(plan, rest) or {}) do
    if #text > 2 and not acc.seen[text] then -- quoted calls cannot be balanced here, and would yield parameters
      ends[#ends + 1] = text
      roles[#ends] = core.DOUBT
    end
  end
  spec.ends, spec.confirm = p:set(ends, roles), p:set(#confirm > 0 and confirm or list)
  list[#list + 1] = "["
  spec.may_be_whole = p:set(list) -- an array as JSON, or no value
  -- white space alone does not end a value of several lines: what follows it must match too
  local says_enough = right and (node.to_line_end or node.inline or right.text:find "%S")
  if says_enough and not follow.literal_right_is_named(rest) then
    -- only what the description says: for text that a grammar has constrained
    spec.strict_ends = p:set({ right.exact and body_of(right) or right.text }, { core.FINAL })
  end
  if node.inline then
    spec.pattern = p:pattern(node.pattern)
    p:add("held_value", { a = p:put("values", spec) })
    return
  end
  if loop and loop.nested then
    spec.elements = plan.elements[loop]
  end
  p:add("value", { a = p:put("values", spec) })
end

-- The lines of a list, as an array: `prefix` before each item, if any.
function words.items(plan, node, rest)
  local p = plan.program
  p:add("items", { a = p:put("values", { ends = p:set(texts(firsts_of(rest))), confirm = p:set { NOTHING }, asks = {} }),
    b = node.prefix and p:set { node.prefix } or nil })
end

-- An indented block without its indentation, line by line.
function words.block_text(plan, node)
  local p = plan.program
  if node.prefix then -- whole lines after a prefix
    p:add("lines", { a = p:set { node.prefix }, b = p:text(node.key) })
    return
  end
  p:add("block_text", { a = node.indent and p:set { (" "):rep(node.indent) } or nil, b = p:set { "\n" }, chomp = node.chomp })
end

-- Elements inside elements: their openers and closers. `spec` gets its addresses later.
local function elements(plan, loop, rest)
  local p = plan.program
  local list, seen = texts(firsts_of(chain_of(loop, 1, nil))), {}
  local spec = { openers = #list, item = loop.nested }
  for _, text in ipairs(list) do
    seen[text] = true
  end
  laters(rest, list, seen)
  for _, text in ipairs(plan.opener_list) do
    if not seen[text] then
      seen[text] = true
      list[#list + 1] = text
    end
  end
  spec.marks = p:set(list)
  for i = 2, #loop do
    if loop[i].word == "backref" then
      local closer = body_of(literal_last(loop[i - 1]))
      spec.closer, spec.behind = p:set { closer }, p:set(texts(firsts_of(chain_of(loop, i + 1, nil))))
      for k, text in ipairs(list) do
        spec.own_closer = text == closer and k - 1 or spec.own_closer
      end
    end
  end
  return spec
end

function words.parameters(plan, node, rest)
  local p = plan.program
  local openers, exits = firsts_of(chain_of(node, 1, nil)), firsts_of(rest)
  local list, spec = texts(openers), { openers = #openers, own = {}, open_ended = openers.open }
  for _, entry in ipairs(exits) do
    if not openers.seen[entry.text] then
      list[#list + 1] = entry.text
    end
  end
  spec.set, spec.listed = p:set(#list > 0 and list or { NOTHING }), #list
  local stops, seen, exit = {}, {}, {}
  for i, text in ipairs(list) do
    stops[i], seen[text] = text, true
  end
  for _, entry in ipairs(exits) do
    exit[entry.text] = entry.rest
  end
  for _, text in ipairs(laters(chain_of(node, 1, nil))) do
    local behind = exit[text]
    if behind and behind.node.word == "backref" and behind.node.what == "name" then
      spec.name_ends = p:set(texts(firsts_of(behind.rest)))
      for i = #openers + 1, #list do
        spec.named = list[i] == text and i - 1 or spec.named
      end
    end
    if not seen[text] then
      stops[#stops + 1] = text
      spec.own[#stops], seen[text] = true, true
    end
  end
  for _, text in ipairs(laters(rest, {}, seen)) do
    stops[#stops + 1] = text
  end
  for _, text in ipairs(plan.opener_list) do -- a new block ends this one
    if not seen[text] then
      stops[#stops + 1] = text
    end
  end
  spec.stops = p:set(#stops > 0 and stops or { NOTHING })
  local number = p:put("loops", spec)
  local inside
  if node.nested then
    inside = elements(plan, node, cons({ word = "again", loop = node }, rest))
    inside.number = p:put("elements", inside)
    plan.elements[node] = inside.number
  end
  p:add("params", { a = number })
  local next_at = p:here()
  local head = p:add("params_next", { a = number, b = next_at })
  spec.body = p:here()
  sequence(plan, node, cons({ word = "again", loop = node }, rest))
  p:add "params_back"
  head.c = p:here()
  p:add("params_bad", { a = number, b = next_at, c = p:set { "\n" } })
  spec.out = p:here()
  if inside then
    p:defer(function()
      inside.body, inside.next = spec.body, p:here()
      p:add("elements", { a = inside.number, c = p:here() + 1 })
      p:add("elements_bad", { a = inside.number })
    end)
  end
end
