--- any { a, b, ... }: one of several. Literals: the longest that matches. Lists: in order while the call is not announced, afterwards by
-- their first literal. Written: the first that is not `also` and can carry the call.

local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local any = word.wrapper "any"

-- Beside a value without an opener: one that has its own, as <![CDATA[, may quote anything but its closer. `written`: as text with signs.
local function with_opener(way, beside_bare, written)
  local one = beside_bare and way[1] and way[1].body and way[2] and way[2].word == "value"
  return one and word.copy(way, { [2] = word.copy(way[2], { has_opener = true, for_signs = written }) }) or way
end

function any.build(class, given)
  if type(given) ~= "table" or word.is_node(given) or #given < 2 then
    word.fail(class, "expected a list of at least two alternatives")
  end
  local out, some_many, bare, plain = word.words_of(class, given), false, false, false
  for _, way in ipairs(out) do
    local is_bare = way[1] ~= nil and way[1].word == "value"
    bare, plain = bare or is_bare, plain or is_bare and not way.unwritten
  end
  for i, way in ipairs(out) do
    out[i] = way.word == "list" and #way == 1 and not way.at and way[1] or with_opener(way, bare, plain)
    some_many = some_many or word.has(out[i], "calls")
  end
  for i, way in ipairs(some_many and out or {}) do -- beside several calls, one call is a list of one
    if not word.has(way, "calls") then
      local one = word.classes.calls.alone(way.unwritten and way:content() or way)
      out[i] = way.unwritten and word.make(word.classes.also, { one, place = way.place }) or one
    end
  end
  return out
end

-- Its alternatives, as they are read.
local function ways_of(self)
  return lists.map(self, function(way)
    return way.unwritten and way:content() or way
  end)
end

-- Those that are written, in order.
local function all_written(self)
  return lists.map(self, function(way)
    return not way.unwritten and way or nil
  end)
end

function any:written()
  return { all_written(self)[1] }
end

function any:first(rest, firsts)
  for _, way in ipairs(ways_of(self)) do
    firsts:walk(follow.cons(way, rest), true)
  end
end

function any:enter(rest)
  return follow.cons(self:written()[1], rest)
end

--- The texts of alternatives that are plain literals, and true if they are exact; nil if some are not, or must end their line.
function any:plain()
  local texts, ways = {}, ways_of(self)
  for i, way in ipairs(ways) do
    if not way.body or way:body() == "" or way.exact ~= ways[1].exact or way.exact and way.text:find "\n$" then
      return nil
    end
    texts[i] = way:body()
  end
  return texts, ways[1].exact
end

function any:parse(plan, rest, before)
  local p, list, exact = plan.program, self:plain()
  if list then
    return p:add("literal", { a = p:set(list), exact = exact, soft = exact })
  end
  local spec, ways = { ways = {}, count = #self }, ways_of(self)
  local way_of = {}
  list = {}
  for i, way in ipairs(ways) do
    local firsts, slot = follow.firsts(follow.cons(way)), (way[1] or way).word
    if spec.other and (slot == "key" or slot == "value") then
      word.refuse(self, "only the first alternative that begins with s.%s() is ever read: put it before the s.any", slot)
    end
    for _, entry in ipairs(firsts) do
      list[#list + 1], way_of[#list + 1] = entry.text, i - 1
    end
    spec.other = spec.other or (firsts.open or firsts.ends) and i - 1 or nil
  end
  spec.firsts = p:set(#list > 0 and list or { "\0" }, way_of)
  local start, ends = p:add("any", { a = p:put("anys", spec) }), {}
  for i, way in ipairs(ways) do
    spec.ways[i] = p:here()
    plan:emit(way, rest, before)
    ends[i] = p:add "commit"
  end
  start.b = p:here()
  for _, ins in ipairs(ends) do
    ins.a = p:here()
  end
end

function any:write(call, out, behind)
  if self:many() then
    return self:written()[1]:write(call, out)
  end
  local problem
  for _, way in ipairs(all_written(self)) do
    local used, piece = lists.copy(call.used), {}
    local good, why = pcall(way.write, way, call, piece, behind)
    if good then
      out[#out + 1] = piece[1] and table.concat(piece)
      return
    end
    problem = (not problem or type(problem) == "table" and problem.no_way) and why or problem
    call.used = used
  end
  error(problem, 0)
end

function any:tree(context)
  if self:many() then
    return self:written()[1]:tree(context)
  end
  local ways, used = {}, {}
  local openers = lists.joined(context.without or {}, lists.map(self, function(way) -- beside a bare value, which is without them
    return way[2] and way[2].has_opener and way[1].text or nil
  end))
  for _, way in ipairs(all_written(self)) do
    local bare = way[1] and way[1].word == "value" and openers[1]
    local own = context:with { used = lists.copy(context.used), without = bare and openers or nil }
    local good, result = pcall(way.tree, way, own)
    if good then
      ways[#ways + 1], used = result, lists.copy(used, own.used)
      if context.by_lines and context.kind == "item" or not word.find(way, function(at)
        return at.parameter and (at.line or at.for_signs) -- writing it can be refused for some values
      end) then
        break
      end
    elseif type(result) ~= "table" or not result.no_way then
      error(result, 0)
    end
  end
  for key in pairs(used) do
    context.used[key] = true
  end
  return tree.alt(ways)
end

return any
