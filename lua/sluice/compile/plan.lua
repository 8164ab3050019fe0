--- Compiles a description to a plan: its literals for the core (`format`), its program, and data for writing and others.
--
-- It knows what a block, an opener and a plan are; what a word is it asks the word.

local core = require "sluice.core"
local doubt = require "sluice.compile.doubt"
local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local marks = require "sluice.compile.marks"
local mistakes = require "sluice.compile.mistakes"
local program = require "sluice.compile.program"
local roles = require "sluice.compile.roles"
local schema = require "sluice.schema.types"
local word = require "sluice.word"

local M = {}

---@class sluice.Plan
local Plan = {}
Plan.__index = Plan

local json_start = { ["{"] = true, ["["] = true, ['"'] = true }

--- Adds a word's instructions. rest: the chain after it; before: the word before it.
function Plan:emit(node, rest, before)
  local p = self.program
  local outer = p.node
  p.node, p.depth = node, p.depth + 1
  node:parse(self, rest, before)
  p.node, p.depth = outer, p.depth - 1
end

--- The openers of a call: a block's, or those of the next call in the list around it.
function Plan:call_openers(rest)
  local list = follow.list(self.opener_list)
  while rest do
    local loop = rest.node.loop
    list:all(loop and loop.word == "calls" and follow.texts(follow.firsts(follow.chain_of(loop, 1))) or {})
    rest = rest.rest
  end
  return list
end

-- Literals after a block's last part with content: right after a block they are extra closers.
local function tail_of(block)
  local list = {}
  word.find(block, function(node)
    if node.body then
      list[#list + 1] = #node:body() > 2 and node or nil
    elseif #node == 0 then
      list = {}
    end
  end)
  return list
end

-- A block before its code is made: what can begin it, and where.
local function outline_of(node)
  local firsts = follow.firsts(follow.cons(node))
  local at_line, at_start = node.at == "line" or node.at == "indent", node.at == "start"
  local block = { node = node, firsts = firsts, at_line = at_line, at_start = at_start, place = (at_line and core.AT_LINE
    or at_start and core.AT_START or 0) + ((node.at == "indent" or at_start) and core.INDENT or 0) }
  for _, entry in ipairs(firsts) do
    block.passed = block.passed or entry.passed
  end
  return block
end

-- True if the block can begin with this literal, or with the first part of it.
local function opens(text, block)
  for n = 0, #text do
    if block.firsts.seen[text:sub(1, n)] then
      return true
    end
  end
end

-- True if an opener is too common to report it when no call follows: a sign, a code fence, JSON in a sentence.
local function says_little(entry)
  return entry.anywhere or entry.text:find "^```%w*%s*$" or roles.is_sign(entry.text)
end

-- Notes the openers, and where each may stand. Returns the bytes that can begin a block without a marker, and the places by opener.
local function places_of(plan, blocks)
  local bare, places = {}, {}
  for i, block in ipairs(blocks) do
    local wrong = block.firsts.ends and "may be empty: all of it may be absent; it needs a literal or a word that is required"
      or block.firsts.open and not (block.at_line or block.at_start)
      and "begins with arbitrary text: put a literal before it, or say at = \"line\" or at = \"start\""
    if wrong then
      local where = word.find(block.node, function(at)
        return at.place and at.place ~= ""
      end)
      error(("%sblock %d %s"):format(where and where.place or "", i, wrong), 0)
    end
    local thinks = word.has(block.node, "think") and not word.has(block.node, "name")
    for _, entry in ipairs(block.firsts) do
      if not json_start[entry.text] then
        local text = entry.whole or entry.text
        plan.opener_list[#plan.opener_list + 1] = text
        local known = plan.place[text] -- in the middle of the message
        plan.place[text] = not block.at_start and (known and known ~= block.place and 0 or block.place) or known
      elseif block.at_line then
        plan.line_openers[#plan.line_openers + 1] = entry.text
      end
      if json_start[entry.text] and not entry.anywhere then
        bare[#bare + 1], block.bare = entry.text, true
      else
        local known = places[entry.text]
        -- if only some blocks with this opener require a place, they check it themselves
        places[entry.text] = known and known ~= block.place and 0 or block.place
        plan.late[entry.text] = entry.passed and (not known or plan.late[entry.text]) or nil
        plan.leads[entry.text] = plan.leads[entry.text] or i == 1 or nil
        plan.thinks[entry.text] = thinks and (not known or plan.thinks[entry.text]) or nil
      end
    end
    if block.firsts.open then
      bare[#bare + 1], block.bare = roles.letters .. (block.firsts.bytes or ""), true
    end
    plan.bare_at_line = plan.bare_at_line or block.bare and block.at_line or false
  end
  return table.concat(bare), places
end

-- The openers of blocks: literals and their roles in text and in reasoning. add(text, role): in both.
local function openers_of(plan, blocks, in_text, add)
  local bare, places = places_of(plan, blocks)
  local common, named = lists.set(plan.syntax.prose or {}), {}
  for _, block in ipairs(blocks) do
    for _, node in ipairs(tail_of(block.node)) do
      local text = node:body()
      -- of a call whose opener a server dropped, the closer may be all that is left; a code fence also opens
      if not block.firsts.seen[text] and not text:find "^%s*```" then
        in_text.add(text, core.STRAY + ((block.passed or node.token) and core.LEADING or 0))
      end
    end
  end
  for _, block in ipairs(blocks) do
    for _, entry in ipairs(block.firsts) do
      if places[entry.text] then
        local run = entry.node and entry.node.is_run and entry.node:is_run()
        local told = not (run or block.place ~= 0 or common[entry.text] or says_little(entry))
        if plan.late[entry.text] and places[entry.text] == 0 then -- without its wrapper, in a sentence, it is a quotation
          places[entry.text] = core.AT_LINE + core.INDENT
        end
        local role = core.BLOCK + places[entry.text] + (run and core.ALONE or 0) + (told and core.TOLD or 0)
        local before = entry.node and entry.node.before
        if before then
          plan.of_names[entry.text] = true
          local known = named[before] or { before = before, role = role }
          named[before], plan.named[#plan.named + 1] = known, not named[before] and known or nil
          known.role = known.role ~= role and core.BLOCK or role
        end
        add(entry.text, role)
      end
    end
  end
  return bare
end

local usual = { { open = "<think>\n", close = "\n</think>\n\n" }, { open = "<thinking>\n", close = "\n</thinking>\n\n" } } -- of any model

-- Adds the literals that the syntax lists besides its blocks: end-of-turn tokens, ignored tokens, reasoning. Returns the pairs.
local function other_literals(syntax, blocks, closers, add)
  for _, list in ipairs { { syntax.stop, core.TURN_END }, { syntax.ignore, core.NOISE } } do
    for _, text in ipairs(list[1] or {}) do
      local of_tag = list[2] == core.NOISE and text:find "^<[^>]*$" -- the beginning of a tag
      local opener = lists.some(blocks, function(block) -- markup only if it does not open a block
        return opens(text, block)
      end)
      add(text, list[2] + (of_tag and core.NOISE_TAG or 0) + (opener and core.BLOCK or 0))
    end
  end
  return lists.map(lists.joined(syntax.reasoning or {}, syntax.reasoning and not syntax.origin and {} or usual), function(pair)
    local _, open, lead = follow.parts(pair.open)
    local trail, close, after = follow.parts(pair.close)
    add(open, core.REASON)
    add(close, core.REASON_END)
    closers.add(close, 0)
    return { lead = lead, trail = trail, after = after, open = open, close = close }
  end)
end

-- The addresses of the blocks that can begin with each of these literals, and then of those without a marker.
local function starts_of(blocks, texts)
  local starts = lists.map(texts, function(text)
    return lists.map(blocks, function(block)
      return opens(text, block) and block.address or nil
    end)
  end)
  starts[#starts + 1] = lists.map(blocks, function(block)
    return block.bare and block.address or nil
  end)
  return starts
end

-- Members of objects besides name, arguments and id: JSON text of the key, and of the default value.
local function extra_of(plan)
  local found, seen = {}, {}
  word.find(plan.blocks, function(at)
    for _, pair in ipairs(at.extra or {}) do
      found[#found + 1] = not seen[pair[1]] and pair or nil
      seen[pair[1]] = true
    end
  end)
  return found
end

local encoded = { '"{', '" {', '"\\n', '"\n', "'{", '"\\u007b', '"\\t{', '"\\"{' }

-- The format for the core.
local function format_of(plan)
  local syntax, literals, options = plan.syntax, plan.literals, plan.syntax.options or {}
  return core.format {
    name = syntax.name, text = literals.text.set(core.STRAY),
    watched = literals.text.watched(plan.text_ends, plan.program.literals.list),
    reasoning = literals.reasoning.set(), closers = literals.closers.set(),
    pairs = literals.pairs, fence = core.set { "\n```" }, fence_text = options.fences == "text", cut_tokens = syntax.cut_tokens,
    special = syntax.special and core.set(syntax.special) or nil, bare = literals.bare, bare_at_line = plan.bare_at_line,
    start_trim = syntax.has.section, defaults = options,
  }
end

-- Gives a plan its program.
local function complete(plan, blocks)
  if plan.code then
    return
  end
  local p, syntax = program.new(), plan.syntax
  plan.program, plan.ways, plan.extra = p, { count = #blocks }, extra_of(plan)
  local reserved = syntax.has.section -- the start of the message is for calls
  for i, block in ipairs(blocks) do
    plan.block, block.address = block.node, p:here()
    block.node:parse(plan, nil)
    p:add("close", { many = word.has(block.node, "calls") or reserved })
    plan.ways[block.address] = ("block %d of %d:"):format(i, #blocks)
  end
  p.literals = doubt.literals(plan.blocks, syntax.has, syntax.special)
  plan.format = format_of(plan)
  p.format, p.known = plan.format, syntax.tools
  p.extra = lists.map(plan.extra, function(pair)
    return { key = core.json.encode(pair[1]), otherwise = pair[2] }
  end)
  p.starts = starts_of(blocks, lists.joined(plan.literals.text.list, plan.literals.reasoning.list))
  p.namespaces, p.fixed_parameters = syntax.namespaces, syntax.fixed_parameters
  p.repeated_is_array, p.singular_keys = syntax.repeated_is_array, syntax.singular_keys
  p.untyped, p.repairs_names, p.reserved_section = schema.undeclared[plan.untyped], syntax.repair_name ~= nil, reserved
  p.encoded, p.nothing = core.set(encoded), core.set { "null", "None", '""', "''", '" "', '"null"' }
  p.fence, p.fence_end = core.set { "```json", "```" }, core.set { "```" }
  plan.code = core.program(p)
  plan.patterns = p.patterns
end

-- The blocks for tools with these names, and true if they depend on them.
local function blocks_for(syntax, names)
  local depends = false
  local out = lists.map(syntax.blocks, function(block)
    local has = syntax.has.given and word.has(block, "given")
    depends = depends or has
    return has and word.classes.given.expand(block, names or syntax.tools or {}) or block
  end)
  return out, depends
end

-- The literals that are searched for in text and in reasoning.
local function literals_of(plan, blocks)
  local syntax = plan.syntax
  local in_text, in_reasoning, closers = roles.new(), roles.new(), roles.new()
  local function add(text, role)
    in_text.add(text, role)
    in_reasoning.add(text, role)
  end
  local bare = openers_of(plan, blocks, in_text, add)
  local pairs_of = other_literals(syntax, blocks, closers, add)
  add("`", 0) -- a fence, or inline code
  in_text.add("\239\187\191", core.LEADING) -- a byte order mark
  plan.literals = { text = in_text, reasoning = in_reasoning, closers = closers, pairs = pairs_of, bare = bare }
  plan.reasoning, plan.prompt_opens = syntax.reasoning and syntax.reasoning[1], roles.prompt_opens(pairs_of, in_text)
end

--- outline(syntax[, names]): the plan of a description that is known to be good, without its program until plan.complete() is called.
function M.outline(syntax, names)
  local nodes, depends = blocks_for(syntax, names)
  local plan = setmetatable({ syntax = syntax, blocks = nodes, untyped = syntax.default_type or "json", opener_list = {}, line_openers = {},
    place = {}, late = {}, leads = {}, thinks = {}, named = {}, of_names = {}, text_ends = {} }, Plan)
  plan.known = syntax.tools and syntax.tools[1] and lists.set(syntax.tools)
  local blocks = lists.map(nodes, outline_of)
  literals_of(plan, blocks)
  function plan.complete()
    complete(plan, blocks)
  end
  plan.for_mark = marks.plans(plan, M.plan)
  if depends and not names then
    local made = marks.kept(8, function(_, tools) -- hosts send the same tools with each request
      return M.outline(syntax, lists.each(tools.list, "name"))
    end)
    --- plan.outline_for(tools): the plan for streams with these tools, without its program.
    function plan.outline_for(tools)
      tools.names_text = tools.names_text or lists.join(tools.list, function(tool) -- made once: each stream asks for it
        return #tool.name .. ":" .. tool.name
      end)
      tools.outlines = tools.outlines or {} -- streams use them as long as there are these tools
      tools.outlines[plan] = tools.outlines[plan] or made(tools.names_text, tools)
      return tools.outlines[plan]
    end
    --- plan.for_tools[tools]: the same with its program, as long as there are these tools.
    plan.for_tools = setmetatable({}, { __mode = "k", __index = function(plans, tools)
      local own = plan.outline_for(tools)
      own.complete()
      plans[tools] = own
      return own
    end })
  end
  return plan
end

--- plan(syntax): compiles a description. Raises a message if it can never read a call.
function M.plan(syntax)
  mistakes.check(syntax)
  local plan = M.outline(syntax)
  plan.complete()
  return plan
end

return M
