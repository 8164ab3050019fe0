--- Words: what every word of the vocabulary is, and how one is defined.
--
-- A word is a class, in lua/sluice/words/NAME.lua. A use of it in a script is a node of that class: a table whose list holds the words
-- inside it. All that is true of a word stands in its file; parsers, writers, grammars and checks ask the node, and know no word by name.
-- Nodes never change once they are made, so scripts may use one twice.

local check = require "sluice.check"
local follow = require "sluice.compile.follow"
local json = require("sluice.core").json
local lists = require "sluice.lists"

--- The class of a word. Only `word` must be given: the defaults are those of a word that reads something unknown.
---@class sluice.Word
---@field word string its name
---@field build? fun(class: sluice.Word, ...): table makes the fields of a node from arguments of its own
---@field gives? string "name", "arguments", "text" or "key": what it tells about the call
---@field header? boolean the literal directly after it only ends it
---@field unwritten? boolean it is read, and never written
---@field first fun(node, rest: sluice.Chain, firsts: sluice.Firsts): boolean? notes what can begin it; true if it may be absent
---@field enter fun(node, rest: sluice.Chain): sluice.Chain? the chain of words into it, if it is only a wrapper
---@field last fun(node): sluice.Literal? the literal that it ends with
---@field many fun(node): boolean? all calls of a message are written into it
---@field parse fun(node, plan, rest: sluice.Chain, before: sluice.Word?) adds its instructions to plan.program
---@field write fun(node, call, out: string[], behind: sluice.Chain?) adds its text; call.all: the calls that are written together
---@field tree fun(node, context): table the node of sluice.constrain.tree that accepts what `write` writes
---@field any_arguments? boolean its call has parameters of any names
---@field parameter? boolean its `key`, if it has one, is that of a fixed parameter
---@field rule? fun(node, syntax): string? a sentence for prompts on how values are written
---@field shown fun(node): string how traces show it
local Word = {}

local M = { classes = {} }

-- The metatable of each class's nodes. Scripts hold nodes: what they reach through one must not contain a table, or they could change a
-- word for all. So a class holds functions and flags only; its options are kept in its metatable.
local metas = setmetatable({}, { __mode = "k" })

-- The position of the call of a word in the script at `path`, which is running: "PATH:LINE: "; "" if it is not on the stack, as in
-- `return s.syntax{...}`, a tail call.
local function where(path)
  for level = 2, path and 16 or 0 do
    local _, at = pcall(error, "", level)
    local name, line = tostring(at):match "^(.*):(%d+): $"
    local tail = name and name:match "^%.%.%.(.*)" -- Lua cuts the beginning of a long path
    if name == path or tail and path:sub(-#tail) == tail then
      return ("%s:%s: "):format(path, line)
    end
  end
  return ""
end
M.where = where

-- The path of the script in which this word is called.
local function path_of(class)
  return class.context and class.context.path
end

-- The name in messages: "s.name"; the hidden words stand for what surrounds them.
local function name_of(class)
  return class.owner or "s." .. class.word
end

--- Raises a message for the script's author. item: the number of the argument's part.
function M.fail(class, message, item)
  error(("%s%s%s: %s"):format(where(path_of(class)), name_of(class), item and (", item %d"):format(item) or "", message), 0)
end

--- Raises a message about a word of a script, when it is compiled.
function M.refuse(node, message, ...)
  error(("%ss.%s: "):format(node.place or "", node.word) .. message:format(...), 0)
end

--- A text in a message.
function M.quoted(text)
  text = #text > 60 and text:sub(1, 56):gsub("[\192-\255][\128-\191]*$", "") .. "..." or text
  return (("%q"):format(text):gsub("\\\n", "\\n"))
end

--- The literals that end a name, a key or an id: it stands on one line, and the next literal ends it. Raises if its end is not clear.
function M.ends(node, rest)
  local firsts, after = follow.firsts(rest), rest and rest.node
  if (firsts.open or node.word == "value") and after and after.body and not after.exact then
    M.refuse(node, "only white space follows it, which is read as any white space or none; if %s ends it, write { exact = true, %s }",
      M.quoted(after.text), M.quoted(after.text))
  elseif firsts.open then
    M.refuse(node, "it has no clear end: no literal follows it directly; put one after it")
  end
  local list, first = follow.texts(firsts), node.gives == "name" and firsts[1]
  -- arguments may be missing: then what ends them ends the name, too, if names have no such bytes
  for _, entry in ipairs(first and first.arguments and follow.firsts(first.rest) or {}) do
    list:add(#entry.text > 2 and entry.text:find "^[^%w%s_.:/-]" and entry.text or "")
  end
  return #list > 0 and list or follow.list { "\n" }
end

--- An LPeg pattern, compiled now: one whose compilation runs out of memory must not be used again. A script of a user gets it only as an
-- object that limits it. which: the argument; hint: what else it may be.
function M.pattern(class, value, which, hint)
  local raw = class.context.raw(value)
  if not raw then
    M.fail(class, ('its %s must be an LPeg pattern, such as lpeg.R("az")^1, not a %s%s'):format(which, type(value), hint or ""))
  end
  local good, why = pcall(value.match, value, "")
  if not good and why == "not enough memory" then
    error(why, 0)
  end
  return class.context.trusted and raw or value
end

--- Checks named arguments.
function M.check_options(class, given)
  local wrong = check.named("option", given, metas[class].options)
  if wrong then
    M.fail(class, wrong)
  end
end

--- A node of this class; its place is not the script's.
function M.make(class, fields)
  return setmetatable(fields, metas[class])
end

--- A node of this class, at the script's place.
function M.node(class, fields)
  fields.place = where(path_of(class))
  return setmetatable(fields, metas[class])
end

--- True if a value is a node.
function M.is_node(value)
  local meta = type(value) == "table" and getmetatable(value)
  return type(meta) == "table" and meta.options ~= nil
end

--- The options of a class.
function M.options(class)
  return metas[class].options
end

--- A node with other fields, and maybe other words; the original does not change.
function M.copy(node, changes, words)
  local out = lists.copy(node, changes)
  for i = 1, words and #node or 0 do
    out[i] = words[i]
  end
  return setmetatable(out, getmetatable(node))
end

--- The tree with each node, after those inside it, replaced by change(node), which may return nil to drop it.
function M.map(node, change)
  if #node > 0 then
    node = M.copy(node, { between = node.between and M.map(node.between, change) }, lists.map(node, function(inside)
      return M.map(inside, change)
    end))
  end
  return change(node)
end

--- A copy of a node for a plan: the script keeps its own nodes, and may change them. copied(value) -> a copy of a word or an option in
-- it. What has the name of a method is left out: only a class has methods.
function M.owned(node, copied)
  local out, class = {}, getmetatable(node).__index
  for key, value in next, node do
    if type(key) == "number" or type(key) == "string" and class[key] == nil then
      out[key] = copied(value)
    end
  end
  return setmetatable(out, getmetatable(node))
end

--- A text, a node or a list of them as a node. `class`: the word that it belongs to; item: its place there.
function M.as_node(value, class, item)
  if type(value) == "string" then
    if value == "" then
      M.fail(class, "empty literal; leave it out", item)
    end
    return M.make(M.classes.literal, { text = value })
  elseif M.is_node(value) then
    return value
  elseif type(value) == "table" then
    return M.classes.list.of(class, value)
  end
  local hints = { ["function"] = "function; call the word: s.name(), not s.name", userdata = "pattern; write s.match(pattern, text)" }
  M.fail(class, ("expected a literal, a word or a list of them, not a %s"):format(hints[type(value)] or type(value)), item)
end

-- A literal as an exact one: white space counts.
local function exact(node)
  return node.body and M.copy(node, { exact = true }) or node
end

--- What ends a text: a literal that begins with a blank and a word is exact, or it would be found inside a longer word.
function M.ending(node)
  return node.body and node.text:find "^[ \t]+%w" and exact(node) or node
end

-- The words that read any text up to the literal behind them.
local ended = lists.set "name given key id capture value text think"

--- The words of a list as the fields of a node.
function M.words_of(class, value)
  if type(value) ~= "table" or M.is_node(value) then
    value = { value }
  end
  local out = {}
  for key, option in pairs(value) do
    if type(key) == "string" then
      out[key] = option
    end
  end
  M.check_options(class, out)
  for i = 1, #value do
    out[i] = M.as_node(value[i], class, i)
    local before = out[i - 1]
    out[i] = value.exact and M.map(out[i], exact) or before and ended[before.word] and not before.is and M.ending(out[i]) or out[i]
  end
  if #out == 0 then
    M.fail(class, "needs at least one word")
  end
  return out
end

--- The named arguments of a word without words inside, as the fields of a node.
function M.options_of(class, given)
  local kind = type(given)
  if given ~= nil and (kind ~= "table" or getmetatable(given)) then -- in Lua 5.1 a pattern is a userdata
    M.fail(class, ("expected named arguments in braces, not a %s"):format(
      (kind == "table" or kind == "userdata") and "word or a pattern" or kind))
  end
  M.check_options(class, given or {})
  return lists.copy(given or {})
end

local function define(name, base, build, options)
  -- a copy: most of what is asked of a node is nowhere, and each step to look there costs
  local class = lists.copy(base, { word = name, build = build })
  M.classes[name], metas[class] = class, { __index = class, options = options or {}, __call = function(node)
    error(("%s%s: a comma is missing after it"):format(node.place or "", name_of(class)), 0)
  end }
  return class
end

--- Defines a word without words inside. options: its named arguments, each with a check that returns what is wrong, "must be ...". The
-- word's file adds its methods.
function M.leaf(name, options)
  return define(name, Word, M.options_of, options)
end

--- The class as seen in this context: with a field `context`.
function M.bound(class, context)
  context.bound = context.bound or {}
  local bound = context.bound[class]
  if not bound then
    bound = setmetatable({ context = context }, { __index = class })
    context.bound[class], metas[bound] = bound, metas[class]
  end
  return bound
end

--- The function that a script calls.
--
-- context: what is known of the scripts that get it: path, of the one that is running; raw(value): the pattern of an object. No
-- module keeps what belongs to an engine.
function M.maker(class, context)
  local bound = M.bound(class, context or {})
  return function(...)
    local fields = class.build(bound, ...)
    return M.is_node(fields) and fields or M.node(bound, fields)
  end
end

-- Methods of calls for functions of scripts.
local seen = {}

--- The arguments in their order, { key, value } each.
function seen:pairs()
  return lists.map(json.keys(self.arguments), function(key)
    return { key, self.arguments[key] }
  end)
end

--- A value as bare text: a string as it is, anything else as JSON.
function seen.text(_, value)
  return type(value) == "string" and value or json.encode(value, ", ", ": ")
end

--- What a script's function gets of a call that is written: nothing that others use.
function M.seen(call)
  return { name = call.name, id = call.id, index = call.index, arguments = call.arguments, extra = call.extra,
    pairs = seen.pairs, text = seen.text }
end

function Word.first(_, _, firsts)
  firsts:unknown()
end

--- In a grammar: what it writes, with any number for the call's.
function Word:tree(context)
  local out = {}
  self:write(setmetatable({ key = context.key, plan = context.plan }, { __index = context.call }), out)
  return context:counted(table.concat(out))
end

function Word.enter() end
function Word.last() end
function Word.many() end

function Word:shown()
  return ("s.%s()"):format(self.word)
end

local Wrapper = lists.copy(Word)
M.Wrapper = Wrapper

--- Defines a word around others.
function M.wrapper(name, options)
  options = options or {}
  options.exact = check.flag
  return define(name, Wrapper, M.words_of, options)
end

--- The words that are written.
function Wrapper:written()
  return self
end

function Wrapper:enter(rest)
  return follow.chain_of(self, 1, rest)
end

function Wrapper:first(rest, firsts)
  firsts:walk(self:enter(rest), true)
end

function Wrapper:last()
  local words = self:written()
  return words[1] and words[#words]:last()
end

function Wrapper:many()
  return lists.some(self:written(), function(inside)
    return inside:many()
  end)
end

function Wrapper:parse(plan, rest, before)
  for i = 1, #self do
    plan:emit(self[i], follow.chain_of(self, i + 1, rest), self[i - 1] or before)
  end
end

function Wrapper:write(call, out, behind)
  for i = 1, #self do
    self[i]:write(call, out, follow.chain_of(self, i + 1, behind))
  end
end

function Wrapper:tree(context)
  return context:sequence(self)
end

function Wrapper:shown()
  return ("%s { %s%s }"):format(name_of(self), self[1]:shown(), self[2] and ", ..." or "")
end

--- find(node, what) -> the first node, in order, for which what(node, parent) is true; or nil. node: also a list of nodes.
function M.find(node, what, parent)
  if what(node, parent) then
    return node
  end
  return lists.some(node, function(inside)
    return M.find(inside, what, node)
  end) or node.between and M.find(node.between, what, node)
end

--- with(node, field[, value]) -> the first node that has this field, with this value if one is given; or nil.
function M.with(node, field, value)
  return M.find(node, function(at)
    return at[field] and (value == nil or at[field] == value)
  end)
end

--- True if a node of this class is inside.
function M.has(node, name)
  return M.with(node, "word", name) ~= nil
end

return M
