--- The syntax `auto`, which combines others. At a literal, a block is tried with each syntax that has one beginning with it, on the same
-- held bytes. The first syntax that announces a call is chosen, and parses the rest of the response alone. Until then the literals of all
-- members are searched for: reasoning, end-of-turn tokens and others.
--
-- A block that begins with JSON, a sign or three of one does not identify a format: such a call must name a given tool (or one that the
-- script lists). Code fences at the start of the message, too; others, and words at the start of a line, open blocks only in the family
-- "agent". If the calls of several members begin alike, a name without parameters after it must be a given tool, too.
--
-- If openers are made from the tools' names, only the text before the name is searched for, and the member checks for its openers
-- itself: so the plan does not depend on the tools. If there is none, a name is looked for at the start of the message or of a line.

local core = require "sluice.core"
local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local roles = require "sluice.compile.roles"

local M = {}
local sub, has, is_sign = string.sub, lists.has, roles.is_sign

local places = { core.AT_START, core.AT_LINE, core.INDENT, core.ALONE, core.TOLD }

-- Words after a fence that any code can have; other words identify a format.
local common = lists.set "json python py xml bash sh javascript js typescript yaml text"

-- True if this literal is a code fence that does not identify a format; at the start of the message it may be around a call.
local function anybodys_fence(text, role)
  if text:sub(1, 3) ~= "```" or has(role, core.AT_START) then
    return false
  end
  local word = text:match "^```+(.*)$"
  return word ~= nil and (word == "" or common[word:match "^[%w_-]*"] or not word:find "^%w") and true or false
end

-- True if fences and words that begin blocks belong to the syntax.
local function of_agent(plan)
  return plan.syntax.family == "agent"
end

local nobody = {} -- never changed

-- What members search for, by text: { number, item } for a literal of one, { number, named } for a text before tools' names. That is
-- searched for in place of the openers that are made of them.
local function literals_of(members, kind)
  local out = {}
  local function add(text, one)
    out[text] = out[text] or {}
    out[text][#out[text] + 1] = one
  end
  for number, plan in ipairs(members) do
    for item, text in ipairs(plan.literals[kind].list) do
      if not plan.of_names[text] then
        add(text, { number = number, item = item })
      end
    end
    for _, opener in ipairs(plan.named) do
      add(opener.before, { number = number, named = opener })
    end
  end
  return out
end

-- By members' numbers, the literal that each finds alone where `text` stands, if it opens a block: its item; and that before tools' names,
-- where a sign must be all of the text: it begins too much that belongs to others. Also the numbers, in order.
local function openers_at(text, kind, members, literals)
  local items, named, numbers = {}, {}, {}
  for n = 1, #text do
    local begin = sub(text, 1, n)
    for _, one in ipairs(literals[begin] or nobody) do
      if one.item then -- the longest
        items[one.number] = has(members[one.number].literals[kind].role[one.item], core.BLOCK) and one.item or nil
      elseif n == #text or not is_sign(begin) then
        named[one.number] = one.named
      end
    end
  end
  for number in pairs(lists.copy(items, named)) do
    numbers[#numbers + 1] = number
  end
  table.sort(numbers) -- members are tried in their order
  return items, named, numbers
end

-- The plans in the order in which they are tried, and their names: parents before their dialects, syntaxes of many models before those of
-- few; of two descriptions that read the same, the one with more literals.
local function members_of(plans)
  local ranks, out = {}, {}
  for i, plan in ipairs(plans) do
    local syntax = plan.syntax
    local closes = lists.some(plan.literals.text.role, function(role)
      return has(role, core.STRAY)
    end)
    ranks[i] = ("%d %5d %d %s"):format(syntax.parent and 1 or 0, 99999 - (plan.models or #(syntax.models or nobody)), closes and 0 or 1,
      syntax.name)
    out[ranks[i]] = plan
  end
  table.sort(ranks)
  out = lists.map(ranks, function(rank) return out[rank] end)
  return out, lists.map(out, function(plan) return plan.syntax.name end)
end

-- Adds a member's literals to the common sets, and its calls without a marker to `found`. With these go those of blocks that need the start
-- of the message or of a line and begin with a word: too frequent to search for everywhere.
local function add_member(sets, found, plan, number, named)
  local agent, weak = of_agent(plan), not plan.known or nil
  local function add_bare(first, one, role)
    one.number = number
    local at = role and not has(role, core.AT_START) and 1 or #found.bare + 1 -- at the start alone, a name may have lost its opener
    table.insert(found.bare, at, one)
    table.insert(found.first, at, first)
  end
  local function add(kind, text, role)
    local own = role % core.BLOCK -- what members share: where a block can begin differs between them
    local word = not agent and (has(role, core.AT_START) or has(role, core.AT_LINE)) and text:find "^%w"
    if word and kind == "text" and not plan.thinks[text] then -- reasoning chooses no syntax
      add_bare(text:sub(1, 1), { literal = core.set { text } })
    end
    if own > 0 or not (word or (not agent and anybodys_fence(text, role))) then
      sets[kind].add(text, own)
    end
  end
  for kind in pairs(sets) do
    local own = plan.literals[kind]
    for i, text in ipairs(own.list) do
      local role = own.role[i]
      -- a plain tag or word that one format ignores, and words around its reasoning, are text in most others: only if the member is named
      local word, ends = text:find "^%w", role == core.NOISE or role == core.TURN_END
      local foreign = not named and not agent and (ends and text:find "^</?%a[%w-]*>$"
        or word and (ends or has(role, core.REASON) or kind == "text" and has(role, core.REASON_END)))
      if not plan.of_names[text] and not foreign then
        add(kind, text, role)
      end
    end
  end
  for _, opener in ipairs(plan.named) do
    if opener.before ~= "" then
      add("text", opener.before, opener.role)
      add("reasoning", opener.before, opener.role)
    else
      add_bare(roles.letters, { weak = weak, named = true }, opener.role)
      found.at_line = found.at_line or has(opener.role, core.AT_LINE)
    end
  end
  local bare = plan.literals.bare
  if bare:find "[{%[]" then
    add_bare((bare:gsub("[^{%[]", "")), { weak = weak, json = true, bare = true })
  end
  if bare:find "%a" then -- a call that begins with its name, which must be a given tool's
    add_bare((bare:gsub("%A", "")), { weak = true, named = true, bare = true })
  end
end

-- Collects the members' literals in `sets` (name: of the plan); returns the pairs of reasoning, and the calls without a marker.
local function gather(members, sets, name)
  local found, named = { pairs = {}, bare = {}, first = {}, fence_text = false }, "," .. name:sub(6) .. ","
  for number, plan in ipairs(members) do
    found.fence_text = found.fence_text or (plan.syntax.options or {}).fences == "text"
    for _, pair in ipairs(plan.literals.pairs) do
      local key = pair.open .. "\0" .. pair.close
      found.pairs[#found.pairs + 1] = not found[key] and pair or nil
      found[key] = true
    end
    add_member(sets, found, plan, number, named:find("," .. plan.syntax.name .. ",", 1, true))
  end
  return found
end

-- The candidates at this literal: { number, weak, quiet } each, whose own openers the core looks for (before those that begin a variant
-- with it, and signs last); and the number of them that require each place.
local function candidates_at(text, kind, members, literals)
  local items, named, numbers = openers_at(text, kind, members, literals)
  local out, variants, quiets, place, leads = {}, {}, {}, {}, {}
  for number, item in pairs(items) do -- of a syntax and its dialects: those whose first block begins with their literal here
    local plan = members[number]
    local family = plan.syntax.parent or plan.syntax.name
    leads[family] = leads[family] or plan.leads[plan.literals[kind].list[item]]
  end
  for _, number in ipairs(numbers) do
    local plan, opener = members[number], named[number]
    local own, role = plan.literals[kind].list[items[number]], plan.literals[kind].role[items[number]]
    local sign = own and (is_sign(own) or own:find "^(%p)%1%1$") and not has(role, core.AT_LINE)
    if own and (not of_agent(plan) and anybodys_fence(own, role)
      -- a dialect's own form, which this syntax also reads
      or leads[plan.syntax.parent or plan.syntax.name] and not plan.leads[own]) then
      own = nil
    end
    if own or opener then
      local quiet = own and (sign or own:find "^```%a*\n?$" ~= nil) or nil
      local list = quiet and quiets or own and not plan.leads[own] and variants or out
      list[#list + 1] = { number = number, weak = quiet and not plan.known or nil, quiet = quiet }
      local asked = own and opener and role ~= opener.role and core.BLOCK or own and role or opener.role -- each requires another place
      for _, part in ipairs(places) do
        place[part] = has(asked, part) and place[part] ~= false and not (quiet and part == core.TOLD)
      end
    end
  end
  return lists.joined(out, variants, quiets), place
end

-- The candidates at each literal of a set. known: those that were found; in reasoning they are the same.
local function candidates_of(set, kind, members, bare, known)
  local out, literals = {}, literals_of(members, kind)
  for i, text in ipairs(set.list) do
    known[text] = known[text] or { candidates_at(text, kind, members, literals) }
    local candidates, place = known[text][1], known[text][2]
    if candidates[1] then
      set.add(text, core.BLOCK)
      for _, part in ipairs(places) do
        if place[part] then -- if only some require the place, they check it
          set.add(text, part)
        end
      end
    end
    if kind == "text" and (text == "{" or text == "[") and candidates[1] then -- the message may also begin with a bare call
      candidates = lists.joined(bare, candidates)
    end
    out[i] = candidates
  end
  return out
end

-- What the core needs of a plan; candidates refer to members by number.
local function build(plan, members)
  local sets, at, known = { text = roles.new(), reasoning = roles.new(), closers = roles.new() }, {}, {}
  local found = gather(members, sets, plan.syntax.name)
  for _, text in ipairs(sets.closers.list) do -- what may end the turn instead, if nothing follows it
    sets.closers.add(text, has(sets.text.role[sets.text.index[text]] or 0, core.TURN_END) and core.TURN_END or 0)
  end
  for _, kind in ipairs { "text", "reasoning" } do
    at[kind] = candidates_of(sets[kind], kind, members, found.bare, known)
  end
  local sure, special = roles.new(), follow.list()
  for i, text in ipairs(sets.text.list) do -- these end a thought that words opened; the others hide shorter ones
    local role = sets.text.role[i]
    local ends = has(role, core.BLOCK) and (has(role, core.TOLD) or text:find "^<" or text:find ":$")
    sure.add(text, ends and role or core.STRAY)
  end
  for _, member in ipairs(members) do
    special:all(member.syntax.special or nobody)
  end
  plan.format = core.format { -- extra closers match after a block, and are not searched for
    name = plan.syntax.name, special = special[1] and core.set(special) or nil, text = sets.text.set(core.STRAY),
    watched = sets.text.watched(), reasoning = sets.reasoning.set(core.STRAY), closers = sets.closers.set(core.STRAY),
    sure = sure.set(core.STRAY),
    pairs = found.pairs, fence = core.set { "\n```" },
    fence_text = found.fence_text, bare = table.concat(found.first), bare_at_line = found.at_line, defaults = {},
  }
  plan.prompt_opens = roles.prompt_opens(found.pairs, sets.text)
  plan.many = core.many { format = plan.format, count = #members, text = at.text, reasoning = at.reasoning, bare = found.bare }
end

--- auto.plan(name, plans[, uncounted]): the plan of `auto` for these members. `uncounted`: all are the library's own. A member of the
-- index is loaded by its `load()` when it is first asked for.
function M.plan(name, plans, uncounted)
  local members, names = members_of(plans)
  local plan = { names = names, syntax = { name = name, blocks = {} } }
  function plan.for_mark()
    return nil, "a mark is for one syntax: name it instead of auto"
  end
  --- A member; its openers may be made from the names of the tools.
  function plan.member(number, tools)
    local one = members[number]
    one = one.load and one.load() or one
    return tools and one.outline_for and one.outline_for(tools) or one
  end
  local _, message = core.counted(not uncounted, build, plan, members)
  if message then
    error(message, 0)
  end
  return plan
end

--- auto.index(plans): a line for each plan, its name, its family, and as JSON what is asked above of it until it is chosen. The build keeps
-- these in the library, so that `auto` runs only the scripts whose openers it meets.
function M.index(plans)
  return lists.join(plans, function(plan)
    local syntax, own = plan.syntax, plan.literals
    local one = { leads = plan.leads, thinks = plan.thinks, of_names = plan.of_names, known = plan.known and true,
      models = #(syntax.models or {}), named = plan.named, literals = { pairs = own.pairs, bare = own.bare },
      syntax = { name = syntax.name, parent = syntax.parent, family = syntax.family, special = syntax.special,
        options = { fences = (syntax.options or nobody).fences } } }
    for _, kind in ipairs { "text", "reasoning", "closers" } do
      one.literals[kind] = { list = own[kind].list, role = own[kind].role }
    end
    return table.concat({ syntax.name, syntax.family or "model", core.json.encode(one) }, "\t")
  end, "\n")
end

return M
