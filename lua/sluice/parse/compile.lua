--- Descriptions to parsers.
--
-- Each word becomes a function (st, c) -> boolean over the operations of the core (`st`, see
-- core/stream.h), with what is known of the call so far in `c`. Before the call is announced a word
-- that does not match answers false, and everything goes back to where it began; afterwards nothing
-- fails: what is missing is noted. What can follow a word is worked out here, once, from the chain of
-- words behind it.

local core = require "sluice.core"
local declared = require "sluice.parse.declared"
local schema = require "sluice.schema.types"
local validate = require "sluice.schema.validate"
local vocabulary = require "sluice.syntax"

local M = {}

-- Calls what a script brought. Only there are instructions counted: compiled descriptions end by themselves.
local guarded = core.guarded

local function fits(pattern, text)
  return guarded(pattern.match, pattern, text)
end

-- ---- Literals and chains -------------------------------------------------------------------

local function parts(text)
  local lead, body, trail = text:match "^(%s*)(.-)(%s*)$"
  return lead, body, trail
end

-- What a literal is looked for as: without the white space at its edges, unless it is exact.
-- The newline that ends an exact literal is the end of the line: blanks before it do not count.
local function body_of(node)
  if node.exact then
    return #node.text > 1 and node.text:match "^(.*)\n$" or node.text
  end
  local _, body = parts(node.text)
  return body
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
  text = true, header = true, items = true, block_text = true }

-- Marks every literal inside `exact` and notes what loops repeat.
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

-- The literals that can come first in a chain. Each entry: text, rest (the chain behind it), opener (the
-- parameters word that it begins again), node. acc.open: something else than a literal can come first.
local function firsts(chain, acc, opener)
  local passed = false -- something that should have stood was passed over
  while chain do
    local node, rest = chain.node, chain.rest
    local word = node.word
    if word == "literal" then
      local body = body_of(node)
      if body ~= "" then
        if not acc.seen[body] then
          acc[#acc + 1] = { text = body, rest = rest, opener = opener, node = node }
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
          acc[#acc + 1] = { text = text, rest = rest }
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
    elseif word == "declared" then
      for _, text in ipairs(node.texts) do
        if not acc.seen[text] then
          acc[#acc + 1] = { text = text, rest = rest, opener = opener, node = node }
          acc.seen[text] = acc[#acc]
        end
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

-- Every literal that can still come in a chain and begins something: what only closes a name's header does not.
local function laters(chain, list, seen)
  list, seen = list or {}, seen or {}
  local function collect(node, before)
    if node.word == "literal" and not (before and not before.is and (before.word == "name" or before.word == "key" or before.word == "backref"
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
    if node.loop then
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

-- The literal that a word meets first on its right, looking through wrappers.
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

-- Does that literal name what it closes?
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

local sets = setmetatable({}, { __mode = "v" })

-- A set of literals (and their roles), shared by content.
local function set_of(list, roles)
  local key = table.concat(list, "\0") .. "\1" .. table.concat(roles or {}, ",")
  local set = sets[key]
  if not set then
    set = core.set(list, roles)
    sets[key] = set
  end
  return set
end

local function texts(acc)
  local list = {}
  for i, entry in ipairs(acc) do
    list[i] = entry.text
  end
  return list
end

-- ---- Names ---------------------------------------------------------------------------------

local patterns

local function default_patterns(lpeg)
  if not patterns then
    local R, S = lpeg.R, lpeg.S
    patterns = {
      bare = vocabulary.ready((lpeg.P(1) - S " \t\r\n<>{}[]()\"'`,=|")^1 * -1),
      markerless = vocabulary.ready((R("az", "AZ", "09") + S "_-.:/")^1 * -1),
    }
  end
  return patterns
end

-- The name as the tools know it: exactly, then without a namespace of the format, then as the script mends it.
local function resolve(b, name)
  local tools, plan = b.tools, b.plan
  if tools and tools.by_name[name] then
    return name
  end
  for i = 1, #plan.namespaces do
    local prefix = plan.namespaces[i]
    if name:sub(1, #prefix) == prefix and #name > #prefix then
      name = name:sub(#prefix + 1)
      break
    end
  end
  if plan.mend_name and tools and not tools.by_name[name] then
    return guarded(plan.mend_name, name, tools.by_name) or name
  end
  return name
end

-- The parameters that the call was given so far, by their keys.
local function used(c)
  local keys = c.used
  if not keys then
    keys = {}
    c.used = keys
  end
  return keys
end

-- Where other formats' calls begin alike (set.shared: how many bytes are alike) a name right behind that, with no arguments,
-- shows nothing of this one: it must be a given tool's.
local function plain_call(st, c)
  local from, tools = c.b.begin + c.b.set.shared, c.b.tools
  return (c.name_start or 0) < from or st:text(from, c.name_start):find "%S" ~= nil
    or (tools and tools.by_name[resolve(c.b, c.name)]) ~= nil
end

-- Tells what was passed over as reasoning, now that it stands beside a call.
local function tell_reasoning(st, b)
  local said, back = b.said, st:pos()
  b.said = nil
  for _, from in ipairs(said or {}) do
    st:seek(from)
    st:speech(core.LENIENT, "reasoning")
    st:seek(back)
  end
end

-- Announces the call. False: it is none.
local function commit(st, c)
  local b = c.b
  if not c.name or c.name == "" then
    return false
  end
  local name = resolve(b, c.name)
  local known = b.tools and b.tools.by_name[name] or nil
  local code, message
  if not known then
    if c.pattern and not fits(c.pattern, name) then
      return false
    end
    if (b.tools or b.plan.known) and not (b.plan.known and not b.tools and b.plan.known[name]) then
      if b.markerless or b.opener_missing or b.plan.reserved or c.b.set.unknown_as_text then
        b.wrong = "there is no tool named " .. name
        return false
      end
      code, message = "unknown_tool", "there is no tool named " .. name
    end
  end
  tell_reasoning(st, b)
  local _, _, _, _, ok = st:begin(name, c.id or "", c.name_start or 0, c.name_end or 0, code, message)
  if not ok then
    return false
  end
  c.began, c.tool = true, known
  if known and known.parameters and c.b.set.validate then
    st:keep()
    c.kept = true
  end
  if b.opener_missing then
    st:lower "recovered"
  end
  for i = 1, c.held and #c.held or 0 do
    local held = c.held[i]
    used(c)[held.key] = true
    st:param(held.key)
    local types = schema.types(known, held.key, b.plan.untyped)
    st:param_typed(held.text, types.mask, core.LENIENT)
    if held.carry then
      st:carry(held.text)
    end
  end
  return true
end

-- ---- Words ---------------------------------------------------------------------------------

local compile

-- Are there exact literals in it? They decide, and are never taken as missing.
local function has_exact(node)
  return vocabulary.find(node, function(at)
    return at.exact
  end) ~= nil
end

-- What stands here must begin a line.
local function line_start(plan, indented)
  local function run(st, c)
    st:byte(true)
    return st:at_line(indented) or c.began
  end
  return plan.watch and plan.watch.step({ word = "at" }, run) or run
end

local function sequence(plan, seq, rest, first)
  local steps = { (seq.at == "line" or seq.at == "indent") and line_start(plan, seq.at == "indent") or nil }
  for i = first or 1, #seq do
    steps[#steps + 1] = compile(plan, seq[i], chain_of(seq, i + 1, rest), seq[i - 1])
  end
  local n = #steps
  local a, b, d = steps[1], steps[2], steps[3]
  if n == 3 then -- the most frequent, and so without the loop
    return function(st, c)
      return a(st, c) and b(st, c) and d(st, c)
    end
  end
  return function(st, c)
    for i = 1, n do
      if not steps[i](st, c) then
        return false
      end
    end
    return true
  end
end

local words = {}
local with_options, with_bits, fence_ends, with_key -- see sluice.parse.words_agents

-- Blanks and a newline at pos: true where they, or the end of the text, stand there.
local newline = core.set { "\n" }
local function end_line(st)
  local start = st:pos()
  local byte = st:byte(false)
  while byte == 32 or byte == 9 or byte == 13 do
    st:seek(st:pos() + 1)
    byte = st:byte(false)
  end
  if byte == 10 then
    st:accept(newline, true)
  elseif byte then
    st:seek(start)
    return false
  end
  return true
end

function words.literal(_, node)
  local body = body_of(node)
  if body == "" then
    return function()
      return true
    end
  end
  local set, exact = set_of { body }, node.exact
  if exact then
    local line, whole_line = node.text:match "\n$" ~= nil, node.text == "\n"
    return function(st, c)
      local start = st:pos()
      st:pin(true)
      local stands = whole_line or st:accept(set, true)
      if stands and line then
        stands = end_line(st) and (c.began or not st:option "at_end" or not whole_line)
      end
      if not stands then
        st:seek(start)
      end
      st:pin(false)
      return stands and true or false
    end
  end
  local unit = node.run and set_of { body:match "^[%z\1-\127\194-\244][\128-\191]*" }
  return function(st, c)
    local item = st:accept(set, exact)
    if item and unit then -- a run that is no multiple of the literal is something else
      local start, extra = st:pos(), 0
      while st:accept(unit, true) do
        extra = extra + 1
      end
      local size = (st:pos() - start) / math.max(extra, 1)
      st:seek(start)
      if extra * size % #body ~= 0 then
        item = nil
      end
    end
    c.missed = not item
    if item then
      return true
    elseif c.began then
      st:lower "recovered"
      return true
    end
    return false
  end
end

function words.any(plan, node, rest)
  local only_literals = true
  for i = 1, #node do
    only_literals = only_literals and node[i].word == "literal" and not node[i].run and body_of(node[i]) ~= ""
  end
  if only_literals then
    local list = {}
    for i = 1, #node do
      list[i] = body_of(node[i])
    end
    local set, exact = set_of(list), node[1].exact
    return function(st, c)
      if st:accept(set, exact) then
        return true
      elseif c.began then
        st:lower "recovered"
        return true
      end
      return false
    end
  end
  local run, by_item, list, other = {}, {}, {}, nil
  local in_order = false
  for i = 1, #node do
    in_order = in_order or has_exact(node[i])
    run[i] = compile(plan, node[i], rest)
    local acc = firsts_of(cons(node[i], nil))
    for _, entry in ipairs(acc) do
      list[#list + 1] = entry.text
      by_item[#list] = i
    end
    if acc.open or acc.ends then
      other = other or i
    end
  end
  local set = set_of(#list > 0 and list or { "\0" })
  return function(st, c)
    local start = st:pos()
    if c.began then
      if in_order then -- exact heads decide, and nothing is told before they have
        st:pin(true)
        for i = 1, #run do
          if run[i](st, c) then
            st:pin(false)
            return true
          end
          st:seek(start)
        end
        st:pin(false)
        return false
      end
      local item = st:peek(set)
      local i = item and by_item[item] or other
      return not i or run[i](st, c)
    end
    local saved = { name = c.name, id = c.id, held = c.held, pattern = c.pattern, extra = c.extra }
    for i = 1, #run do
      if run[i](st, c) then
        return true
      elseif c.began then
        return false
      end
      st:seek(start)
      c.name, c.id, c.held, c.pattern, c.extra = saved.name, saved.id, saved.held, saved.pattern, saved.extra
    end
    return false
  end
end

local function absent(kind)
  return function(plan, node, rest)
    local run = sequence(plan, node, rest)
    local acc = firsts_of(chain_of(node, 1, nil))
    local set = not acc.open and not acc.ends and #acc > 0 and set_of(texts(acc)) or nil
    local exact = set and acc[1].node and acc[1].node.exact
    return function(st, c)
      if set and not st:peek(set, exact) then
        if kind == "recoverable" then
          if c.began then
            st:lower "recovered"
          elseif not c.b.opened then
            c.b.opener_missing = true
          end
        end
        return true
      end
      local start = st:pos()
      if not c.began then
        c.b.opened = true
      end
      if run(st, c) then
        return true
      end
      if not c.began then
        st:seek(start)
      end
      return not c.began
    end
  end
end
words.optional, words.recoverable = absent "optional", absent "recoverable"

function words.sequence(plan, node, rest)
  return sequence(plan, node, rest)
end
words.exact = words.sequence

local blank = core.set { " ", "\t" }

-- Text on one line up to what may follow, trimmed; nil where there is none.
local function upto_follow(plan, node, rest, what)
  local acc = firsts_of(rest)
  local next_word = rest and rest.node
  local in_header = next_word and next_word.word == "value" and next_word.inline -- it then ends at a blank, too
  if in_header then
    acc = firsts_of(rest.rest)
    acc[#acc + 1], acc[#acc + 2] = { text = " " }, { text = "\t" }
  end
  if node.word == "name" and node.pattern and not node.pattern:match "a b" and not in_header then
    acc[#acc + 1], acc[#acc + 2] = { text = " " }, { text = "\t" } -- such a name is over at a blank
  end
  if acc.open then
    error(("%ss.%s: what it ends at cannot be told: no literal follows it directly; put one behind it"):format(node.place or "",
      node.word), 0)
  end
  local list = texts(acc)
  if #list == 0 then
    list[1] = "\n"
  end
  local set = set_of(list)
  local blanks = plan.lpeg.match
  local skip = vocabulary.ready(plan.lpeg.S " \t" ^ 0 * plan.lpeg.Cp())
  return function(st, limit, c)
    if in_header then
      while st:accept(blank, true) do end
    elseif what ~= "key" then
      st:byte(true)
    end
    local item, first, last = st:upto(set, limit, true)
    if not item then
      if last - first > limit then
        c.b.code, c.b.wrong = "limit_exceeded", "a name is longer than limit_name"
        return nil
      elseif last == first then
        return nil
      end
      st:seek(last)
      if st:option "at_end" then
        return nil
      end
    end
    local text = st:text(first, last)
    local from = blanks(skip, text)
    first = first + from - 1
    text = text:sub(from):gsub("%s+$", "")
    return text, first, first + #text
  end
end

function words.name(plan, node, rest)
  if node.is then -- nothing stands for it
    return function(_, c)
      c.name, c.name_start, c.name_end, c.pattern = node.is, 0, 0, nil
      return true
    end
  end
  local read = upto_follow(plan, node, rest, "value")
  local pattern = node.pattern or default_patterns(plan.lpeg).bare
  return function(st, c)
    local text, first, last = read(st, c.b.set.limit_name, c)
    if not text or text == "" then
      return false
    end
    c.name, c.name_start, c.name_end, c.pattern = text, first, last, pattern
    return true
  end
end

function words.key(plan, node, rest)
  local read = upto_follow(plan, node, rest, "key")
  return function(st, c)
    local text = read(st, c.b.set.limit_name, c)
    if not text or text == "" or (node.pattern and not fits(node.pattern, text)) then
      return false
    end
    c.key = text
    return true
  end
end

function words.id(plan, node, rest)
  local read = upto_follow(plan, node, rest, "value")
  return function(st, c)
    local text = read(st, c.b.set.limit_name, c)
    if not text then
      return false
    end
    c.id = text
    return true
  end
end

function words.header(_, node, rest)
  local acc = firsts_of(rest)
  local set = set_of(texts(acc))
  return function(st, c)
    local item, first, last = st:upto(set)
    if not item then
      return false
    end
    local got = fits(node.pattern, st:text(first, last))
    if type(got) ~= "table" or not got.name then
      return false
    end
    c.name, c.pattern, c.held, c.id = got.name, nil, {}, got.id
    if got.id == true then -- all of the header is the id
      c.id = st:text(first, last):match "^%s*(.-)%s*$"
    end
    c.name_start = got.at and first + got.at - 1 or 0
    c.name_end = got.at and c.name_start + #got.name or 0
    for _, pair in ipairs(got) do
      c.held[#c.held + 1] = { key = pair[1], text = pair[2] }
    end
    return true
  end
end

-- Attributes of a tag, in any order: name, value, and where the value begins.
local attribute_pattern

local function attributes_of(lpeg, text)
  if not attribute_pattern then
    local P, S, C, Cp, Ct = lpeg.P, lpeg.S, lpeg.C, lpeg.Cp, lpeg.Ct
    local blanks = S " \t\r\n"
    local value = '"' * Cp() * C((1 - P '"')^0) * '"' + "'" * Cp() * C((1 - P "'")^0) * "'"
      + Cp() * C((1 - S " \t\r\n\"'")^1) * lpeg.Cc(true)
    local one = Ct(C((1 - S " \t\r\n=\"'")^1) * blanks^0 * "=" * blanks^0 * value)
    attribute_pattern = vocabulary.ready(Ct((one + 1)^0))
  end
  return attribute_pattern:match(text)
end

local entities = { amp = "&", lt = "<", gt = ">", quot = '"', apos = "'" }

function words.attributes(plan, node, rest)
  local set = set_of(texts(firsts_of(rest)))
  local wanted, asks = {}, false
  for _, pair in ipairs(node.list) do
    wanted[pair[1]] = pair[2]
    asks = asks or pair[2].word == "name" or pair[2].word == "key"
  end
  return function(st, c)
    local item, first, last = st:upto(set, nil, false, true)
    if not item then
      return false
    end
    local seen = not asks
    for _, found in ipairs(attributes_of(plan.lpeg, st:text(first, last))) do
      local word, raw = wanted[found[1]], found[3]
      local value = found[4] and raw or raw:gsub("&(%a+);", entities)
      if word and word.word == "value" then
        c.held = c.held or {}
        c.held[#c.held + 1] = { key = word.key, text = node.entities and value or raw }
      elseif word and word.word == "name" and value ~= "" then
        c.name, c.name_start, c.name_end = value, first + found[2] - 1, first + found[2] - 1 + #raw
        c.pattern = found[4] and (word.pattern or default_patterns(plan.lpeg).bare) or nil
        seen = true
      elseif word and word.word == "key" and value ~= "" then
        c.key, seen = value, true
      elseif word and word.word == "type" then
        c.type = schema.mask_named(word.map and word.map[value] or value)
      end
    end
    return seen
  end
end

-- A piece of a header that fits a pattern and says nothing more.
function words.pattern(_, node, rest)
  local set = set_of(texts(firsts_of(rest)))
  return function(st)
    local item, first, last = st:upto(set)
    return item and fits(node.pattern, st:text(first, last)) ~= nil
  end
end

-- Text or reasoning up to what may follow, or the end.
local function content(kind)
  return function(plan, _, rest, before)
    local left, right = literal_last(before), literal_right(rest)
    local lead = left and select(3, parts(left.text)) or ""
    local trail = right and parts(right.text) or ""
    local list, seen = texts(firsts_of(rest)), {}
    for _, text in ipairs(list) do
      seen[text] = true
    end
    for _, text in ipairs(plan.line_openers) do -- JSON that may be a call where a line begins
      list[#list + 1] = "\n" .. text
    end
    for _, text in ipairs(plan.opener_list) do -- a new block ends it, too
      if not seen[text] then
        seen[text] = true
        list[#list + 1] = text
      end
    end
    local ends = set_of(#list > 0 and list or { "\0\1\0" })
    return function(st)
      st:content(ends, kind, lead ~= "" and lead or nil, trail ~= "" and trail or nil)
      return true
    end
  end
end
words.text, words.reasoning = content "text", content "reasoning"

function words.backref(_, node, rest, before)
  local acc = firsts_of(rest)
  local set = set_of(#acc > 0 and texts(acc) or { "\n" })
  local closer = literal_last(before)
  local back = closer and #body_of(closer) or 0
  local longer = {} -- other closers that begin with this one
  for _, text in ipairs(closer and laters(rest) or {}) do
    longer[#longer + 1] = #text > back and text:sub(1, back) == body_of(closer) and text or nil
  end
  local others = longer[1] and set_of(longer)
  return function(st, c)
    if closer and c.missed and c.began then -- what it would name is not there
      return true
    end
    local start, want = st:pos(), c[node.what]
    st:pin(true)
    local item, first, last = st:upto(set, c.b.set.limit_name, true)
    local found = item and st:text(first, last):match "^%s*(.-)%s*$"
    local right = found == want
    if found and not right and c.began and (c.enclosing and c.enclosing[found] or others) then
      st:seek(start - back) -- perhaps it closes what stands around this one
      if not (c.enclosing and c.enclosing[found]) and not st:peek(others) then
        st:seek(last)
      end
    elseif not right and not (item and c.began) then
      st:seek(start)
    end
    st:pin(false)
    if c.began and not right then
      st:lower "recovered"
    end
    return right or c.began
  end
end

-- ---- Values --------------------------------------------------------------------------------

-- A value of a parameter that may be repeated: its text, or JSON that was built of elements.
local function write_item(st, item, mask)
  if item.json then
    st:param_json(item.json)
  else
    st:param_typed(item.text, mask, core.LENIENT)
  end
end

-- The open parameter is an array: what was held of it goes out, and what follows is written as it comes.
local function open_array(st, open)
  if not open.array then
    open.array = true
    st:param_array(true)
    if open.held then
      write_item(st, open.held, open.types.array or open.types.mask)
    end
  end
end

-- A parameter that may be repeated is over.
local function flush(st, c)
  local open = c.repeated
  if not open then
    return
  end
  c.repeated = nil
  local item, types = open.held, open.types
  if open.array then
    st:param_array(false)
  elseif not types.array then
    write_item(st, item, types.mask)
  else -- all of an array, or its only item
    local whole = item.json and item.json:match "^%[" and item.json
      or item.text and item.text:match "^%s*%[" and st:typed(item.text, core.ARRAY, core.LENIENT)
    if whole then
      st:param_json(whole)
    elseif item.text and item.text:match "^%s*$" and types.array < core.STRING then
      st:param_json "[]"
    else
      open_array(st, open)
      st:param_array(false)
    end
  end
end

local function duplicate(st, key)
  st:error("duplicate_parameter", ("the parameter %s was given before; the first stands"):format(key))
end

-- The parameters word that a chain goes back to.
local function loop_around(chain)
  while chain do
    if chain.node.word == "again" then
      return chain.node.loop
    end
    chain = chain.rest
  end
end

-- An error inside a word that may still go back to its beginning: what was read so far is settled by it.
local function complain(st, code, message, status)
  st:flush()
  st:error(code, message)
  st:lower(status or "recovered")
end

-- Elements inside an element, of the same form as the parameters: a tree that is read whole and goes out as JSON.
-- Children of what the schema says is an array are its items, whatever they are called; others are members, and those
-- of one name are the items of an array. `read`: reads a leaf.
local function elements(plan, loop, rest, read)
  local openers = firsts_of(chain_of(loop, 1, nil))
  local list, is_opener, seen = texts(openers), {}, {}
  for i, text in ipairs(list) do
    is_opener[i], seen[text] = true, true
  end
  local closes = #list + 1 -- from here on: what closes an element, or ends them all
  laters(rest, list, seen)
  local marks = set_of(list)
  local own_closer, closer, behind -- a closer that names what it closes
  for i = 2, #loop do
    if loop[i].word == "backref" then
      closer = set_of { body_of(literal_last(loop[i - 1])) }
      behind = set_of(texts(firsts_of(chain_of(loop, i + 1, nil))))
      for k, text in ipairs(list) do
        own_closer = text == body_of(literal_last(loop[i - 1])) and k or own_closer
      end
    end
  end
  local self = {}

  -- Skips a closer of what is not open.
  local function skip_stray(st, c)
    local start = st:pos()
    st:accept(closer)
    local item, first, last = st:upto(behind, c.b.set.limit_name, true)
    if not item or c.enclosing[st:text(first, last):match "^%s*(.-)%s*$"] then
      st:seek(start)
      return false
    end
    st:accept(behind)
    complain(st, "stray_markup", "a closer too many was left out")
    return true
  end

  -- Do elements stand here, where a value of these types may be made of them?
  function self.begins(st, types)
    return not (types.declared and types.mask == core.STRING) and is_opener[st:peek(marks) or closes]
  end

  local function too_long(st, tree)
    if not tree.over then
      tree.over = true
      complain(st, "limit_exceeded", "what stands inside a parameter is longer than limit_value", "incomplete")
    end
  end

  -- The elements that stand here, as JSON: an array or an object, as the types allow.
  function self.children(st, c, s, types)
    local root, key, outer = c.tool and c.tool.parameters, c.key, c.tree
    local as_object = not types.declared or schema.allows(types.mask, core.OBJECT)
    local as_array = not types.declared or schema.allows(types.mask, core.ARRAY)
    local tree = { schema = s, root = root, depth = outer and outer.depth + 1 or 1, from = outer and outer.from or st:pos(),
      over = outer and outer.over }
    tree.items = not as_object and { schema.items_of(root, s) } or nil
    local open = setmetatable({ [key] = true }, { __index = c.enclosing })
    local around = c.enclosing
    c.tree, c.enclosing = tree, open
    while true do
      local item = st:peek(marks)
      local start = st:pos()
      if item and is_opener[item] then
        c.key = nil
        if not loop.body(st, c) then
          st:seek(start)
          st:accept(marks)
          complain(st, "stray_markup", "what begins here is no parameter")
        end
        if st:pos() - tree.from > c.b.set.limit_value then
          too_long(st, tree)
        end
      elseif item or not st:byte(true) then
        if not (item and item == own_closer and skip_stray(st, c)) then
          break
        end
      else
        st:junk(marks)
        complain(st, "stray_markup", "text between the parts of a call was left out")
      end
    end
    if outer and tree.over then
      outer.over = true
    end
    c.key, c.tree, c.enclosing = key, outer, around
    local out, all_items = {}, tree[1] ~= nil
    for _, child in ipairs(tree) do
      all_items = all_items and child.key == loop.nested
    end
    if as_array and (all_items or not as_object) then
      for i, child in ipairs(tree) do
        out[i] = child.is_item and "[" .. child.json .. "]" or child.json
      end
      return "[" .. table.concat(out, ",") .. "]"
    end
    local by_key = {}
    for _, child in ipairs(tree) do
      local same = by_key[child.key]
      if same then
        same[#same + 1] = child.json
        same.many = true
      else
        same = { key = child.key, many = child.is_item, child.json }
        by_key[child.key], out[#out + 1] = same, same
      end
    end
    for i, same in ipairs(out) do
      local value = table.concat(same, ",")
      out[i] = core.json.encode(same.key) .. ":" .. (same.many and "[" .. value .. "]" or value)
    end
    return "{" .. table.concat(out, ",") .. "}"
  end

  -- One element of a tree, from its value on.
  function self.member(st, c)
    local tree, key = c.tree, c.key
    local s
    if tree.items then
      s = tree.items[1]
    else
      s = schema.member(tree.root, tree.schema, key)
      if s == nil and key == loop.nested then
        s = schema.items_of(tree.root, tree.schema)
      end
    end
    local types = schema.types_of(tree.root, s, plan.untyped)
    local child = { key = key }
    if tree.depth < c.b.set.limit_depth and self.begins(st, types) then
      child.json = self.children(st, c, s, types)
    else
      local ok, long, text = read(st, c, core.CAPTURED, types.mask)
      child.is_item = types.array and not text:match "^%s*%[" -- of an array whose items stand side by side
      local json, mended = st:typed(text, child.is_item and types.array or types.mask, core.LENIENT, not ok)
      child.json = json or core.json.encode(text)
      if mended then
        complain(st, "repaired", "a value was written as JSON writes it")
      end
      if not ok or long then
        st:lower "incomplete"
      end
      tree.over = tree.over or long
    end
    if not tree.over then
      tree[#tree + 1] = child
    end
    return true
  end

  return self
end

function words.value(plan, node, rest, before)
  local left, right = literal_last(before), literal_right(rest)
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
    lead, trail = "\n", "\n"
  end
  local nested = loop_around(rest)
  nested = nested and nested.nested and nested
  local acc = firsts_of(rest)
  local list, roles, asks = {}, {}, {}
  local confirm, seen = {}, {}
  for _, text in ipairs(laters(rest, nil, seen)) do
    confirm[#confirm + 1] = text
  end
  for i, entry in ipairs(acc) do
    list[i] = entry.text
    local follows = entry.rest and entry.rest.node
    if entry.opener then
      roles[i] = core.ASK
      local opener = entry.opener
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
      local probe
      asks[i] = function(st, c)
        if not at then
          for _, key in ipairs(fixed) do
            if not used(c)[key] then
              return true
            end
          end
          return #fixed == 0
        end
        if not probe then
          local head = {}
          for k = 1, math.min(at + 1, #opener) do
            head[k] = opener[k]
          end
          probe = sequence(plan, head, nil)
        end
        local try = { b = c.b }
        if not probe(st, try) or not try.key or used(c)[try.key] or try.key == c.key then
          return false
        end
        return not c.tool or schema.declares(c.tool, try.key, plan.plural)
      end
    elseif follows and follows.word == "backref" then
      roles[i] = core.ASK
      local probe, later, after, last
      asks[i] = function(st, c)
        if not probe then
          probe = sequence(plan, { entry.node, follows, entry.rest.rest and entry.rest.rest.node }, nil)
          later = set_of(confirm)
          after = firsts_of(entry.rest.rest and entry.rest.rest.rest)
          last = #laters(entry.rest.rest and entry.rest.rest.rest) == 0 -- nothing is left that could confirm it
        end
        local start = st:pos()
        local try = { b = c.b, key = c.key, name = c.name }
        if probe(st, try) and (nested or c.b.set.strict or after.open or last or st:peek(later) or st:option "at_end" or not st:byte(true)) then
          return true
        end
        st:seek(start)
        return false
      end
    elseif entry.fence then
      roles[i] = core.ASK
      asks[i] = function(st, c)
        return fence_ends(st, c)
      end
    elseif entry.at_line or node.lines then
      -- What goes on behind it, as `*** Add File: ` does, is not all of its line.
      local within_line = entry.node and entry.node.text and entry.node.text:match "[ \t]$" ~= nil
      roles[i] = core.ASK
      asks[i] = function(st)
        local set = set_of { entry.text }
        return st:at_line(entry.at_line == "indent") and st:accept(set, true) and (within_line or end_line(st))
      end
    elseif #laters(entry.rest) == 0 or firsts_of(entry.rest).open then
      roles[i] = core.FINAL
    else
      roles[i] = core.CLOSER
    end
  end
  if #list == 0 then
    list, roles = { "\0\1\0" }, { core.FINAL } -- nothing ends it but its line or the text
  end
  local ends, confirmed = set_of(list, roles), set_of(#confirm > 0 and confirm or list)
  list[#list + 1] = "["
  local may_be_whole = set_of(list) -- an array as JSON, or nothing
  local line, trim, as = node.to_line_end, node.trim, with_bits(node)
  local exact_ends -- what the description says, and nothing else: for text that a grammar has constrained
  if right and not (literal_right_is_named(rest)) then
    exact_ends = set_of({ right.exact and body_of(right) or right.text }, { core.FINAL })
  end
  -- Answers whether its end was found, whether it grew too long to be captured, and what was.
  local function read(st, c, mode, mask)
    if exact_ends and c.b.set.strict then
      local _, _, _, kind, ok, text = st:value(exact_ends, exact_ends, lead, nil, mode, mask, core.LENIENT, line, trim, as)
      return ok, kind == 2, text
    end
    local item, _, _, kind, ok, text = st:value(ends, confirmed, lead, trail, mode, mask, core.LENIENT, line, trim, as)
    while kind == 1 do
      local decision = asks[item](st, c)
      item, _, _, kind, ok, text = st:go(decision, ends, confirmed, lead, trail)
    end
    return ok, kind == 2, text
  end
  if node.inline then
    return function(st, c)
      while not st:peek(ends, true) and st:accept(blank, true) do end
      local item, first, last = st:upto(ends, nil, true)
      local text = item and st:text(first, last)
      if text == "" and node.present then
        return true
      end
      local found = text and node.pattern and fits(node.pattern, text)
      if not text or (node.pattern and not found) then
        return false
      end
      text = type(found) == "string" and found or text
      c.held = { { key = node.key or c.key, text = text, carry = node.carry }, c.held and c.held[1] }
      return true
    end
  end
  if nested then
    nested = elements(plan, nested, rest, read)
  end
  return function(st, c)
    if not c.began and not commit(st, c) then
      return false
    end
    local key = node.key or c.key
    if node.present then -- white space alone is none
      local here = st:pos()
      st:pin(true)
      st:byte(true)
      local none = st:peek(ends)
      if not none then
        st:seek(here)
      end
      st:pin(false)
      if none then
        return true
      end
    elseif node.single and c.tool then
      key = schema.single(c.tool, key)
    end
    if c.tree then
      return nested.member(st, c)
    end
    if plan.plural and c.tool then
      key = schema.plural(c.tool, key)
    end
    local types = schema.types(c.tool, key, plan.untyped)
    local open = c.repeated
    if open and (open.key ~= key or node.key) then
      flush(st, c)
      open = nil
    end
    local mask = c.type or types.mask
    c.type = nil
    local mode, may_repeat = core.TYPED, plan.repeats and not node.key and (types.array or not types.declared)
    local built = nested and nested.begins(st, types)
      and nested.children(st, c, schema.property(c.tool, key), types)
    if used(c)[key] and not open then
      duplicate(st, key)
      mode = core.DISCARDED
    elseif open then
      open_array(st, open)
      mask = types.array or types.mask
    else
      st:param(key)
      if may_repeat and types.array and not built and not st:peek(may_be_whole) then
        c.repeated = { key = key, types = types }
        open_array(st, c.repeated)
        mask = types.array
      elseif may_repeat then
        mode = core.CAPTURED
      end
    end
    used(c)[key] = true
    if built then
      if mode == core.CAPTURED then
        c.repeated = { key = key, types = types, held = { json = built } }
      elseif mode ~= core.DISCARDED then
        st:param_json(built)
      end
      return true
    end
    local ok, long, text = read(st, c, mode, mask)
    if mode == core.CAPTURED and not long then
      c.repeated = { key = key, types = types, held = { text = text } }
    end
    if not ok then
      st:lower "incomplete"
    end
    return true
  end
end

-- The lines of a list, as an array: `prefix` before each item, if any.
function words.items(plan, node, rest)
  local list = texts(firsts_of(rest))
  local ends = set_of(list)
  local none = set_of { "\0\1\0" }
  local prefix = node.prefix and set_of { node.prefix }
  return function(st, c)
    local types = schema.types(c.tool, c.key, plan.untyped)
    local mask = types.array or core.STRING
    if c.repeated and c.repeated.key ~= c.key then
      flush(st, c)
    end
    local open = c.repeated
    if used(c)[c.key] and not open then
      duplicate(st, c.key)
      return true
    end
    used(c)[c.key] = true
    if not open then
      open = { key = c.key, types = { array = mask, mask = types.mask } }
      st:param(c.key)
    end
    local some = false
    while true do
      st:byte(true)
      if prefix then
        if not st:accept(prefix) then
          break
        end
      elseif st:peek(ends) then
        break
      end
      if not st:byte(false) then
        break
      end
      some = true
      open_array(st, open)
      local _, _, _, _, ok = st:value(none, none, nil, nil, core.TYPED, mask, core.LENIENT, true, false)
      if not ok then
        st:lower "incomplete"
        break
      end
      st:accept(newline, true)
    end
    if not some and prefix and not open.held then -- `key:` and no list: an empty value
      st:param_typed("", types.declared and types.mask or core.STRING, 0)
      return true
    end
    open_array(st, open)
    c.repeated = open
    return true
  end
end

-- An indented block, without its indentation, a line at a time. Its last newline stays unless `chomp`.
function words.block_text(plan, node, rest)
  if node.prefix then
    return words.prefixed(plan, node, rest)
  end
  local indent = node.indent or 2
  local margin = set_of { (" "):rep(indent) }
  return function(st, c)
    local again = used(c)[c.key]
    if again then
      duplicate(st, c.key)
    else
      flush(st, c)
      used(c)[c.key] = true
      st:param(c.key)
      st:param_part("")
    end
    local pending = "" -- empty lines, and the newline that may be the last
    local some = false
    while true do
      local inside = st:accept(margin, true)
      local start = st:pos()
      if not inside and st:byte(false) ~= 10 then
        break
      end
      local ended, first, last = st:upto(newline, nil, false)
      if not ended then
        st:seek(last)
        st:lower "incomplete"
      end
      local text = st:text(first, last):gsub("\r$", "")
      if not again and (inside or text ~= "") then
        st:param_part(pending .. text)
        pending, some = "", true
      end
      if not ended then
        break
      end
      pending = pending .. "\n"
      st:accept(newline, true)
      if st:pos() == start then
        break
      end
    end
    if not again then
      st:param_part(some and not node.chomp and "\n" or "", true)
    end
    return true
  end
end

-- A section at the start of the message that is reserved for calls, up to its closing literal. What is no call in it
-- is markup; without the closer there is no section, unless the text ends behind a whole JSON value.
function words.section(plan, node)
  local list = {}
  for i, text in ipairs(node.close) do
    list[i] = text:match "^%s*(.-)%s*$"
  end
  local close = set_of(list)
  local fence, fence_end = set_of { "```json", "```" }, set_of { "```" }
  local array = sequence(plan, { node[1] }, nil)
  local object = sequence(plan, { { word = "calls", once = true, node[2] } }, nil)
  return function(st, c)
    local start = st:pos()
    st:accept(fence)
    local from = st:pos()
    local byte = st:byte(true)
    if st:accept(close) then -- an empty section
      st:flush()
      st:drop_after(node.after or "")
      return true
    elseif byte ~= 91 and byte ~= 123 then -- [ {
      return false
    end
    local _, _, _, _, whole = st:skip(core.LENIENT)
    local stop
    if whole then
      st:accept(fence_end)
      stop = st:pos()
      whole = st:peek(close) or (not c.b.set.several and not st:byte(true)) -- else it may be anybody's JSON
      if not whole then
        return false
      end
    else
      st:seek(start)
      if not st:junk(close) then
        return false
      end
      stop = st:pos()
    end
    st:seek(from)
    if whole then
      c.b.reserved = true
      local run = byte == 91 and array or object
      if not run(st, c) and not c.began then
        st:flush()
      end
      if byte == 123 then
        st:error("repaired", "a single call stood where a list of them should")
      end
    end
    if not c.b.any and not (whole and st:text(from, stop):match "^%s*%[%s*%]") then
      st:seek(stop)
      st:flush()
      st:error("invalid_call", c.b.wrong or "what stands before the delimiter is no list of calls")
    end
    if stop > st:pos() then
      st:seek(stop)
    end
    st:accept(close)
    st:flush()
    st:drop_after(node.after or "")
    return true
  end
end

function words.parameters(plan, node, rest)
  local again = { word = "again", loop = node }
  local body = sequence(plan, node, cons(again, rest))
  node.body = body -- for elements inside elements
  local openers = firsts_of(chain_of(node, 1, nil))
  local exits = firsts_of(rest)
  local list, is_opener = texts(openers), {}
  for i = 1, #list do
    is_opener[i] = true
  end
  for _, entry in ipairs(exits) do
    if not openers.seen[entry.text] then
      list[#list + 1] = entry.text
    end
  end
  local stops = {}
  for _, text in ipairs(list) do
    stops[#stops + 1] = text
  end
  local later, seen = {}, {}
  for _, text in ipairs(stops) do
    seen[text] = true
  end
  local own = {}
  for _, text in ipairs(laters(chain_of(node, 1, nil))) do
    if not seen[text] then
      stops[#stops + 1] = text
      own[#stops], seen[text] = true, true
    end
  end
  laters(rest, later, seen)
  for _, text in ipairs(later) do
    stops[#stops + 1] = text
  end
  for _, entry in ipairs(plan.opener_list) do -- a new block means that this one is over
    if not seen[entry] then
      stops[#stops + 1] = entry
    end
  end
  local set, stop_set = set_of(list), set_of(stops)
  local open_ended = openers.open
  return function(st, c)
    if not c.began then
      if c.b.opener_missing and not st:peek(set) then
        return false -- without its opener a call needs the structure behind its header
      end
      if c.b.set.shared then
        local item = st:peek(set)
        if not (item and is_opener[item]) and not ((item or not st:byte(true)) and plain_call(st, c)) then
          return false
        end
      end
      if not commit(st, c) then
        return false
      end
    end
    while true do
      if open_ended then
        st:byte(true)
      end
      local item = st:peek(stop_set)
      if item and is_opener[item] or (open_ended and not item and st:byte(true)) then
        local start = st:pos()
        c.key = nil
        st:pin(true)
        local read = body(st, c)
        st:pin(false)
        if not read then
          st:seek(start)
          if item then
            st:accept(set)
          elseif not st:junk(newline) then
            break
          end
          st:error("stray_markup", "what begins here is no parameter")
          st:lower "recovered"
        end
      elseif item and item <= #list then
        break
      else
        local more = st:byte(true)
        local start = st:pos()
        local stop = more and st:junk(stop_set)
        if st:pos() > start and more then
          st:error("stray_markup", "text between the parts of a call was left out")
          st:lower "recovered"
        end
        if not stop then
          break
        elseif stop > #list then
          if not own[stop] then
            break
          end
          st:accept(stop_set) -- a closer of a parameter that has none open
          st:error("stray_markup", "a closer too many was left out")
          st:lower "recovered"
        end
      end
    end
    flush(st, c)
    return true
  end
end

-- ---- JSON ----------------------------------------------------------------------------------

local colon, comma, open_brace, close_brace = core.set { ":", "=" }, core.set { "," }, core.set { "{" }, core.set { "}" }
local encoded = core.set { '"{', '" {', '"\\n', '"\n', "'{", '""', "''", '"\\u007b', '"\\t{', '"\\"{' }
local nothing = core.set { "null", "None", '""', "''" }
local QUOTE, QUOTE2 = 34, 39
local is_quote = { [34] = true, [39] = true, [96] = true }
local LETTERS = {}
for i = 0, 255 do
  local ch = string.char(i)
  LETTERS[i] = ch:match "[%w_$@]" ~= nil or i >= 128
end

-- Streams the arguments that begin at pos, with `byte`; the call is announced. True where they are readable; else false,
-- and where they stop being so: whether inside a value, and why.
local typed_arguments

local function stream_arguments(st, c, node, flags, byte)
  byte = byte or st:byte(true)
  if c.tool and not node.kwargs and byte == 123 and c.b.set.types then
    return typed_arguments(st, c, node, flags)
  end
  local is_string = byte ~= 123 and st:peek(encoded) ~= nil
  local item, _, _, kind, ok, why = st:arguments(flags, node.kwargs and core.TOP_KWARGS or core.TOP_OBJECT, node.quote, is_string)
  if ok then
    return true
  end
  local cut = item % 2 == 0
  if item > 2 then
    st:error("limit_exceeded", "the arguments are nested too deep, or a number in them is too long")
  end
  if kind == core.READ_MORE then
    st:lower(cut and "incomplete" or "recovered")
    return false
  end
  return false, cut, why
end

-- Arguments read member by member, each value typed by the tool's schema where it stands in a string: what the option
-- `types = "schema"` asks for. As stream_arguments.
function typed_arguments(st, c, node, flags)
  st:byte(true)
  st:accept(open_brace)
  flags = c.b.set.repairs and flags or (node.quote and core.BARE or 0)
  while true do
    local byte = st:byte(true)
    if byte == 125 then
      st:accept(close_brace)
      return true
    elseif byte == 44 then
      st:accept(comma)
    else
      local start = st:pos()
      st:pin(true)
      local _, _, _, _, ok, key = st:string(flags, node.quote, c.b.set.limit_header)
      if not (ok and st:accept(colon) and st:byte(true)) then
        st:seek(start)
        st:pin(false)
        st:lower(st:byte(true) and "recovered" or "incomplete")
        return false, st:byte(true) and true or nil
      end
      local types = schema.types(c.tool, key, "json")
      local first, text = st:pos(), nil
      local quote = st:byte(true)
      if types.declared and types.mask < core.STRING and (quote == QUOTE or quote == QUOTE2) then
        local _, _, _, _, read, decoded = st:string(flags, node.quote, c.b.set.limit_value)
        text = read and decoded
        if not text then
          st:seek(first)
        end
      end
      st:pin(false)
      if used(c)[key] then
        duplicate(st, key)
      end
      used(c)[key] = true
      st:param(key)
      if text then
        st:param_typed(text, types.mask, core.LENIENT)
      else
        local item, _, _, kind, good, why = st:json(flags, node.quote)
        if not good then
          if kind == core.READ_MORE then
            st:lower "incomplete"
            return false
          end
          return false, item % 2 == 0, why
        end
      end
    end
  end
end

-- What stands where arguments are due, which begins with `byte`: "object", "nothing", or nil for what is neither.
local function look_at_arguments(st, byte)
  if byte == 123 then
    return "object"
  elseif byte == QUOTE or byte == QUOTE2 then
    local item = st:peek(encoded)
    if item == 6 or item == 7 then
      return "nothing"
    end
    return item and "object" or nil
  elseif byte == 110 or byte == 78 then
    return st:peek(nothing) and "nothing" or nil
  end
  return nil
end

-- Does an object begin here, with a key and a colon, or its end?
local function begins_object(st)
  local start = st:pos()
  if st:byte(true) ~= 123 then
    return true -- a string that holds one, or nothing
  end
  local _, _, to, instead, ok = st:member(core.LENIENT, nil, true)
  local good = ok and st:text(to, st:pos()):find "[:=]" or not ok and (instead == 125 or instead == 0)
  st:seek(start)
  return good
end

-- The arguments stopped being readable: is only a closer missing, with the format's own closer here?
local function mend(st, cut, enders, why)
  if not cut and (enders and st:peek(enders) or not st:byte(true)) then
    st:lower "recovered"
    return
  end
  st:error("bad_arguments", "the arguments stop being readable" .. (why and ": " .. why or ""))
  st:lower "incomplete"
end

function words.arguments(plan, node, rest)
  local raw = node.raw and words.value(plan, { word = "value", key = node.raw, trim = true, unquoted = true, single = true }, rest)
  local after = laters(rest)
  local enders = #after > 0 and set_of(after) or nil
  local resync = {}
  for _, text in ipairs(after) do
    resync[#resync + 1] = text
  end
  for _, text in ipairs(plan.opener_list) do
    resync[#resync + 1] = text
  end
  local resync_set = #resync > 0 and set_of(resync) or nil
  local flags = core.LENIENT
  if node.kwargs then
    flags = flags + core.PYTHON
  end
  return function(st, c)
    local what = node.kwargs and "object" or look_at_arguments(st, st:byte(true))
    if raw and st:byte(true) and (what == nil or not begins_object(st)) then
      return raw(st, c)
    end
    if not what and not c.began then
      if not (enders and st:peek(enders)) or (c.b.set.shared and not plain_call(st, c)) then
        return false
      end
      what = "empty"
    end
    if not c.began and not commit(st, c) then
      return false
    end
    if what == "nothing" then
      st:accept(nothing)
    elseif what == "object" then
      local ok, cut, why = stream_arguments(st, c, node, flags)
      if not ok and cut ~= nil then
        mend(st, cut, enders, why)
        if resync_set and st:status() == "incomplete" then
          st:junk(resync_set)
        end
      end
    elseif what == nil then
      if not (enders and st:peek(enders)) and st:byte(true) then
        st:error("bad_arguments", "no object stands where the arguments should")
        st:lower "incomplete"
        if resync_set then
          st:junk(resync_set)
        end
      elseif not st:byte(true) then
        st:lower "recovered"
      end
    end
    return true
  end
end

-- JSON as a model wrote it, as JSON on one line.
local function as_strict(st, text)
  local value = core.json.decode(text, { exact = true })
  if value ~= nil then
    return text:find "[\r\n]" and core.json.encode(value) or text
  end
  local json = st:typed(text, core.ANY_TYPE - core.STRING, core.LENIENT)
  return json and not json:find "[\r\n]" and json or core.json.encode(core.json.decode(json or "", { exact = true }) or text)
end

local function keys_of(given, default)
  local map, list = {}, {}
  if given == nil then
    given = default
  end
  if given == false or given == nil then
    return map, nil
  end
  for _, key in ipairs(type(given) == "table" and given or { given }) do
    map[key] = true
    list[#list + 1] = key
  end
  return map, list[1]
end

function words.object(plan, node, rest)
  local name_keys = keys_of(node.name, "name")
  local argument_keys = keys_of(node.arguments, "arguments")
  local id_keys = keys_of(node.id)
  local extra_keys = {}
  for _, pair in ipairs(node.extra or {}) do
    extra_keys[pair[1]] = true
  end
  local flags = core.LENIENT + (node.python and core.PYTHON or 0)
  local after = laters(rest)
  for _, text in ipairs(plan.opener_list) do
    after[#after + 1] = text
  end
  local enders = #after > 0 and set_of(after) or nil
  local brace_follows = false -- that of an object around this one
  for _, entry in ipairs(firsts_of(rest)) do
    brace_follows = brace_follows or entry.text:sub(1, 1) == "}"
  end

  local function refuse(c, why)
    c.b.wrong = c.b.wrong or why
    return false
  end

  -- The arguments, which begin with `byte`. True; else "cut", or "broken" and what stream_arguments says of it.
  local function read_arguments(st, c, byte)
    if not commit(st, c) then
      return false
    end
    local good, cut, why = stream_arguments(st, c, node, flags, byte)
    return good or (cut ~= nil and "broken" or "cut"), cut, why
  end

  local member
  local agent = with_options(plan, node, { flags = flags, name_keys = name_keys, argument_keys = argument_keys, id_keys = id_keys,
    extra_keys = extra_keys, commit = commit, tell_reasoning = tell_reasoning, look = look_at_arguments })

  -- One key and its value. "end": the object is over; false: it cannot be read; else as read_arguments.
  function member(st, c, opens)
    local start = st:pos()
    local byte, from, to, instead, ok, key = st:member(flags, node.quote, opens)
    c.object_at = opens and start or c.object_at
    if not ok then
      return instead == 125 and "end" -- }
    elseif agent then
      local state, cut, why = agent(st, c, key, byte)
      if state ~= nil then
        return state, cut, why
      end
    end
    if node.name_as_key and not c.name then
      c.name, c.name_start, c.name_end, c.pattern = key, from + 1, to - 1, nil
      return look_at_arguments(st, byte) == "object" and read_arguments(st, c, byte)
    elseif name_keys[key] and not c.name then
      if not is_quote[byte] then
        return false
      end
      local _, first, last, long, read, text = st:string(flags, node.quote)
      if long == 1 then
        c.b.code = "limit_exceeded"
        return refuse(c, "the name is longer than limit_name")
      elseif not read or text == "" then
        return refuse(c, "the name is no plausible name")
      end
      c.name, c.name_start, c.name_end, c.pattern = text, first + 1, last - 1, nil
      if c.passed then -- members that are arguments: from the beginning again
        st:seek(c.object_at)
        return member(st, c, true)
      end
      return true
    elseif argument_keys[key] and not c.given then
      local what = look_at_arguments(st, byte)
      if not what then
        return refuse(c, "the arguments are no object")
      end
      c.given = true
      if c.seen then
        c.seen[key] = byte
      end
      if what == "nothing" then
        st:accept(nothing)
        return true
      elseif c.name and not c.seen then
        return read_arguments(st, c, byte)
      end
      local _, first, _, _, read = st:skip(flags, node.quote) -- they come before the name: held
      c.arguments_at = first
      return read
    end
    local _, first, last, kind, read = st:skip(flags, node.quote)
    if not read then
      return false
    end
    if id_keys[key] then
      local text = st:text(first, last)
      c.id = kind == QUOTE and core.json.decode(text) or text
    end
    if extra_keys[key] then
      c.extra = c.extra or {}
      c.extra[key] = as_strict(st, st:text(first, last))
    end
    if c.seen then
      c.seen[key] = kind
    end
    return true
  end

  -- Are the fields there that the script requires, and of their kind?
  local function complete(c)
    for key, want in pairs(node.required or {}) do
      local kind = c.seen[key]
      if name_keys[key] and c.name then
        kind = QUOTE
      end
      local good = (want == "string" and kind == QUOTE) or (want == "object" and kind == 123)
        or (want == "number" and kind and (kind == 45 or (kind >= 48 and kind <= 57)))
        or (want == "number?" and (kind == nil or kind == 45 or (kind >= 48 and kind <= 57)))
      if not good then
        return refuse(c, ("the field '%s' is missing or of the wrong kind"):format(key))
      end
    end
    return true
  end

  return function(st, c)
    c.seen = node.required and {} -- the call then waits until all has been seen
    if node.anywhere and not with_key(st) then
      return false
    end
    local state, cut, why = member(st, c, true)
    while state == true do
      state, cut, why = member(st, c)
    end
    if state == "broken" then
      mend(st, cut, enders, why)
      if st:status() == "incomplete" and enders then
        st:junk(enders)
      end
      return true
    elseif state == "cut" then
      return true
    end
    if c.b.spoke then
      return true
    end
    if state == "end" or (c.arguments_at and c.name) or (c.given and c.name) then
      if not c.began then
        if (node.arguments_required or c.b.markerless and not node.arguments_optional) and not c.given and not agent then
          return refuse(c, "the arguments are missing")
        end
        if not complete(c) then
          return false
        end
        local stop = st:pos()
        if c.arguments_at then
          st:seek(c.arguments_at)
        end
        if agent and c.arguments_at then
          agent(st, c, nil, st:byte(true))
          if c.b.spoke or c.began then
            st:seek(stop)
            return true
          end
        end
        if not commit(st, c) then
          return false
        end
        if c.arguments_at then
          stream_arguments(st, c, node, flags)
          st:seek(stop)
        end
      end
    end
    if state == false then
      if not c.began then
        return false
      end
      -- the closing brace is missing, or what is there cannot be read
      if enders and st:peek(enders) or not st:byte(true) then
        st:lower "recovered"
      else
        st:lower(c.b.set.repairs and "recovered" or "incomplete")
      end
      return true
    end
    while not brace_follows and st:byte(true) == 125 do -- a brace too many
      st:accept(close_brace)
      st:error("repaired", "a closing brace too many was left out")
      st:lower "recovered"
    end
    return true
  end
end

-- ---- Words in files of their own -----------------------------------------------------------

with_options, with_bits, fence_ends, with_key = require "sluice.parse.words_agents"(words, { firsts_of = firsts_of, laters = laters, texts = texts, set_of = set_of, cons = cons,
  chain_of = chain_of, sequence = sequence, used = used, duplicate = duplicate, commit = commit, parts = parts,
  upto_follow = upto_follow, literal_right = literal_right, literal_last = literal_last, body_of = body_of, complain = complain,
  compile = function(...)
    return compile(...)
  end })

-- ---- Calls ---------------------------------------------------------------------------------

local function new_call(b)
  -- room for what nearly all get
  return { b = b, name = nil, name_start = nil, name_end = nil, given = nil, began = nil, tool = nil }
end

-- Ends an announced call. False: it had to be whole and is not.
local function finish(st, c)
  if c.repeated then
    flush(st, c)
  end
  local plan = c.b.plan
  for i = 1, #plan.keys do -- where the parameters are fixed, one that is not there is empty
    local key = plan.keys[i]
    if not used(c)[key] then
      st:param(key)
      st:param_text ""
    end
  end
  local extra
  if c.extra or plan.extra_defaults then
    local list = {}
    for _, key in ipairs(plan.extra_order) do
      local value = c.extra and c.extra[key] or plan.extra_defaults[key]
      if value then
        list[#list + 1] = core.json.encode(key) .. ":" .. value
      end
    end
    if #list > 0 then
      extra = "{" .. table.concat(list, ",") .. "}"
    end
  end
  local id = c.id or ""
  if id ~= "" then
    if st:seen_id(id) then
      st:error("duplicate_id", ("the id %s was given before"):format(id))
    end
  end
  if c.kept and st:status() ~= "incomplete" then
    local text = st:arguments_text()
    local breach = text and guarded(validate.arguments, c.tool, text)
    if breach then
      st:error("schema_mismatch", breach)
    end
  end
  return st:end_call(id, extra)
end

function words.calls(plan, node, rest)
  local again = { word = "again", loop = node }
  local body = sequence(plan, node, node.once and rest or cons(again, rest))
  local between = node.between and compile(plan, node.between, chain_of(node, 1, cons(again, rest)))
  local between_acc = node.between and firsts_of(cons(node.between, nil))
  local body_acc = firsts_of(chain_of(node, 1, nil))
  local list, kinds = {}, {}
  local function add(acc, kind)
    for _, entry in ipairs(acc or {}) do
      local known
      for i, text in ipairs(list) do
        known = known or (text == entry.text and i)
      end
      if not known then
        list[#list + 1], kinds[#list + 1] = entry.text, kind
      end
    end
  end
  if not node.once then
    add(between_acc, "between")
    add(body_acc, "body")
  end
  local exits = firsts_of(rest)
  add(exits, "exit")
  local follow = #list > 0 and set_of(list) or nil
  local must_close = not exits.ends
  local closers = #exits > 0 and set_of(texts(exits)) or nil
  local starts = #body_acc > 0 and set_of(texts(body_acc)) or nil
  local in_json = body_acc.seen["{"] and #body_acc == 1 and body_acc[1].node == nil
  return function(st, outer)
    local b = outer.b
    local good = 0
    while true do
      local c = new_call(b)
      c.name, c.id, c.pattern = outer.name, outer.id, outer.pattern
      local start = st:pos()
      b.wrong = nil
      st:pin(true) -- until it is announced
      local ok = body(st, c)
      st:pin(false)
      if ok and not c.began and not b.spoke then
        ok = commit(st, c)
      elseif ok and not c.began then -- it was text
        good = good + 1
      end
      local item = follow and (ok or c.began) and st:peek(follow)
      if c.began then
        if must_close and not item and not (body_acc.open and LETTERS[st:byte(true) or 0]) then
          st:lower "recovered"
        end
        ok = finish(st, c) and ok
        if ok then
          good = good + 1
          outer.began, b.any = true, true
        end
      end
      if not ok then
        if node.once then
          return false
        elseif good == 0 and start > b.begin and not b.markerless and not b.opener_missing and not c.began
          and closers and st:seek(start) == nil and st:peek(closers) then
          st:flush() -- an empty section is markup
          outer.began = nil
          return true
        end
        -- a bad one among good ones: on to the next
        local why = b.wrong or "what stands here is no call"
        st:seek(start)
        if in_json then
          local _, _, _, _, read = st:skip(core.LENIENT)
          if not read then
            st:seek(start)
            if good == 0 or not st:accept(open_brace) or not st:junk(follow) then
              return false
            end
          end
        elseif starts and good > 0 then
          st:byte(true)
          local first = st:peek(starts)
          if not first then
            break
          end
          st:accept(starts)
          if not st:junk(follow) then
            break
          end
        elseif starts and not b.opener_missing and st:pos() > b.begin and st:accept(starts) then
          local next_one = st:junk(follow)
          if not next_one or kinds[next_one] ~= "body" then
            return false
          end
        elseif good > 0 then
          break
        else
          return false
        end
        b.bad = b.bad or {}
        if good > 0 or plan.reserved then
          st:flush()
          st:error("invalid_call", why)
        else
          b.bad[#b.bad + 1] = why
        end
        item = follow and st:peek(follow)
      end
      local kind = item and kinds[item]
      if not kind and body_acc.open and not node.once and st:byte(true) then
        kind = "body" -- a call that begins with its name, behind white space
      end
      if kind == "between" then
        local p = st:pos()
        st:pin(true)
        if between then
          between(st, { b = b })
        end
        local more = not starts or st:peek(starts) or body_acc.open
        if not more and st:peek(follow) == nil then
          st:seek(p)
        end
        st:pin(false)
        if not more then
          break
        end
      elseif kind ~= "body" then
        break
      end
    end
    if good == 0 and not plan.reserved then
      return false
    end
    outer.began = good > 0 or nil
    return true
  end
end

-- ---- Blocks --------------------------------------------------------------------------------

function compile(plan, node, rest, before)
  local make = words[node.word]
  if not make then
    error(("the word '%s' cannot be parsed"):format(tostring(node.word)), 0)
  end
  local run = make(plan, node, rest, before)
  return plan.watch and plan.watch.step(node, run) or run
end

local function has(node, word)
  return vocabulary.find(node, word) ~= nil
end

local json_start = { ["{"] = true, ["["] = true, ['"'] = true }

-- Where some alternatives hold several calls and others one, the others are calls too, once each.
local function even_out(node)
  if node.word == "any" and has(node, "calls") then
    for i = 1, #node do
      if not has(node[i], "calls") then
        node[i] = { word = "calls", once = true, node[i] }
      end
    end
  end
  for i = 1, #node do
    even_out(node[i])
  end
end

local function compile_block(plan, seq)
  local run = sequence(plan, seq, nil)
  local acc = firsts_of(cons(seq, nil))
  local many = has(seq, "calls")
  local block = { firsts = acc, at_line = seq.at == "line" or seq.at == "indent", at_start = seq.at == "start",
    indented = seq.at == "indent" }
  function block.run(st, item, tools, set, start)
    local b = { plan = plan, tools = tools, set = set, markerless = item == nil or block.anywhere, begin = start, wrong = nil }
    local c = new_call(b)
    local ok = run(st, c)
    if many then
      return ok, b.wrong, b.code
    end
    if ok and not c.began and not b.spoke then
      ok = c.name ~= nil and commit(st, c)
    end
    if c.began then
      if not finish(st, c) then
        return false, b.wrong or "the call is not whole"
      end
      return ok
    end
    return ok, b.wrong, b.code
  end
  return block
end

-- Literals behind the last part of a block that says something: right behind a block they are closers too many.
local function tail_of(seq, list)
  local tail = {}
  local function walk(node)
    if node.word == "literal" then
      local body = body_of(node)
      if #body > 2 then
        tail[#tail + 1] = body
      end
    elseif opaque[node.word] or node.word == "arguments" or node.word == "object" or node.word == "backref" then
      tail = {}
    end
    for i = 1, #node do
      walk(node[i])
    end
  end
  walk(seq)
  for _, text in ipairs(tail) do
    list[#list + 1] = text
  end
end

-- What a name may begin with, where it begins a block.
local letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

--- roles(): literals and the parts that they play; the same literal may play several.
function M.roles()
  local self = { list = {}, role = {}, index = {} }
  function self.add(text, role)
    local i = self.index[text]
    if not i then
      i = #self.list + 1
      self.list[i], self.role[i], self.index[text] = text, 0, i
    end
    local have = self.role[i]
    local bit = 1
    while bit <= role do -- an "or" that every Lua has
      if role % (bit * 2) >= bit and have % (bit * 2) < bit then
        have = have + bit
      end
      bit = bit * 2
    end
    self.role[i] = have
  end
  function self.set()
    return core.set(self.list, self.role)
  end
  return self
end

-- May the block begin with this literal, or with the first part of it?
local function opens(text, block)
  for _, entry in ipairs(block.firsts) do
    if text:sub(1, #entry.text) == entry.text then
      return true
    end
  end
  return false
end

local function reasoning_pairs(given)
  if not given then
    return {}
  end
  return given.open and { given } or given
end

--- prompt_opens(pairs) -> a function of a prompt: does its tail leave reasoning of one of these pairs open?
function M.prompt_opens(pair_list)
  -- Where the last of these texts begins; 0 where there is none.
  local function last(prompt, key)
    local best = 0
    for _, pair in ipairs(pair_list) do
      local at = prompt:find(pair[key], 1, true)
      while at do
        best = math.max(best, at)
        at = prompt:find(pair[key], at + 1, true)
      end
    end
    return best
  end
  return function(prompt)
    return last(prompt, "open") > last(prompt, "close")
  end
end

-- Where the script has a block: "file:line: ", or "".
local function place_of(seq)
  local word = vocabulary.find(seq, function(node)
    return node.place
  end)
  return word and word.place or ""
end

--- Compiles a syntax to a plan: what the core needs of it (`format`), and `main`, which reads a block. Raises with a
-- sentence where the description is ambiguous. `watch`, if any, is told what is tried: see sluice.explain.
function M.plan(syntax, lpeg, watch, names)
  local given_blocks, by_names = declared.blocks(syntax, names)
  local plan = {
    watch = watch,
    syntax = syntax, lpeg = lpeg, keys = syntax.fixed_parameters or {}, namespaces = syntax.namespaces or {},
    untyped = syntax.default_type or "json", repeats = syntax.repeated_is_array, plural = syntax.singular_keys,
    mend_name = syntax.repair_name, reserved = syntax.reserved_section,
    by_hand = syntax.parse ~= nil, opener_list = {}, line_openers = {}, extra_order = {},
  }
  if syntax.tools then
    plan.known = {}
    for _, name in ipairs(syntax.tools) do
      plan.known[name] = true
    end
  end
  local in_text, in_reasoning, closers = M.roles(), M.roles(), M.roles()
  local blocks = {}
  for i, seq in ipairs(given_blocks) do
    prepare(seq)
    even_out(seq)
    blocks[i] = seq
    for _, entry in ipairs(firsts_of(cons(seq, nil))) do
      if not json_start[entry.text] then -- what begins like any JSON ends nothing
        plan.opener_list[#plan.opener_list + 1] = entry.text
      elseif seq.at == "line" or seq.at == "indent" then
        plan.line_openers[#plan.line_openers + 1] = entry.text
      end
    end
    local function find_extra(node)
      if node.word == "extra" then
        plan.extra_order[#plan.extra_order + 1] = node.key
        plan.extra_defaults = plan.extra_defaults or {}
      elseif node.word == "object" and node.extra then
        plan.extra_order, plan.extra_defaults = {}, {}
        for _, pair in ipairs(node.extra) do
          plan.extra_order[#plan.extra_order + 1] = pair[1]
          plan.extra_defaults[pair[1]] = pair[2]
        end
      end
      for k = 1, #node do
        find_extra(node[k])
      end
    end
    find_extra(seq)
  end
  local compiled, bare, bare_at_line, places, alone = {}, {}, false, {}, {}
  for i, seq in ipairs(blocks) do
    local block = compile_block(plan, seq)
    compiled[i] = block
    if block.firsts.ends then
      error(("%sblock %d may be empty: all of it may be absent; it needs a literal or a word that must stand"):format(place_of(seq),
        i), 0)
    end
    for _, entry in ipairs(block.firsts) do
      block.anywhere = block.anywhere or entry.anywhere
      if json_start[entry.text] and not entry.anywhere then
        bare[#bare + 1] = entry.text
        block.bare = true
      else
        local place = block.at_line and core.AT_LINE + (block.indented and core.INDENT or 0) or block.at_start and core.AT_START or 0
        if places[entry.text] and places[entry.text] ~= place then
          place = 0 -- only some of the blocks that begin so ask for a place, and see to it themselves
        end
        places[entry.text] = place
        alone[entry.text] = entry.node and entry.node.run
      end
    end
    if block.firsts.open then
      if not (block.at_line or block.at_start) then
        error(("%sblock %d begins with what may be anything: put a literal before it, or say at = \"line\" or at = \"start\""):format(
          place_of(seq), i), 0)
      end
      local value = vocabulary.find(syntax.blocks[i], "value")
      bare[#bare + 1] = letters .. (value and value.inline and "*#`./~" or "") -- a name, or a path
      block.bare = true
    end
    bare_at_line = bare_at_line or (block.bare and block.at_line)
    local tail = {}
    tail_of(seq, tail)
    for _, text in ipairs(tail) do
      if not block.firsts.seen[text] then
        in_text.add(text, core.STRAY)
      end
    end
  end
  for _, block in ipairs(compiled) do
    for _, entry in ipairs(block.firsts) do
      if places[entry.text] then
        local role = core.BLOCK + places[entry.text] + (alone[entry.text] and core.ALONE or 0)
        in_text.add(entry.text, role)
        in_reasoning.add(entry.text, role)
      end
    end
  end
  for _, text in ipairs(syntax.starts or {}) do
    in_text.add(text, core.BLOCK)
    in_reasoning.add(text, core.BLOCK)
  end
  for _, list in ipairs { { syntax.stop, core.TURN_END }, { syntax.ignored_tokens, core.NOISE } } do
    for _, text in ipairs(list[1] or {}) do
      local role = list[2]
      for _, block in ipairs(compiled) do
        if opens(text, block) then -- it is markup only where the block is none
          role = list[2] + core.BLOCK
        end
      end
      in_text.add(text, role)
      in_reasoning.add(text, role)
    end
  end
  local pair_list = {}
  local given_pairs = reasoning_pairs(syntax.reasoning)
  plan.reasoning = given_pairs[1] -- the one that is written
  for i, pair in ipairs(given_pairs) do
    local _, open, lead = parts(pair.open)
    local trail, close, after = parts(pair.close)
    in_text.add(open, core.REASON + core.PAIR * (i - 1))
    in_reasoning.add(open, core.REASON)
    in_reasoning.add(close, core.REASON_END)
    closers.add(close, 0)
    pair_list[i] = { lead = lead, trail = trail, after = after, open = open, close = close }
  end
  local plain = in_text.set() -- for streams that do not mind code fences
  in_text.add("```", core.FENCE)
  plan.format = core.format {
    name = syntax.name, text = in_text.set(), plain = plain, reasoning = in_reasoning.set(), closers = closers.set(), pairs = pair_list,
    fence = set_of { "\n```" }, fence_text = syntax.fence == "text",
    bare = table.concat(bare), bare_at_line = bare_at_line, start_trim = syntax.trim, defaults = M.defaults(syntax),
  }
  local by_item = {}
  for i, text in ipairs(in_text.list) do
    by_item[text] = {}
    for _, block in ipairs(compiled) do
      if opens(text, block) then
        table.insert(by_item[text], block)
      end
    end
    by_item[i] = by_item[text]
  end
  local reasoning_items = {}
  for i, text in ipairs(in_reasoning.list) do
    reasoning_items[i] = by_item[text] or {}
  end
  local markerless = {}
  for i, block in ipairs(compiled) do
    block.run = watch and #compiled > 1 and watch.way(("block %d of %d:"):format(i, #compiled), block.run) or block.run
    if block.bare then
      markerless[#markerless + 1] = block
    end
  end
  -- Where no block was one: tells why. With `quiet` (a function) that is the caller's, who gets it.
  local function none(st, wrong, code, quiet)
    if quiet then
      quiet(wrong, code)
    elseif wrong then
      st:error(code or "invalid_call", wrong)
    end
    return false
  end
  --- plan.main(stream, item, tools, settings, start, in_reasoning, quiet): reads a block; answers whether it was one. `quiet`: is
  -- called with why it was none, and the error's code, instead of telling them.
  if syntax.parse then
    function plan.main(st, _, tools)
      return syntax.parse(st, tools)
    end
  else
    function plan.main(st, item, tools, set, start, reasoning, quiet)
      local list = item == nil and markerless or (reasoning and reasoning_items or by_item)[item]
      local wrong, code
      for i = 1, #list do
        local ok, why, kind = list[i].run(st, item, tools, set, start)
        if ok or st:option "committed" then
          return true
        end
        if why and not wrong then
          wrong, code = why, kind
        end
        st:seek(start)
      end
      return none(st, wrong, code, quiet)
    end
  end
  plan.literals = { text = in_text, reasoning = in_reasoning, closers = closers, pairs = pair_list, bare = table.concat(bare) }
  plan.prompt_opens = M.prompt_opens(pair_list)
  if by_names and not names then
    --- plan.for_tools(tools): the plan of a stream with these tools, made once.
    plan.for_tools = declared.cache(function(tools)
      return M.plan(syntax, lpeg, watch, tools.names)
    end)
  end
  return plan
end

--- The defaults of the stream options that a syntax sets.
function M.defaults(syntax)
  local out = {}
  for k, v in pairs(syntax.options or {}) do
    out[k] = v
  end
  if syntax.max_calls then
    out.max_calls = syntax.max_calls
  end
  return out
end

return M
