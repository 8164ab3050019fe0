--- Grammars as trees, before they are written for an engine.
--
-- A node is a table with `kind`: lit (exact text), seq, alt, opt, rep (min, max or nil), upto (any text up to and including
-- `close`), term (a regular piece, written for every target), json (a value that matches `schema`), rule (a named node, which
-- may refer to itself), own (a node that targets with their own JSON must still write as a grammar). raw is text whose end is not yet
-- known: the literal after it in a sequence.

local lists = require "sluice.lists"

local unpack = table.unpack or unpack
local M = {}

--- Raises a refusal that names the construct.
function M.refuse(message, ...)
  error({ refusal = message:format(...) }, 0)
end

function M.lit(text)
  return { kind = "lit", text = text }
end

M.empty = { kind = "seq" }

--- Free text up to the next literal. limits: { min, max, pattern } of the string, or nil. without: texts that are not in it, or nil.
function M.raw(limits, without)
  return { kind = "raw", limits = limits, without = without }
end

--- A regular piece; gbnf: nil if both notations spell it alike, as classes and their repetitions.
function M.term(name, lark, gbnf)
  return { kind = "term", name = name, lark = gbnf and lark or lark:gsub("/", "\\/"), gbnf = gbnf or lark }
end

function M.json(schema, name)
  return { kind = "json", schema = schema, name = name }
end

--- A named node. `make(rule)` returns its body, which may contain the rule.
function M.rule(name, make)
  local rule = { kind = "rule", name = name }
  rule.body = make(rule)
  return rule
end

function M.own(node)
  return { kind = "own", node }
end

-- A repetition in a notation with `*`, `+`, `?` and `{n,m}`, and its level.
local function repetition(node, item, between)
  local function times(text, min, max)
    if min == 0 and not max then
      return text .. "*"
    elseif min == 1 and not max then
      return text .. "+"
    elseif min == 0 and max == 1 then
      return text .. "?"
    end
    return ("%s{%d,%s}"):format(text, min, max and ("%d"):format(max) or "")
  end
  if not between then
    return times(item, node.min, node.max), 2
  end
  local many = item
  if not node.max or node.max > 1 then
    many = item .. " " .. times("(" .. between .. " " .. item .. ")", math.max(node.min - 1, 0), node.max and node.max - 1)
  end
  if node.min > 0 then
    return many, 1
  end
  return "(" .. many .. ")?", 2
end

--- The rules of a grammar: name(wanted[, upper]) -> the words of `wanted` joined by `join`, with a number if the name is taken;
-- define(name, body); once(id, wanted, body[, upper, after]) -> the name of the rule for this id, which is made when it is first asked for,
-- with a body or a function that returns it; text(name, body) -> all of them, this one first. sign: between a name and its body; taken: a
-- name that is.
function M.rules(join, sign, taken)
  local self, used, lines, made = {}, { [taken] = true, start = true }, {}, {} -- converters give GBNF a `start`

  function self.name(wanted, upper)
    local base = wanted:gsub("[^%w]+", join):gsub("^%" .. join, ""):gsub("%" .. join .. "$", "")
    base = upper and base:upper() or base:lower()
    if not base:match "^%a" then
      base = (upper and "R" or "r") .. base
    end
    local name, k = base, 1
    while used[name] do
      k = k + 1
      name = base .. join .. k
    end
    used[name] = true
    return name
  end

  function self.define(name, body)
    lines[#lines + 1] = name .. sign .. body
  end

  function self.once(id, wanted, body, upper, after)
    if not made[id] then
      made[id] = self.name(wanted, upper)
      self.define(made[id] .. (after or ""), type(body) == "function" and body() or body)
    end
    return made[id], 2
  end

  function self.text(name, body)
    return table.concat(lists.joined({ name .. sign .. body }, lines), "\n") .. "\n"
  end

  return self
end

--- Refuses text without an end, and such that only white space ends: in a response what follows ends it.
function M.refuse_no_end(node)
  if not node.close or (not node.open and node.close:find "^%s+$") then
    local of = node.of -- the word of the script
    M.refuse("text without a clear end: put a literal that is not a word or white space directly after s.%s()%s",
      of and of.word or "value", of and of.place and (", in the same list (%s)"):format(of.place:match "^(.-):? ?$") or "")
  end
end

--- What text before `close` must not contain if its first end counts: the closer, without what could also begin a second one.
function M.without_overlap(close)
  for k = #close - 1, 1, -1 do
    if close:sub(1, k) == close:sub(-k) then
      return close:sub(1, -k - 1), true
    end
  end
  return close
end

--- Refuses the same, and text with a limited length or a pattern.
function M.refuse_limits(node)
  M.refuse_no_end(node)
  if node.limits then
    M.refuse("the %s of a string that is not JSON", node.limits.pattern and "pattern" or "length")
  end
end

--- A writer of trees for a notation with sequences, `|`, `*`, `+`, `?` and named rules: write(node, level) -> text, in
-- parentheses if its own level is lower than `level`: 0 alternatives, 1 a sequence, 2 one item. rules: as above. how[kind](node, write) ->
-- text, level writes a kind of node, or returns nil for the default.
function M.writer(how, rules)
  local common = {}

  local function write(node, level)
    local text, own
    if how[node.kind] then
      text, own = how[node.kind](node, write)
    end
    if not text then
      if not common[node.kind] then
        M.refuse_no_end(node)
      end
      text, own = common[node.kind](node)
    end
    return own < level and "(" .. text .. ")" or text
  end

  function common.seq(node)
    return #node == 0 and '""' or lists.join(node, function(part)
      return write(part, part.kind == "lit" and 1 or 2)
    end, " "), #node > 1 and 1 or 2
  end

  function common.alt(node)
    return lists.join(node, function(way)
      return write(way, 1)
    end, " | "), 0
  end

  -- What `?` or `*` can stand behind: one of these behind another is no repetition to every engine.
  local function item_of(node)
    return (node.kind == "opt" or node.kind == "rep") and "(" .. write(node, 0) .. ")" or write(node, 2)
  end

  function common.opt(node)
    return item_of(node[1]) .. "?", 2
  end

  function common.rep(node)
    local item = item_of(node[1])
    if node.between and #item > 30 and not item:match "^[%w_-]+$" then -- it occurs twice
      item = rules.name "item"
      rules.define(item, write(node[1], 0))
    end
    return repetition(node, item, node.between and write(node.between, 2))
  end

  function common.rule(node)
    return rules.once(node, node.name, function()
      return write(node.body, 0)
    end)
  end

  function common.own(node)
    return write(node[1], 0), 0
  end

  return write
end

-- True if two nodes obviously accept the same text.
local function equal(a, b)
  local same = a == b or a.kind == b.kind and #a == #b and a.kind ~= "json" and a.kind ~= "rule" and a.kind ~= "term"
  for _, key in ipairs { "text", "open", "close", "limits", "without", "min", "max" } do
    same = same and a[key] == b[key]
  end
  for i = 1, same and a ~= b and #a or 0 do
    same = same and equal(a[i], b[i])
  end
  return same and (a.between == b.between or a.between and b.between and equal(a.between, b.between) or false)
end

--- The text at its end that white space ends: that alone is no end, and the literal after it belongs to the closer.
function M.ends_blank(node)
  local last = node.kind == "seq" and node[#node] or node
  return last.kind == "upto" and not last.open and last.close:find "^%s+$" and last or nil
end

-- True if a text begins as this separator and the literal at the beginning of this item.
local function shares(text, between, item)
  local first = between and item.kind == "seq" and between .. (item[1].text or "")
  return first and #first > #between and text:sub(1, #between + 1) == first:sub(1, #between + 1)
end

-- A list whose separator a greedy lexer would take for the literal after it: it is one with the beginning of an item.
local function apart(node)
  local rest = M.rule("item", function() return M.seq { unpack(node[1], 2) } end)
  local head = node[1][1]
  return M.seq { head, rest, M.rep(M.seq { node.between, head, rest }, 0, node.max and node.max - 1) }
end

local function append(out, node)
  local last = out[#out]
  if node.kind == "seq" then
    for i = 1, #node do
      append(out, node[i])
    end
  elseif last and last.kind == "opt" and node.kind == "lit" and M.ends_blank(last[1]) then
    out[#out] = nil
    append(out, M.alt { M.seq { last[1], node }, node })
  elseif node.kind == "lit" then
    if last and (last.kind == "raw" or last.kind == "term" and last.without and not node.text:find "^%s*\n") then
      out[#out] = { kind = "upto", close = node.text, limits = last.limits, without = last.without }
    elseif last and M.ends_blank(last) then
      out[#out] = { kind = "upto", close = last.close .. node.text, limits = last.limits, without = last.without }
    elseif last and last.min == 1 and last.between and shares(node.text, last.between.text, last[1]) then
      out[#out] = nil
      append(out, apart(last))
      append(out, node)
    elseif last and last.kind == "lit" then
      out[#out] = M.lit(last.text .. node.text)
    elseif node.text ~= "" then
      out[#out + 1] = node
    end
  else
    out[#out + 1] = node
  end
end

--- A sequence.
function M.seq(list)
  local out = { kind = "seq" }
  for i = 1, #list do
    append(out, list[i])
  end
  return #out == 1 and out[1] or out
end

-- The parts of a sequence, its literals word by word and character by character.
local function pieces_of(node)
  local out = {}
  for _, item in ipairs(node.kind == "seq" and node or { node }) do
    local at, text = 1, item.kind == "lit" and item.text
    while text and at <= #text do
      local piece = text:match("^[%w_]+", at) or text:match("^[\194-\244][\128-\191]+", at) or text:sub(at, at)
      out[#out + 1] = M.lit(piece)
      at = at + #piece
    end
    out[#out + 1] = not text and item or nil
  end
  return out
end

-- Removes the common beginning (or end) of the alternatives, and returns it.
local function take_shared(ways, from_end)
  local out = {}
  while true do
    local first = ways[1][from_end and #ways[1] or 1]
    if lists.some(ways, function(way)
      local head = way[from_end and #way or 1]
      return not head or not equal(head, first)
    end) then
      return out
    end
    for _, way in ipairs(ways) do
      table.remove(way, from_end and #way or 1)
    end
    table.insert(out, from_end and 1 or #out + 1, first)
  end
end

--- Alternatives. Their common beginning and end are factored out.
function M.alt(list)
  local ways, texts = {}, {}
  local function add(node)
    if node.kind == "alt" then
      lists.map(node, add)
    elseif node.kind ~= "lit" or not texts[node.text] then
      texts[node.text or 0] = true
      ways[#ways + 1] = node
    end
  end
  lists.map(list, add)
  if #ways == 0 then
    M.refuse "a schema that no value matches"
  elseif #ways == 1 then
    return ways[1]
  end
  local parts = lists.map(ways, pieces_of)
  local before = take_shared(parts, false)
  local after = take_shared(parts, true)
  local out = lists.map(parts, function(rest)
    return #rest > 0 and M.seq(rest) or nil
  end)
  out.kind = "alt"
  local middle = #out == 1 and out[1] or out
  if #out < #parts then
    middle = #out > 0 and M.opt(middle) or M.empty
  end
  return M.seq { M.seq(before), middle, M.seq(after) }
end

function M.opt(node)
  return { kind = "opt", node }
end

--- A repetition, `min` to `max` times (nil: any number), separated by `between`.
function M.rep(node, min, max, between)
  if max and max < min then
    M.refuse "a schema that no value matches"
  elseif max == 0 then
    return M.empty
  elseif min == 1 and max == 1 then
    return node
  end
  if between and #between == 0 and (between.text or "") == "" then
    between = nil
  end
  return { kind = "rep", min = min, max = max, between = between, node }
end

--- Members in order, separated; each { node, required }.
function M.commas(list, separator)
  if separator == nil then
    return M.seq(lists.map(list, function(item)
      return item[2] and item[1] or M.opt(item[1])
    end))
  end
  local tails = { [#list + 1] = M.empty } -- the members that can follow a written one
  for i = #list, 1, -1 do
    local item = M.seq { separator, list[i][1] }
    local tail = M.seq { list[i][2] and item or M.opt(item), tails[i + 1] }
    local after_required = lists.some(list, function(other, k)
      return k < i and other[2]
    end)
    local several = not after_required and i > 1 and i < #list -- ways lead to it
    tails[i] = several and { kind = "rule", name = "rest", body = tail } or tail
  end
  local ways = {}
  for i, item in ipairs(list) do
    ways[#ways + 1] = M.seq { item[1], tails[i + 1] }
    if item[2] then
      return M.alt(ways)
    end
  end
  ways[#ways + 1] = M.empty
  return M.alt(ways)
end

return M
