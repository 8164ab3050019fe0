--- Compiles arguments, objects, lists of calls and sections to instructions: adds to the words of sluice.parse.emit.

local core = require "sluice.core"
local emit = require "sluice.parse.emit"
local follow = require "sluice.parse.follow"

local cons, chain_of, firsts_of, laters, texts = follow.cons, follow.chain_of, follow.firsts_of, follow.laters, follow.texts
local words, sequence = emit.words, emit.sequence

-- ---- JSON ----------------------------------------------------------------------------------

-- The closers of the call itself after its arguments: literals up to a required one, or to the end of the call.
local function closers_of(chain)
  local list = {}
  while chain and chain.node.word ~= "again" do
    local found = firsts_of(cons(chain.node))
    for _, entry in ipairs(found) do
      list[#list + 1] = entry.text
    end
    chain = found.ends and chain.rest or nil
  end
  return list
end

function words.arguments(plan, node, rest)
  local p, after = plan.program, laters(rest)
  local resync = {}
  for _, text in ipairs(after) do
    resync[#resync + 1] = text
  end
  for _, text in ipairs(plan.opener_list) do
    resync[#resync + 1] = text
  end
  local enders, closers = after, closers_of(rest)
  if #after == 0 then -- the arguments end the block: a new block, or the turn's end, can follow; words may be anything
    enders = {}
    local seen = {}
    for _, list in ipairs { plan.opener_list, plan.syntax.stop or {} } do
      for _, text in ipairs(list) do
        enders[#enders + 1] = #text > 2 and text:find "^[^%w%s]" and not seen[text] and text or nil
        seen[text] = true
      end
    end
    closers = plan.syntax.stop or {}
  end
  local spec = { closers = #closers > 0 and p:set(closers) or nil, enders = #enders > 0 and p:set(enders) or nil,
    resync = #resync > 0 and p:set(resync) or nil, quote = node.quote, kwargs = node.kwargs,
    flags = core.LENIENT + (node.kwargs and core.PYTHON or 0) }
  p:add("arguments", { a = p:put("arguments", spec) })
  if node.raw then -- anything but an object is text
    local out = p:add "jump"
    spec.raw = p:here()
    emit.words.value(plan, { word = "value", key = node.raw, trim = true, unquoted = true, single = true }, rest)
    out.a = p:here()
  end
end

local function list_of(given, default)
  if given == nil then
    given = default
  end
  return type(given) == "table" and given or given and { given } or {}
end

-- The fields of an object that is a call: each key with its purposes.
local function fields_of(plan, node)
  local list, by_key = {}, {}
  local function field(key)
    if not by_key[key] then
      by_key[key] = { key = key }
      list[#list + 1] = by_key[key]
    end
    return by_key[key]
  end
  for _, key in ipairs(list_of(node.name, "name")) do
    field(key).name = true
  end
  for _, key in ipairs(node.arguments == "*" and {} or list_of(node.arguments, "arguments")) do
    field(key).arguments = true
  end
  for _, key in ipairs(node.reasoning or {}) do
    field(key).reasoning = true
  end
  for _, key in ipairs(node.ignored or {}) do
    field(key).ignored = true
  end
  for _, key in ipairs(list_of(node.id)) do
    field(key).id = true
  end
  for _, pair in ipairs(node.extra or {}) do
    for i, known in ipairs(plan.extra) do
      if known[1] == pair[1] then
        field(pair[1]).extra = i
      end
    end
  end
  for key, kind in pairs(node.required or {}) do
    field(key).required = kind
  end
  table.sort(list, function(a, b) -- `pairs` has no order
    return a.key < b.key
  end)
  return list
end

function words.object(plan, node, rest)
  local p, after = plan.program, laters(rest)
  for _, text in ipairs(plan.opener_list) do
    after[#after + 1] = text
  end
  local brace_follows = false -- the brace of an object around this one
  for _, entry in ipairs(firsts_of(rest)) do
    brace_follows = brace_follows or entry.text:sub(1, 1) == "}"
  end
  local names = list_of(node.name, "name")
  p:add("object", { a = p:put("objects", {
    enders = #after > 0 and p:set(after) or nil, quote = node.quote, flags = core.LENIENT + (node.python and core.PYTHON or 0),
    fields = fields_of(plan, node), name_as_key = node.name_as_key, arguments_required = node.arguments_required,
    some_required = node.required ~= nil, flat = node.arguments == "*", scalar = node.scalar, answers = node.answers,
    arguments_optional = node.arguments_optional or node.scalar ~= nil or node.answers ~= nil or node.arguments == "*"
      or node.reasoning ~= nil or node.ignored ~= nil,
    anywhere = node.anywhere, brace_follows = brace_follows,
    opening = #names == 1 and p:set({ ('{"%s": "'):format(names[1]) }) or nil,
  }) })
end

-- An object with a member that holds calls.
function words.member(plan, node, rest)
  local p, fixed = plan.program, {}
  for i, pair in ipairs(node.fixed or {}) do
    fixed[i] = { key = pair[1], value = pair[2] }
  end
  local spec = { keys = node.keys, fixed = fixed, reasoning = node.reasoning, anywhere = node.anywhere }
  local number = p:put("members", spec)
  p:add("member", { a = number })
  emit.emit(plan, node[1], cons({ word = "member_end" }, rest))
  p:add("member_end", { a = number })
  spec.out = p:here()
end

-- ---- Names and values that are not read, or elsewhere ---------------------------------------

-- The text before a name, joined with the name of a given tool: see sluice.parse.declared.
function words.declared(plan, node)
  local p, first = plan.program, nil
  for i, name in ipairs(node.names) do
    local number = p:text(name, true)
    first = first or number
    assert(number == first + i - 1)
  end
  p:add("declared", { a = p:set(node.texts), b = first, c = node.prefix })
end

function words.carried(plan, node)
  plan.program:add("carried", { a = plan.program:text(node.key) })
end

function words.fence(plan, node)
  plan.program:add("fence", { opens = node.what == "open" })
end

-- Text for `extra`.
function words.extra(plan, node, rest)
  local p, number = plan.program, nil
  for i, pair in ipairs(plan.extra) do
    number = pair[1] == node.key and i - 1 or number
  end
  p:add("side", { a = p:set(texts(firsts_of(rest))), b = number })
end

-- ---- Calls ---------------------------------------------------------------------------------

local function is_blank(node)
  return node.text ~= nil and not node.text:find "%S"
end

-- True if these words end with a closer, or are JSON, which has its own end. Otherwise what follows may belong to the last value.
local function closes(node)
  local word = node.word
  if word == "any" then
    local all = true
    for i = 1, #node do
      all = all and closes(node[i])
    end
    return all
  end
  for i = #node, 1, -1 do
    if not is_blank(node[i]) then
      return closes(node[i])
    end
  end
  return not (word == "value" or word == "items" or word == "block_text")
end

function words.calls(plan, node, rest)
  local p, again = plan.program, { word = "again", loop = node }
  local between = node.between and firsts_of(cons(node.between, nil))
  local body = firsts_of(chain_of(node, 1, nil))
  local exits = firsts_of(rest)
  local list, kinds, seen = {}, {}, {}
  local function add(acc, kind)
    for _, entry in ipairs(acc or {}) do
      if not seen[entry.text] then
        seen[entry.text] = true
        list[#list + 1], kinds[#kinds + 1] = entry.text, kind
      end
    end
  end
  if not node.once then
    add(between, "between")
    add(body, "body")
  end
  add(exits, "exit")
  local spec = {
    follow = #list > 0 and p:set(list) or nil, kinds = kinds, must_close = not exits.ends, unclosed = not closes(node),
    closers = #exits > 0 and p:set(texts(exits)) or nil, starts = #body > 0 and p:set(texts(body)) or nil, once = node.once,
    open = body.open, in_json = body.seen["{"] ~= nil and #body == 1 and body[1].node == nil,
  }
  local number = p:put("calls", spec)
  p:add("calls", { a = number })
  spec.call = p:here()
  p:add("call", { a = number })
  sequence(plan, node, node.once and rest or cons(again, rest))
  p:add("call_end", { a = number })
  spec.bad = p:here()
  p:add("call_bad", { a = number })
  if node.between then
    spec.between_at = p:here()
    p:add("between_end", { a = number })
    emit.emit(plan, node.between, chain_of(node, 1, cons(again, rest)))
    p:add("jump", { a = spec.between_at })
  end
  spec.out = p:here()
end

function words.section(plan, node)
  local p, list = plan.program, {}
  for i, text in ipairs(node.close) do
    list[i] = text:match "^%s*(.-)%s*$"
  end
  local spec = { close = p:set(list), after = node.after or "" }
  local number = p:put("sections", spec)
  p:add("section", { a = number })
  local stop = p:here()
  p:add("section_end", { a = number })
  spec.array = p:here()
  sequence(plan, { node[1] }, nil)
  p:add("jump", { a = stop })
  spec.object = p:here()
  sequence(plan, { { word = "calls", once = true, node[2] } }, nil)
  p:add("jump", { a = stop })
  spec.out = p:here()
end
