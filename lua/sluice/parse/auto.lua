--- The syntax `auto`: many at once. A block is tried with each syntax that has one beginning with the literal that stands there, on
-- the same held bytes; the first that announces a call is chosen, and the rest of the response is read by it alone. Until then
-- literals of all of them are looked for: reasoning, end-of-turn tokens and what else stands around calls.
--
-- A block that begins with JSON, or with a sign, tells no format by itself: such a call must be of a given tool (or of one that the
-- script names). Code fences and words at the start of a line open blocks only in the family "agent", whose own they are. Where the calls
-- of several begin alike, a name with no parameter behind it must be one, too.

local core = require "sluice.core"
local declared = require "sluice.parse.declared"
local compiler = require "sluice.parse.plan"

local M = {}
local sub = string.sub

-- The parts of a literal that several syntaxes have together; where a block may begin is each one's own.
local shared = { core.REASON, core.REASON_END, core.TURN_END, core.NOISE, core.NOISE_TAG, core.STRAY, core.TICK, core.LEADING }
local places = { core.AT_START, core.AT_LINE, core.INDENT, core.ALONE, core.TOLD }

-- Does the role (a number) hold this bit?
local function plays(role, bit)
  return role % (bit * 2) >= bit
end

-- What a role (a number of bits) says. There are few roles, and many literals.
local facts = setmetatable({}, {
  __index = function(known, role)
    local one = { shared = 0, places = {}, block = plays(role, core.BLOCK), reason = plays(role, core.REASON),
      stray = plays(role, core.STRAY),
      at_start = plays(role, core.AT_START), at_line = plays(role, core.AT_LINE), indented = plays(role, core.INDENT) }
    for _, part in ipairs(shared) do -- the parts that syntaxes have together
      one.shared = one.shared + (plays(role, part) and part or 0)
    end
    for _, part in ipairs(places) do
      one.places[#one.places + 1] = plays(role, part) and part or nil
    end
    known[role] = one
    return one
  end,
})

-- Words behind a fence that any code may have; a fence of another word says whose it is.
local common = { json = true, python = true, py = true, xml = true, bash = true, sh = true, javascript = true, js = true,
  typescript = true, yaml = true, text = true }

-- Is this literal a code fence that may be anybody's?
local function anybodys_fence(text)
  if text:sub(1, 3) ~= "```" then
    return false
  end
  local word = text:match "^```+(.*)$"
  return word ~= nil and (word == "" or common[word:match "^[%w_-]*"] or not word:find "^%w") and true or false
end

-- Are the fences and words that a syntax's blocks begin with its own?
local function of_agent(plan)
  return plan.syntax.family == "agent"
end

-- Is this too little to tell a format by?
local function is_sign(text)
  return #text < 2 and not text:find "[%w\128-\255]"
end

local nobody = {} -- is never changed
local head = 4 -- bytes by which literals are told apart first

-- Literals of this kind -> who has each, and as which item: { number, item, number, item, ... }; and for each beginning how long the
-- literals are that begin so, the shortest first.
local function index_of(members, kind)
  local index, lengths = {}, {}
  for number, plan in ipairs(members) do
    for item, text in ipairs(plan.literals[kind].list) do
      local entries = index[text]
      if not entries then
        entries = {}
        index[text] = entries
        local begins = text:sub(1, head)
        local list = lengths[begins] or { seen = {} }
        lengths[begins] = list
        if not list.seen[#text] then
          list.seen[#text] = true
          list[#list + 1] = #text
        end
      end
      entries[#entries + 1], entries[#entries + 2] = number, item
    end
  end
  for _, list in pairs(lengths) do
    table.sort(list)
  end
  return index, lengths
end

-- For each member (by its number) the longest of its literals that `text` begins with: what that syntax alone would find there.
local function longest_of(text, index, lengths)
  local best = {}
  local function take(n)
    local entries = index[sub(text, 1, n)]
    for i = 1, entries and #entries or 0, 2 do
      best[entries[i]] = entries[i + 1]
    end
  end
  for n = 1, math.min(head - 1, #text) do
    take(n)
  end
  for _, n in ipairs(#text >= head and lengths[sub(text, 1, head)] or nobody) do
    if n > #text then
      break
    end
    take(n)
  end
  return best
end

-- The literal of this number, if it may begin a block.
local function block_at(item, literals, fences)
  return facts[literals.role[item]].block and (fences or not anybodys_fence(literals.list[item])) and item or nil
end

-- Is there a literal that closes a call? Of two descriptions that read the same, the one that says more is meant.
local function closes(plan)
  for _, role in ipairs(plan.literals.text.role) do
    if facts[role].stray then
      return 1
    end
  end
  return 0
end

-- Who is asked first: syntaxes of their own before their dialects, those of many models before those of few.
local function order(a, b)
  if a.dialect ~= b.dialect then
    return b.dialect
  elseif a.models ~= b.models then
    return a.models > b.models
  elseif a.closes ~= b.closes then
    return a.closes > b.closes
  end
  return a.name < b.name
end

local function in_order(plans)
  local ranks, out = {}, {}
  for i, plan in ipairs(plans) do
    local syntax = plan.syntax
    ranks[i] = { plan = plan, dialect = syntax.parent ~= nil, models = #(syntax.models or {}), closes = closes(plan), name = syntax.name }
  end
  table.sort(ranks, order)
  for i, rank in ipairs(ranks) do
    out[i] = rank.plan
  end
  return out
end

-- Adds a member's literals to the sets of all. Who may have a block at the start of the message, and with which bytes, goes to `found`.
local function add_literals(sets, found, plan, number)
  local agent = of_agent(plan)
  for kind, set in pairs(sets) do
    local own = plan.literals[kind]
    for i, text in ipairs(own.list) do
      local fact = facts[own.role[i]]
      local word = not agent and (fact.at_start or fact.at_line) and text:find "^%w"
      if word and kind == "text" then -- too frequent to be looked for everywhere
        found.bare[#found.bare + 1] = { number = number, item = i, literal = core.set { text } }
        found.first[text:sub(1, 1)] = true
      end
      local part = fact.shared
      if part > 0 or not (word or (not agent and anybodys_fence(text))) then
        set.add(text, part)
      end
      if kind == "text" and fact.reason then
        set.add(text, core.PAIR * (found.by_opener[text] - 1))
      end
    end
  end
end

-- The same of calls without a marker: those that begin with JSON, or with their name.
local function add_bare(found, plan, number)
  local json = false
  for _, c in ipairs { "{", "[" } do
    if plan.literals.bare:find(c, 1, true) then
      found.first[c], json = true, true
    end
  end
  if json then
    found.bare[#found.bare + 1] = { number = number, weak = not plan.known }
  end
  if plan.literals.bare:find "%a" then -- a call that begins with its name: it must be a given tool's
    found.bare[#found.bare + 1] = { number = number, weak = true, named = true }
    for c in plan.literals.bare:gmatch "%a" do
      found.first[c] = true
    end
  end
end

-- What the members have together: their literals in `sets`; answers the pairs of reasoning, and what may begin without a marker.
local function gather(members, sets)
  local found = { pairs = {}, by_opener = {}, bare = {}, first = {}, fence_text = false }
  for number, plan in ipairs(members) do
    found.fence_text = found.fence_text or plan.syntax.fence == "text"
    for _, pair in ipairs(plan.literals.pairs) do
      if not found.by_opener[pair.open] then
        found.pairs[#found.pairs + 1] = pair
        found.by_opener[pair.open] = #found.pairs
      end
    end
    add_literals(sets, found, plan, number)
    add_bare(found, plan, number)
  end
  return found
end

-- Literals of this kind that are more than openers of blocks to some member.
local function more_than_openers(members, kind)
  local out = {}
  for _, plan in ipairs(members) do
    local own = plan.literals[kind]
    for i, text in ipairs(own.list) do
      out[text] = out[text] or facts[own.role[i]].shared > 0
    end
  end
  return out
end

-- Of a syntax and its dialects: which of them begin their first block with the literal that each has there (`longest`)? By the syntax.
local function leading(members, longest, kind)
  local out = {}
  for number, item in pairs(longest) do
    local plan = members[number]
    if plan.leads[plan.literals[kind].list[item]] then
      out[plan.syntax.parent or plan.syntax.name] = true
    end
  end
  return out
end

-- Who may have a block where this literal stands: { number, item, place } each; and how many of them ask for each place.
local function candidates_at(text, kind, members, others, index, lengths)
  local longest, numbers, any = longest_of(text, index, lengths), {}, false
  for number, item in pairs(longest) do
    numbers[#numbers + 1] = number
    any = any or facts[members[number].literals[kind].role[item]].block
  end
  if not any then
    return nobody, nobody
  end
  table.sort(numbers) -- members are asked in their order
  local candidates, place, late, quiet = {}, {}, {}, {}
  local leads = leading(members, longest, kind)
  for _, number in ipairs(numbers) do
    local plan = members[number]
    local literals = plan.literals[kind]
    local item = block_at(longest[number], literals, of_agent(plan))
    -- a sign that only begins what another syntax has there, such as `<` of `<think>`, says nothing against that
    local sign = item and is_sign(literals.list[item]) and not facts[literals.role[item]].at_line
    if sign and literals.list[item] ~= text and others[text] then
      item = nil
    elseif item and leads[plan.syntax.parent or plan.syntax.name] and not plan.leads[literals.list[item]] then
      item = nil -- it is a dialect's own form, which this one reads beside its own
    end
    if item then
      local fact = facts[literals.role[item]]
      local fence = literals.list[item]:match "^```%a*$" ~= nil
      local list = (sign or fence) and quiet or plan.late[literals.list[item]] and late or candidates
      list[#list + 1] = { number = number, item = item, weak = (sign or fence) and not plan.known, quiet = sign or fence,
        indented = fact.indented, at_start = fact.at_start, at_line = fact.at_line }
      for _, part in ipairs(fact.places) do
        place[part] = (place[part] or 0) + 1
      end
    end
  end
  for i = 1, #late + #quiet do -- whose opener it is comes first; what says little is asked last
    candidates[#candidates + 1] = late[i] or quiet[i - #late]
  end
  return candidates, place
end

-- For each literal of a set, who may have a block there.
local function candidates_of(set, kind, members, bare)
  local out, others = {}, more_than_openers(members, kind)
  local index, lengths = index_of(members, kind)
  for i, text in ipairs(set.list) do
    local candidates, place = candidates_at(text, kind, members, others, index, lengths)
    if candidates[1] then
      set.add(text, core.BLOCK)
      for _, part in ipairs(places) do
        if place[part] == #candidates then -- else only some ask for the place, and it is looked at there
          set.add(text, part)
        end
      end
    end
    if kind == "text" and (text == "{" or text == "[") and candidates[1] then -- the message may begin with a bare call, too
      local all = {}
      for _, one in ipairs(bare) do
        all[#all + 1] = { number = one.number, item = not one.literal and nil or one.item, literal = one.literal, weak = one.weak,
          at_start = true }
      end
      for _, one in ipairs(candidates) do
        all[#all + 1] = one
      end
      candidates = all
    end
    out[i] = candidates
  end
  return out
end

local function special_of(members)
  local special, listed = {}, {}
  for _, plan in ipairs(members) do
    for _, token in ipairs(plan.syntax.special or {}) do
      special[#special + 1] = not listed[token] and token or nil
      listed[token] = true
    end
  end
  return special[1] and core.set(special) or nil
end

local function bytes_of(first)
  local bytes = {}
  for c in pairs(first) do
    bytes[#bytes + 1] = c
  end
  return table.concat(bytes)
end

-- As a plan's: members whose openers are made of the tools' names are asked for theirs. Nil where there is none.
local function for_tools(name, members, uncounted)
  local asks = false
  for _, plan in ipairs(members) do
    asks = asks or plan.for_tools
  end
  return asks and declared.cache(function(tools)
    local own = {}
    for i, plan in ipairs(members) do
      own[i] = plan.for_tools and plan.for_tools(tools, not plan.code) or plan
    end
    return M.plan(name, own, uncounted)
  end) or nil
end

-- What of a plan is made where it is first asked for: streams with tools ask for another's.
local made_late = { format = true, literals = true, prompt_opens = true, many = true }

local function join(plan)
  local name, members = plan.syntax.name, plan.members
  local sets = { text = compiler.roles(), reasoning = compiler.roles(), closers = compiler.roles() }
  local found = gather(members, sets)
  local text = candidates_of(sets.text, "text", members, found.bare)
  local reasoning = candidates_of(sets.reasoning, "reasoning", members, found.bare)
  local format = core.format {
    name = name, several = true, special = special_of(members), text = sets.text.set(), reasoning = sets.reasoning.set(),
    closers = sets.closers.set(), pairs = found.pairs, fence = core.set { "\n```" }, fence_text = found.fence_text,
    bare = bytes_of(found.first), defaults = {},
  }
  plan.literals, plan.prompt_opens = sets, compiler.prompt_opens(found.pairs)
  plan.many = core.many { format = format, text = text, reasoning = reasoning, bare = found.bare }
  plan.format = format
end

--- auto.plan(name, plans[, uncounted]): the plan of a syntax that stands for all of these. `uncounted`: they are all of the library.
function M.plan(name, plans, uncounted)
  local members = in_order(plans)
  return setmetatable({ members = members, syntax = { name = name, blocks = {} }, namespaces = {}, keys = {},
    for_tools = for_tools(name, members, uncounted) }, {
    __index = function(plan, key)
      if made_late[key] and not rawget(plan, "format") then
        local _, message = core.counted(not uncounted, join, plan)
        if message then
          error(message, 0)
        end
      end
      return rawget(plan, key)
    end,
  })
end

return M
