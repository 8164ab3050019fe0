--- Compiles words to instructions. The end of a word comes from the chain of words after it (sluice.parse.follow).

local core = require "sluice.core"
local follow = require "sluice.parse.follow"
local program = require "sluice.parse.program"
local schema = require "sluice.schema.types"

local parts, body_of, cons, chain_of = follow.parts, follow.body_of, follow.cons, follow.chain_of
local firsts_of, laters, texts, literal_last, literal_right = follow.firsts_of, follow.laters, follow.texts, follow.literal_last,
  follow.literal_right

--- The function of each word: words.NAME(plan, node, rest, before). `plan.program` is the program; `rest` the chain of words after the
-- node, `before` the word before it.
local words = {}
local M = { words = words }

local function emit(plan, node, rest, before)
  local make = words[node.word]
  if not make then
    error(("the word '%s' cannot be parsed"):format(tostring(node.word)), 0)
  end
  local p = plan.program
  local outer = p.node
  p.node, p.depth = node, p.depth + 1
  make(plan, node, rest, before)
  p.node, p.depth = outer, p.depth - 1
end

local function sequence(plan, seq, rest)
  if seq.at == "line" or seq.at == "indent" then
    plan.program:add("line_start", { indent = seq.at == "indent" })
  end
  for i = 1, #seq do
    emit(plan, seq[i], chain_of(seq, i + 1, rest), seq[i - 1])
  end
end

words.sequence, words.exact = sequence, sequence

-- ---- Literals ------------------------------------------------------------------------------

-- The literals of a node that is a set of literals, and true if they are exact; else nil.
local function plain_literals(node)
  local list = node.word == "literal" and { node } or node.word == "any" and node or {}
  local out = {}
  for i = 1, #list do
    if list[i].word ~= "literal" or list[i].run or body_of(list[i]) == "" then
      return nil
    end
    out[i] = body_of(list[i])
  end
  return out[1] and out, out[1] and list[1].exact
end

function words.literal(plan, node)
  local p, body = plan.program, body_of(node)
  if body == "" then
    return
  end
  local line = node.exact and node.text:match "\n$" ~= nil
  p:add("literal", { a = p:set { body }, exact = node.exact, line = line, whole_line = node.exact and node.text == "\n",
    b = node.run and not node.exact and p:set { body:match "^[%z\1-\127\194-\244][\128-\191]*" } or nil })
end

function words.any(plan, node, rest)
  local p = plan.program
  local list, exact = plain_literals(node)
  if list then
    p:add("literal", { a = p:set(list), exact = exact, soft = exact })
    return
  end
  local spec = { way_of = {}, ways = {} }
  local in_order = false
  list = {}
  for i = 1, #node do
    in_order = in_order or follow.has_exact(node[i])
    local acc = firsts_of(cons(node[i], nil))
    for _, entry in ipairs(acc) do
      list[#list + 1], spec.way_of[#list + 1] = entry.text, i - 1
    end
    if acc.open or acc.ends then
      spec.other = spec.other or i - 1
    end
  end
  spec.firsts = p:set(#list > 0 and list or { "\0" })
  local start = p:add("any", { a = p:put("anys", spec), in_order = in_order })
  local ends = {}
  for i = 1, #node do
    spec.ways[i] = p:here()
    emit(plan, node[i], rest)
    ends[i] = p:add "any_end"
  end
  start.b = p:here()
  for _, ins in ipairs(ends) do
    ins.a = p:here()
  end
end

local function may_be_absent(plan, node, rest)
  local p, recover = plan.program, node.word == "recoverable"
  local acc = firsts_of(chain_of(node, 1, nil))
  local set = not acc.open and not acc.ends and #acc > 0 and p:set(texts(acc)) or nil
  local exact = set and acc[1].node and acc[1].node.exact
  local list, is_exact = plain_literals(node[1])
  if set and #node == 1 and list and not (is_exact and node[1].word == "literal" and node[1].text:match "\n$") then
    p:add("maybe", { a = p:set(list), exact = is_exact, recover = recover })
    return
  end
  local start = p:add("maybe_seq", { a = set, exact = exact, recover = recover })
  sequence(plan, node, rest)
  p:add "maybe_end"
  start.b = p:here()
end
words.optional, words.recoverable = may_be_absent, may_be_absent

-- ---- The parts of a header -----------------------------------------------------------------

-- The literals that end a name, a key or an id; and true if it is on a header line.
local function name_ends(node, rest)
  local acc = firsts_of(rest)
  local next_word = rest and rest.node
  local inline = next_word and next_word.word == "value" and next_word.inline -- white space ends it too
  if inline then
    acc = firsts_of(rest.rest)
  end
  if inline or (node.word == "name" and node.pattern and not node.pattern:match "a b") then
    acc[#acc + 1], acc[#acc + 2] = { text = " " }, { text = "\t" } -- white space ends such a name
  end
  if acc.open and next_word and next_word.word == "literal" and not next_word.exact then
    error(("%ss.%s: only white space follows it, which is read as any white space or none; if %q ends it, write s.exact %q"):format(
      node.place or "", node.word, next_word.text, next_word.text):gsub("\\\n", "\\n"), 0)
  elseif acc.open then
    error(("%ss.%s: it has no clear end: no literal follows it directly; put one after it"):format(node.place or "",
      node.word), 0)
  end
  local list = texts(acc)
  return #list > 0 and list or { "\n" }, inline
end

-- A call's arguments may be missing: then the literals after them end its name, if names have no such bytes.
local function ends_without_arguments(rest, list)
  local seen = {}
  for _, text in ipairs(list) do
    seen[text] = true
  end
  local first = firsts_of(rest)[1]
  for _, entry in ipairs(first and first.arguments and firsts_of(first.rest) or {}) do
    if #entry.text > 2 and entry.text:find "^[^%w%s_.:/-]" and not seen[entry.text] then
      list[#list + 1] = entry.text
    end
  end
  return list
end

function words.name(plan, node, rest)
  local p = plan.program
  if node.is then -- reads nothing
    p:add("named", { a = p:text(node.is) })
    return
  end
  local list, inline = name_ends(node, rest)
  p:add("name", { a = p:set(ends_without_arguments(rest, list)), b = p:pattern(node.pattern) or core.BARE_NAME, inline = inline })
end

function words.key(plan, node, rest)
  local p = plan.program
  local list, inline = name_ends(node, rest)
  p:add("key", { a = p:set(list), b = p:pattern(node.pattern), inline = inline })
end

function words.id(plan, node, rest)
  local p = plan.program
  local list, inline = name_ends(node, rest)
  p:add("id", { a = p:set(list), inline = inline })
end

function words.header(plan, node, rest)
  local p = plan.program
  p:add("header", { a = p:set(texts(firsts_of(rest))), b = p:pattern(node.pattern) })
end

function words.name_in_id(plan, node, rest)
  local p = plan.program
  p:add("name_in_id", { a = p:set((name_ends(node, rest))), b = node.prefix and p:text(node.prefix),
    c = node.counter and p:text(node.counter) })
end

-- A piece of a header that only has to match a pattern.
function words.pattern(plan, node, rest)
  local p = plan.program
  p:add("shape", { a = p:set(texts(firsts_of(rest))), b = p:pattern(node.pattern) })
end

function words.attributes(plan, node, rest)
  local p, list, asks = plan.program, {}, false
  for _, pair in ipairs(node.list) do
    local word = pair[2]
    if type(word) == "table" and (word.word == "name" or word.word == "key" or word.word == "type" or word.word == "value") then
      local types
      if word.word == "type" then
        types = {}
        local map = word.map or {}
        for name in pairs(schema.bits) do
          types[#types + 1] = not map[name] and { name, schema.mask_named(name) } or nil
        end
        for spelling, name in pairs(map) do
          types[#types + 1] = { spelling, schema.mask_named(name) }
        end
      end
      asks = asks or word.word == "name" or word.word == "key"
      list[#list + 1] = { name = pair[1], what = word.word, types = types, key = word.word == "value" and word.key or nil,
        pattern = word.word == "name" and (p:pattern(word.pattern) or core.BARE_NAME) or nil }
    else
      list[#list + 1] = { name = pair[1], what = "ignored" }
    end
  end
  for _, name in ipairs(node.ignored or {}) do
    list[#list + 1] = { name = name, what = "ignored" }
  end
  p:add("attributes", { a = p:put("attributes", { follow = p:set(texts(firsts_of(rest))), list = list, asks = asks,
    entities = node.entities }) })
end

function words.backref(plan, node, rest, before)
  local p, acc = plan.program, firsts_of(rest)
  local closer = literal_last(before)
  local back = closer and #body_of(closer) or 0
  local longer = {} -- other closers that begin with this one
  for _, text in ipairs(closer and laters(rest) or {}) do
    longer[#longer + 1] = #text > back and text:sub(1, back) == body_of(closer) and text or nil
  end
  p:add("backref", { a = p:set(#acc > 0 and texts(acc) or { "\n" }), b = back, c = longer[1] and p:set(longer) or nil,
    name = node.what == "name" })
end

-- Text or reasoning up to what can follow, or the end.
local function content(kind)
  return function(plan, _, rest, before)
    local p = plan.program
    local left, right = literal_last(before), literal_right(rest)
    local lead = left and select(3, parts(left.text)) or ""
    local trail = right and parts(right.text) or ""
    local list, seen = texts(firsts_of(rest)), {}
    for _, text in ipairs(list) do
      seen[text] = true
    end
    for _, text in ipairs(plan.line_openers) do -- JSON that can be a call at the start of a line
      list[#list + 1] = "\n" .. text
    end
    for _, text in ipairs(plan.opener_list) do -- a new block ends it, unless it needs the start of the message
      if plan.anywhere[text] and not seen[text] then
        seen[text] = true
        list[#list + 1] = text
      end
    end
    p:add("text", { a = p:put("contents", { ends = p:set(#list > 0 and list or { "\0\1\0" }), reasoning = kind == "reasoning",
      lead = lead ~= "" and lead or nil, trail = trail ~= "" and trail or nil }) })
  end
end
words.text, words.reasoning = content "text", content "reasoning"

M.emit, M.sequence, M.NONE = emit, sequence, program.NONE

return M
