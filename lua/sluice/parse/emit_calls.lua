--- Arguments, objects, lists of calls and sections to instructions: adds to the words of sluice.parse.emit.

local core = require "sluice.core"
local emit = require "sluice.parse.emit"
local follow = require "sluice.parse.follow"

local cons, chain_of, firsts_of, laters, texts = follow.cons, follow.chain_of, follow.firsts_of, follow.laters, follow.texts
local words, sequence = emit.words, emit.sequence

-- ---- JSON ----------------------------------------------------------------------------------

function words.arguments(plan, node, rest)
  local p, after = plan.program, laters(rest)
  local resync = {}
  for _, text in ipairs(after) do
    resync[#resync + 1] = text
  end
  for _, text in ipairs(plan.opener_list) do
    resync[#resync + 1] = text
  end
  p:add("arguments", { a = p:put("arguments", { enders = #after > 0 and p:set(after) or nil,
    resync = #resync > 0 and p:set(resync) or nil, quote = node.quote, kwargs = node.kwargs,
    flags = core.LENIENT + (node.kwargs and core.PYTHON or 0) }) })
end

local function list_of(given, default)
  if given == nil then
    given = default
  end
  return type(given) == "table" and given or given and { given } or {}
end

-- The fields of an object that is a call: each key, and what it is for.
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
  for _, key in ipairs(list_of(node.arguments, "arguments")) do
    field(key).arguments = true
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
  p:add("object", { a = p:put("objects", {
    enders = #after > 0 and p:set(after) or nil, quote = node.quote, flags = core.LENIENT + (node.python and core.PYTHON or 0),
    fields = fields_of(plan, node), name_as_key = node.name_as_key, arguments_required = node.arguments_required,
    some_required = node.required ~= nil,
  }) })
end

-- ---- Calls ---------------------------------------------------------------------------------

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
    follow = #list > 0 and p:set(list) or nil, kinds = kinds, must_close = not exits.ends,
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
