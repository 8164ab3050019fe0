--- Compiles a description to a plan: its literals for the core (`format`), its program, and data for render and others.

local core = require "sluice.core"
local declared = require "sluice.parse.declared"
local doubt = require "sluice.parse.doubt"
local emit = require "sluice.parse.emit"
local follow = require "sluice.parse.follow"
local marks = require "sluice.marks"
local mistakes = require "sluice.parse.mistakes"
local program = require "sluice.parse.program"
local schema = require "sluice.schema.types"
local vocabulary = require "sluice.syntax"
require "sluice.parse.emit_calls"
require "sluice.parse.emit_parameters"

local parts, body_of, cons, firsts_of, has, opaque = follow.parts, follow.body_of, follow.cons, follow.firsts_of, follow.has, follow.opaque

local M = {}

local json_start = { ["{"] = true, ["["] = true, ['"'] = true }

-- If some alternatives hold several calls and others one, turns the others into calls that occur once.
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

-- Literals after a block's last part with content: right after a block they are extra closers.
local function tail_of(seq, list)
  local before = #list
  local function walk(node)
    local word = node.word
    if word == "literal" then
      local body = body_of(node)
      if #body > 2 then
        list[#list + 1] = body
      end
    elseif opaque[word] or word == "arguments" or word == "object" or word == "backref" then
      for i = #list, before + 1, -1 do
        list[i] = nil
      end
    end
    for i = 1, #node do
      walk(node[i])
    end
  end
  walk(seq)
end

-- The first characters of a name, for blocks that begin with one.
local letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

-- either[a][b]: the bits that are in a or b. A bitwise "or" for every Lua; there are few roles, and many literals.
local either = setmetatable({}, {
  __index = function(known, a)
    known[a] = setmetatable({}, {
      __index = function(of_a, b)
        local sum, bit = a, 1
        while bit <= b do
          if b % (bit * 2) >= bit and a % (bit * 2) < bit then
            sum = sum + bit
          end
          bit = bit * 2
        end
        of_a[b] = sum
        return sum
      end,
    })
    return known[a]
  end,
})

--- roles(): literals and their roles; a literal may have several roles.
function M.roles()
  local self = { list = {}, role = {}, index = {} }
  function self.add(text, role)
    local i = self.index[text]
    local have = i and self.role[i]
    if not i then
      i = #self.list + 1
      self.list[i], self.role[i], self.index[text] = text, role, i
      return
    elseif have == role or role == 0 then
      return
    end
    have = either[have][role]
    self.role[i] = have
  end
  function self.set(quiet)
    return core.set(self.list, self.role, quiet)
  end
  return self
end

-- True if the block can begin with this literal, or with the first part of it.
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

--- prompt_opens(pairs) -> a function of a prompt: true if its tail leaves reasoning of one of these pairs open.
function M.prompt_opens(pair_list)
  -- The place of the last of these texts; 0 if there is none.
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

-- The position of a block in the script: "file:line: ", or "".
local function place_of(seq)
  local word = vocabulary.find(seq, function(node)
    return node.place
  end)
  return word and word.place or ""
end

-- ---- The program ---------------------------------------------------------------------------

-- The properties of a block before its code is made.
local function outline_block(seq)
  local block = { firsts = firsts_of(cons(seq, nil)), at_line = seq.at == "line" or seq.at == "indent",
    at_start = seq.at == "start" or seq.at == "message", indented = seq.at == "indent" or seq.at == "message" }
  for _, entry in ipairs(block.firsts) do
    block.anywhere = block.anywhere or entry.anywhere
  end
  return block
end

-- Emits a block's code.
local function emit_block(plan, seq, block)
  local p = plan.program
  plan.block, block.address = seq, p:here()
  if block.anywhere then
    p:add "weak"
  end
  emit.sequence(plan, seq, nil)
  p:add("close", { many = has(seq, "calls") or has(seq, "section") })
end

-- Members besides name, arguments and id: JSON text of the key, and of the default value.
local function extra_of(blocks)
  local found = {}
  for _, seq in ipairs(blocks) do
    local node = vocabulary.find(seq, function(at)
      return at.word == "object" and at.extra
    end)
    for _, pair in ipairs(node and node.extra or {}) do
      found[#found + 1] = pair
    end
    local text = vocabulary.find(seq, "extra")
    if text then
      found[#found + 1] = { text.key }
    end
  end
  return found
end

local encoded = { '"{', '" {', '"\\n', '"\n', "'{", '""', "''", '"\\u007b', '"\\t{', '"\\"{' }

-- Hands the program to the core. `starts`: the blocks that each literal in text can begin, then each in reasoning, then those
-- without an opener.
local function finish_program(plan, starts)
  local p, extra = plan.program, {}
  p:finish()
  for i, pair in ipairs(plan.extra) do
    extra[i] = { core.json.encode(pair[1]), pair[2] }
  end
  local known
  for name in pairs(plan.known or {}) do
    known = known or {}
    known[#known + 1] = name
  end
  plan.code = core.program {
    code = p.code, sets = p.sets, anys = p.anys, attributes = p.attributes, contents = p.contents, values = p.values, loops = p.loops,
    elements = p.elements, arguments = p.arguments, objects = p.objects, calls = p.calls, sections = p.sections,
    members = p.members, texts = p.texts, format = plan.format, starts = starts, namespaces = plan.namespaces,
    fixed_parameters = plan.keys, known = known, extra = extra,
    untyped = schema.mask_undeclared(plan.untyped), repeated_is_array = plan.repeats, singular_keys = plan.plural,
    repairs_names = plan.mend_name ~= nil, literals = doubt.literals(plan.blocks),
    reserved_section = plan.reserved, encoded = core.set(encoded), nothing = core.set { "null", "None", '""', "''" },
    fence = core.set { "```json", "```" }, fence_end = core.set { "```" },
  }
  plan.patterns = p.patterns
end

-- True if an opener is too common to report it when no call follows: a sign, a code fence, JSON in a sentence.
local function says_little(entry)
  return entry.anywhere or entry.text:sub(1, 3) == "```" or (#entry.text < 2 and not entry.text:find "[%w\128-\255]")
end

-- The openers of blocks: literals and their roles in text and in reasoning, and bytes that can begin a block without a marker.
local function openers_of(plan, compiled, in_text, in_reasoning)
  local bare, bare_at_line, places, runs, common = {}, false, {}, {}, {}
  for _, text in ipairs(plan.syntax.common_in_prose or {}) do
    common[text] = true
  end
  for i, block in ipairs(compiled) do
    local seq = plan.blocks[i]
    if block.firsts.ends then
      error(("%sblock %d may be empty: all of it may be absent; it needs a literal or a word that must stand"):format(place_of(seq),
        i), 0)
    end
    for _, entry in ipairs(block.firsts) do
      if json_start[entry.text] and not entry.anywhere then
        bare[#bare + 1] = entry.text
        block.bare = true
      else
        local place = (block.at_line and core.AT_LINE or block.at_start and core.AT_START or 0) + (block.indented and core.INDENT or 0)
        if places[entry.text] and places[entry.text] ~= place then
          place = 0 -- only some blocks with this opener require a place; they check it themselves
        end
        places[entry.text] = place
        runs[entry.text] = entry.node and entry.node.run
        plan.late[entry.text] = entry.passed and plan.late[entry.text] ~= false
        plan.leads[entry.text] = plan.leads[entry.text] or i == 1
      end
    end
    if block.firsts.open then
      if not (block.at_line or block.at_start) then
        error(("%sblock %d begins with what may be anything: put a literal before it, or say at = \"line\" or at = \"start\"")
          :format(place_of(seq), i), 0)
      end
      local value = vocabulary.find(seq, "value")
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
        local told = not (runs[entry.text] or block.at_line or block.at_start or common[entry.text] or says_little(entry))
        if plan.late[entry.text] and places[entry.text] == 0 then -- without its wrapper, in a sentence, it is a quotation
          places[entry.text] = core.AT_LINE + core.INDENT
        end
        local role = core.BLOCK + places[entry.text] + (runs[entry.text] and core.ALONE or 0)
          + (told and core.TOLD or 0)
        if plan.named and entry.node and entry.node.word == "declared" then
          local before = entry.node.before
          plan.of_names[entry.text] = true
          plan.named[before] = { role = plan.named[before] and plan.named[before].role ~= role and core.BLOCK or role,
            late = plan.late[entry.text] }
        end
        in_text.add(entry.text, role)
        in_reasoning.add(entry.text, role)
      end
    end
  end
  return table.concat(bare), bare_at_line
end

-- The addresses of the blocks that each literal can begin.
local function starts_of(compiled, in_text, in_reasoning, by_hand)
  local starts = {}
  for _, list in ipairs { in_text.list, in_reasoning.list } do
    for _, text in ipairs(list) do
      local found = {}
      for _, block in ipairs(compiled) do
        found[#found + 1] = (by_hand or opens(text, block)) and block.address or nil
      end
      starts[#starts + 1] = found
    end
  end
  local bare = {}
  for _, block in ipairs(compiled) do
    bare[#bare + 1] = (by_hand or block.bare) and block.address or nil
  end
  starts[#starts + 1] = bare
  return starts
end

-- Adds the literals that the syntax lists besides its blocks: end-of-turn tokens, ignored tokens, reasoning. Returns the pairs.
local function other_literals(syntax, compiled, in_text, in_reasoning, closers)
  for _, text in ipairs(syntax.starts or {}) do
    in_text.add(text, core.BLOCK)
    in_reasoning.add(text, core.BLOCK)
  end
  for _, list in ipairs { { syntax.stop, core.TURN_END }, { syntax.ignored_tokens, core.NOISE },
    { syntax.ignored_tags, core.NOISE + core.NOISE_TAG } } do
    for _, text in ipairs(list[1] or {}) do
      local role = list[2]
      for _, block in ipairs(compiled) do
        if opens(text, block) then -- markup only if it does not open a block
          role = list[2] + core.BLOCK
        end
      end
      in_text.add(text, role)
      in_reasoning.add(text, role)
    end
  end
  for _, text in ipairs(syntax.ignored_at_start or {}) do
    in_text.add(text, core.LEADING)
  end
  local pair_list, given = {}, reasoning_pairs(syntax.reasoning)
  for i, pair in ipairs(given) do
    local _, open, lead = parts(pair.open)
    local trail, close, after = parts(pair.close)
    in_text.add(open, core.REASON + core.PAIR * (i - 1))
    in_text.add(close, core.REASON_END + core.PAIR * (i - 1))
    in_reasoning.add(open, core.REASON)
    in_reasoning.add(close, core.REASON_END + (closers.index[close] and 0 or core.PAIR * (i - 1))) -- the first pair that it closes
    closers.add(close, 0)
    pair_list[i] = { lead = lead, trail = trail, after = after, open = open, close = close }
  end
  return pair_list, given
end

-- plan.for_mark(mark): the plan of the syntax with this mark, or nil and a message. Cached for the last marks.
local function marks_of(plan, lpeg)
  local syntax, kept = plan.syntax, {}
  return function(mark)
    for i, one in ipairs(kept) do
      if one.mark == mark then
        table.insert(kept, 1, table.remove(kept, i))
        return one.plan
      end
    end
    local description, message = marks.description(syntax, mark)
    if not description then
      return nil, message
    end
    local made = M.plan(description, lpeg)
    made.mark = mark
    for _, list in ipairs { made.opener_list, made.line_openers } do
      for _, opener in ipairs(list) do
        if not opener:find(mark, 1, true) then
          return nil, ("%s cannot be marked: `%s` may begin a call, and `marked` does not name it"):format(syntax.name, opener)
        end
      end
    end
    table.insert(kept, 1, { mark = mark, plan = made })
    kept[17] = nil
    return made
  end
end

-- What is searched for of backticks: runs that may be fences. Each backtick where a literal begins with fewer, so that it is not found
-- within a run, or where a backtick may begin a block by itself.
local function ticks_of(list, bare)
  local each = bare:find("`", 1, true)
  for _, text in ipairs(list) do
    each = each or text:find "^`" and not text:find "^```"
  end
  return each and "`" or "```"
end

-- Gives a plan its program.
local function complete(plan, compiled)
  if plan.code then
    return
  end
  plan.extra = extra_of(plan.syntax.blocks)
  plan.program, plan.elements, plan.ways = program.new(), {}, { count = #plan.syntax.blocks } -- ways: the beginning of each block
  for i, block in ipairs(compiled) do
    if plan.by_hand then
      block.address = plan.program:here()
      plan.program:add "hand"
    else
      emit_block(plan, plan.blocks[i], block)
      plan.ways[block.address] = ("block %d of %d:"):format(i, #plan.syntax.blocks)
    end
  end
  finish_program(plan, starts_of(compiled, plan.literals.text, plan.literals.reasoning, plan.by_hand))
end

--- plan.plan(syntax, lpeg[, names]): compiles a syntax. Raises a message if the description is ambiguous. names: of the given tools, if
-- openers are made from them.
function M.plan(syntax, lpeg, names)
  mistakes.words(syntax.blocks)
  mistakes.check(syntax.blocks, syntax.examples, lpeg)
  local plan = M.outline(syntax, lpeg, names)
  mistakes.unnamed(syntax.blocks)
  plan.complete()
  return plan
end

--- plan.outline(syntax, lpeg[, names]): the same for a description that is known to be good, without its program until
-- plan.complete() is called: enough to search the text for its blocks.
function M.outline(syntax, lpeg, names)
  local given_blocks, by_names = declared.blocks(syntax, names)
  local plan = {
    syntax = syntax, lpeg = lpeg, keys = syntax.fixed_parameters or {}, namespaces = syntax.namespaces or {},
    untyped = syntax.default_type or "json", repeats = syntax.repeated_is_array, plural = syntax.singular_keys,
    mend_name = syntax.repair_name, reserved = syntax.reserved_section, by_hand = syntax.parse ~= nil, opener_list = {},
    line_openers = {}, late = {}, leads = {}, anywhere = {}, blocks = given_blocks,
    named = not names and {} or nil, of_names = {}, -- texts before tools' names in openers, if none are given; the openers
  }
  if syntax.tools then
    plan.known = {}
    for _, name in ipairs(syntax.tools) do
      plan.known[name] = true
    end
  end
  for _, seq in ipairs(given_blocks) do
    follow.prepare(seq)
    even_out(seq)
    for _, entry in ipairs(firsts_of(cons(seq, nil))) do
      if not json_start[entry.text] then
        plan.opener_list[#plan.opener_list + 1] = entry.text
        plan.anywhere[entry.text] = plan.anywhere[entry.text] or not (seq.at == "start" or seq.at == "message")
      elseif seq.at == "line" or seq.at == "indent" then
        plan.line_openers[#plan.line_openers + 1] = entry.text
      end
    end
  end
  local compiled = {}
  for i, seq in ipairs(given_blocks) do
    compiled[i] = outline_block(seq)
  end
  if plan.by_hand then
    compiled = { { firsts = { seen = {} } } }
    plan.blocks = { {} }
    plan.main = syntax.parse
  end
  local in_text, in_reasoning, closers = M.roles(), M.roles(), M.roles()
  local bare, bare_at_line = openers_of(plan, compiled, in_text, in_reasoning)
  local pair_list, given = other_literals(syntax, compiled, in_text, in_reasoning, closers)
  plan.reasoning = given[1] -- the pair that is written
  in_text.add(ticks_of(in_text.list, bare), core.TICK)
  if syntax.reads_all then -- a response template: its program starts at the first byte
    for i = 1, 255 do
      in_reasoning.add(string.char(i), core.BLOCK)
      bare = bare .. string.char(i)
    end
  end
  local good
  good, plan.format = pcall(core.format, {
    name = syntax.name, text = in_text.set(core.STRAY), reasoning = in_reasoning.set(), closers = closers.set(), pairs = pair_list,
    fence = core.set { "\n```" }, fence_text = syntax.fence == "text",
    cut_tokens = syntax.cut_tokens, special = syntax.special and syntax.special[1] and core.set(syntax.special) or nil,
    bare = bare, bare_at_line = bare_at_line, start_trim = syntax.trim, defaults = M.defaults(syntax),
  })
  if not good then -- a bad default of a stream option: its message without a position in this file
    error(plan.format, 0)
  end
  function plan.complete()
    complete(plan, compiled)
  end
  plan.literals = { text = in_text, reasoning = in_reasoning, closers = closers, pairs = pair_list, bare = bare,
    bare_at_line = bare_at_line }
  plan.prompt_opens = syntax.prompt_opens or M.prompt_opens(pair_list)
  plan.for_mark = marks_of(plan, lpeg)
  if by_names and not names then
    local made = declared.cache(function(tools)
      return M.outline(syntax, lpeg, tools.name_list)
    end)
    --- plan.for_tools(tools[, later]): the plan for streams with these tools, cached. `later`: without its program.
    function plan.for_tools(tools, later)
      local own = made(tools)
      if not later then
        own.complete()
      end
      return own
    end
  end
  return plan
end

--- The stream options that a syntax sets.
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
