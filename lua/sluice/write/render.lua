--- Calls to text, in the model's own format: the same words, written instead of read.
--
-- What was written is parsed again; what does not come back as it was is refused, never mangled.

local core = require "sluice.core"
local types = require "sluice.schema.types"
local validate = require "sluice.schema.validate"
local vocabulary = require "sluice.syntax"

local json = core.json
local M = {}

-- A refusal, carried out of the words to M.render.
local function refuse(message, ...)
  error({ refusal = message:format(...) }, 0)
end

local write

local function sequence(seq, call, out)
  for i = 1, #seq do
    write(seq[i], call, out)
  end
end

local function json_text(call, value)
  return json.encode(value, call.style.item, call.style.key)
end

-- A value where the format writes bare text: strings as they are, everything else as JSON.
local function bare(call, value)
  if type(value) == "string" then
    return value
  end
  return json_text(call, value)
end

local function take(call, key)
  call.used[key] = true
  return call.arguments[key]
end

local words = {}

function words.literal(node, _, out)
  out[#out + 1] = node.text
end

words.sequence, words.exact, words.calls = sequence, sequence, sequence

-- Does the call lack a parameter that the word has by its name?
local function lacks(node, call)
  return vocabulary.find(node, function(at)
    return at.key and (at.word == "value" or at.word == "block_text") and call.arguments[at.key] == nil
  end) ~= nil
end

local function wrapped(node, call, out)
  if not lacks(node, call) then
    sequence(node, call, out)
  end
end
words.recoverable = wrapped

function words.optional(node, call, out)
  if node.write ~= false then
    wrapped(node, call, out)
  end
end

function words.pattern(node, call, out)
  out[#out + 1] = type(node.text) == "function" and node.text(call) or node.text
end

-- The alternatives that are written, by number, in the order in which they are tried.
local function alternatives(node)
  if type(node.write) == "table" then
    return node.write
  elseif node.write then
    return { node.write }
  end
  local all = {}
  for i = 1, #node do
    all[i] = i
  end
  return all
end

function words.any(node, call, out)
  -- the first of them that can carry what is left of the call
  local problem
  for _, i in ipairs(alternatives(node)) do
    local used, piece = {}, {}
    for key in pairs(call.used) do
      used[key] = true
    end
    local ok, why = pcall(write, node[i], call, piece)
    if ok then
      for _, text in ipairs(piece) do
        out[#out + 1] = text
      end
      return
    end
    if not problem or (type(problem) == "table" and problem.other) then
      problem = why
    end
    call.used = used
  end
  error(problem, 0)
end

function words.name(node, call, out)
  if node.is and node.is ~= call.name then
    error({ refusal = ("what is written so is a call of '%s', not of '%s'"):format(node.is, call.name), other = true }, 0)
  end
  out[#out + 1] = not node.is and call.name or nil
end

function words.key(_, call, out)
  out[#out + 1] = call.key
end

function words.backref(node, call, out)
  out[#out + 1] = node.what == "key" and call.key or call.name
end

function words.id(_, call, out)
  out[#out + 1] = call.id or ("call_%d"):format(call.index)
end

-- An attribute of a tag. kind: of the value.
local function attribute(pair, call, kind)
  local word, text = pair[2], nil
  if word.word == "number" then
    text = ("%d"):format(call.index - 1 + (word.from or 0))
  elseif word.word == "type" then
    for written, read in pairs(word.map or {}) do
      if read == kind or (read == "json" and not text and kind ~= "string") then
        text = written
      end
    end
    text = text or kind
  else
    text = word.word == "name" and call.name or call.key
    text = text:gsub("[&\"]", { ["&"] = "&amp;", ['"'] = "&quot;" })
  end
  return (' %s="%s"'):format(pair[1], text)
end

-- A parameter as an attribute; "" where the call has none.
local function parameter(pair, call, decoded)
  local value = call.arguments[pair[2].key]
  if value == nil then
    return ""
  end
  local text = bare(call, take(call, pair[2].key))
  if decoded then
    text = text:gsub('[&"<>]', { ["&"] = "&amp;", ['"'] = "&quot;", ["<"] = "&lt;", [">"] = "&gt;" })
  end
  if text:find '[">\r\n]' then
    refuse("the value of %s cannot stand in an attribute", pair[2].key)
  end
  return (' %s="%s"'):format(pair[1], text)
end

function words.attributes(node, call, out)
  for _, pair in ipairs(node.list) do
    out[#out + 1] = pair[2].word == "value" and parameter(pair, call, node.entities)
      or pair[2].word ~= "value" and attribute(pair, call, json.kind(call.value)) or nil
  end
end

function words.header(node, call, out)
  local header, keys = node.render(call)
  if not header then
    refuse("%s", keys or "the header cannot carry these arguments")
  end
  for _, key in ipairs(keys or {}) do
    call.used[key] = true
  end
  out[#out + 1] = header
end

function words.value(node, call, out)
  local value
  if node.key then
    value = take(call, node.key)
    if value == nil then
      value = ""
      call.lacks = node.inline and not node.present and node.key or call.lacks -- told when it is known that all others have a place
    end
  else
    value = call.value
  end
  local kind = json.kind(value)
  if call.loop and (kind == "object" and json.keys(value)[1] ~= nil or kind == "array" and #value > 0) then
    local key = call.key
    for i, member in ipairs(kind == "object" and json.keys(value) or value) do
      call.key = kind == "object" and member or call.loop.nested
      call.value = value[kind == "object" and member or i]
      sequence(call.loop, call, out)
    end
    call.key = key
    return
  end
  local text = bare(call, value)
  if (node.inline or node.to_line_end) and text:find "[\r\n]" then
    refuse("the value of %s has more than one line", node.key or call.key)
  end
  if node.after_name and text ~= "" then
    out[#out + 1] = " "
  end
  if node.lines and text ~= "" and text:sub(-1) ~= "\n" then
    refuse("the value of %s is no text of whole lines: a newline is missing at its end", node.key or call.key)
  end
  if node.multiline_only and not (type(value) == "string" and text:find "\n") then
    refuse("the value of %s is one line", call.key)
  end
  if node.newlines and text:find "\n" then
    text = "\n" .. text .. "\n"
  end
  out[#out + 1] = text
end

function words.items(node, call, out)
  if json.kind(call.value) ~= "array" then
    refuse("the value of %s is no list", call.key)
  end
  for _, item in ipairs(call.value) do
    local text = bare(call, item)
    if text:find "[\r\n]" or text:match "^%s" or text:match "%s$" or text == "" then
      refuse("an item of %s is no single line", call.key)
    end
    out[#out + 1] = (node.prefix or "") .. text .. "\n"
  end
end

function words.block_text(node, call, out)
  if not node.prefix then
    refuse "this form is only read"
  end
  local value = take(call, node.key)
  if type(value) ~= "string" or (value ~= "" and value:sub(-1) ~= "\n") then
    refuse("the value of %s is no text of whole lines, each with a newline at its end", node.key)
  end
  out[#out + 1] = value:gsub("[^\n]*\n", node.prefix .. "%0")
end

function words.fence(_, call, out)
  local longest = 2
  for _, key in ipairs(json.keys(call.arguments)) do
    local value = call.arguments[key]
    for run in (type(value) == "string" and value or ""):gmatch "`+" do
      longest = math.max(longest, #run)
    end
  end
  out[#out + 1] = ("`"):rep(longest + 1)
end

function words.carried()
  refuse "this form is only read"
end

function words.extra(node, call, out)
  local value = call.extra and call.extra[node.key]
  if value == nil then
    value = node.default
  end
  if type(value) ~= "string" or value:find "[\r\n]" then
    refuse("the call has no '%s' beside its arguments, or no text on one line", node.key)
  end
  out[#out + 1] = value
end

-- What stands before the member of an object that holds calls.
local function member_opener(node, style)
  local list = {}
  for _, pair in ipairs(node.fixed or {}) do
    list[#list + 1] = json.encode(pair[1]) .. style.key .. json.encode(pair[2]) .. style.item
  end
  return "{" .. table.concat(list) .. json.encode(node.keys[1]) .. style.key
end

function words.member(node, call, out)
  out[#out + 1] = member_opener(node, call.style)
  sequence(node, call, out)
  out[#out + 1] = "}"
end

function words.parameters(node, call, out)
  local lists = vocabulary.find(node, "items") or node.nested
  call.loop = node.nested and node or nil
  for _, key in ipairs(json.keys(call.arguments)) do
    if not call.used[key] then
      local value = take(call, key)
      call.key = key
      if call.plan.syntax.repeated_is_array and json.kind(value) == "array" and #value > 0 and not lists then
        for _, item in ipairs(value) do
          call.value = item
          sequence(node, call, out)
        end
      else
        call.value = value
        sequence(node, call, out)
      end
    end
  end
end

local function member(call, key, text)
  return json.encode(key) .. call.style.key .. text
end

-- A value as a Python literal.
local function python(value)
  local kind = json.kind(value)
  if kind == "null" then
    return "None"
  elseif kind == "boolean" then
    return value and "True" or "False"
  elseif kind == "string" then
    local text = value:gsub("[%z\1-\31\\']", function(c)
      local names = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ["\\"] = "\\\\", ["'"] = "\\'" }
      return names[c] or ("\\x%02x"):format(c:byte())
    end)
    return "'" .. text .. "'"
  elseif kind == "array" then
    local list = {}
    for i, item in ipairs(value) do
      list[i] = python(item)
    end
    return "[" .. table.concat(list, ", ") .. "]"
  elseif kind == "object" then
    local list = {}
    for i, key in ipairs(json.keys(value)) do
      list[i] = python(key) .. ": " .. python(value[key])
    end
    return "{" .. table.concat(list, ", ") .. "}"
  end
  return json.encode(value)
end

-- A value in a format's own quotes: bare keys, no white space.
local function quoted(value, quote)
  local kind = json.kind(value)
  if kind == "string" then
    return quote .. value .. quote
  elseif kind == "array" then
    local list = {}
    for i, item in ipairs(value) do
      list[i] = quoted(item, quote)
    end
    return "[" .. table.concat(list, ",") .. "]"
  elseif kind == "object" then
    local list = {}
    for i, key in ipairs(json.keys(value)) do
      local bare_key = key:match "^[%a_][%w_]*$" and key or quote .. key .. quote
      list[i] = bare_key .. ":" .. quoted(value[key], quote)
    end
    return "{" .. table.concat(list, ",") .. "}"
  end
  return json.encode(value)
end

function words.arguments(node, call, out)
  if node.kwargs then
    local list = {}
    for i, key in ipairs(json.keys(call.arguments)) do
      if not key:match "^[%a_][%w_]*$" then
        refuse("'%s' is no keyword of Python", key)
      end
      list[i] = key .. "=" .. python(call.arguments[key])
    end
    out[#out + 1] = table.concat(list, ", ")
  elseif node.quote then
    out[#out + 1] = quoted(call.arguments, node.quote)
  else
    out[#out + 1] = json_text(call, call.arguments)
  end
  call.used = setmetatable({}, { __index = function()
    return true
  end })
end

local function first_key(given, default)
  if given == nil then
    return default
  end
  return type(given) == "table" and given[1] or given or nil
end

function words.object(node, call, out)
  local fields, list = {}, {}
  local name_key, argument_key = first_key(node.name, "name"), first_key(node.arguments, "arguments")
  local arguments = json_text(call, call.arguments)
  call.used = setmetatable({}, { __index = function()
    return true
  end })
  if node.python then
    out[#out + 1] = python(json.object { { name_key, call.name }, { argument_key, call.arguments } })
    return
  elseif node.name_as_key then
    out[#out + 1] = "{" .. member(call, call.name, arguments) .. "}"
    return
  end
  if argument_key == "*" then
    local flat = { member(call, name_key, json.encode(call.name)) }
    for _, key in ipairs(json.keys(call.arguments)) do
      if key == name_key then
        refuse("an argument is called '%s', as the name is", key)
      end
      flat[#flat + 1] = member(call, key, json_text(call, call.arguments[key]))
    end
    out[#out + 1] = "{" .. table.concat(flat, call.style.item) .. "}"
    return
  end
  fields[name_key] = json.encode(call.name)
  fields[argument_key] = arguments
  local order = node.order or { name_key, argument_key }
  local id_key = first_key(node.id)
  if id_key then
    local id = call.id or (node.defaults and node.defaults[id_key])
    if type(id) == "function" then
      id = id(call.index)
    end
    if id then
      fields[id_key] = json.encode(id)
      if not node.order then
        order = { name_key, argument_key, id_key }
      end
    end
  end
  for _, pair in ipairs(node.extra or {}) do
    local key = pair[1]
    local value = call.extra and call.extra[key]
    if value ~= nil then
      fields[key] = json_text(call, value)
    elseif node.defaults and node.defaults[key] ~= nil then
      fields[key] = json.encode(node.defaults[key])
    end
  end
  for _, key in ipairs(order) do
    if fields[key] then
      list[#list + 1] = member(call, key, fields[key])
    end
  end
  out[#out + 1] = "{" .. table.concat(list, call.style.item) .. "}"
end

function write(node, call, out)
  local word = words[node.word]
  if not word then
    refuse("the word '%s' cannot be written", tostring(node.word))
  end
  return word(node, call, out)
end

-- The alternative that is written first.
local function written(node)
  return node[alternatives(node)[1]]
end

-- Does the form that is written put all calls into one block?
local function many(node)
  if node.word == "calls" then
    return not (node.once or node.separate_blocks)
  elseif node.word == "any" then
    return many(written(node))
  end
  for i = 1, #node do
    if many(node[i]) then
      return true
    end
  end
  return false
end

-- Writes one block that holds these calls.
local function write_block(node, calls, out)
  if node.word == "calls" then
    for i, call in ipairs(calls) do
      if i > 1 and node.between then
        write(node.between, call, out)
      end
      sequence(node, call, out)
    end
  elseif node.word == "any" and many(node) then
    write_block(written(node), calls, out)
  elseif node.word == "member" then
    out[#out + 1] = member_opener(node, calls[1].style)
    write_block(node[1], calls, out)
    out[#out + 1] = "}"
  elseif node.word == "section" then
    write_block(node[1], calls, out)
    out[#out + 1] = node.close[1] .. (node.after or "")
  elseif node.word == "sequence" or node.word == "exact" or node.word == "recoverable"
    or (node.word == "optional" and node.write ~= false) then
    for i = 1, #node do
      write_block(node[i], calls, out)
    end
  else
    write(node, calls[1], out)
  end
end

-- Notes in a schema that a value like this one occurs.
local function note(s, value)
  local kind = json.kind(value)
  s.type = s.type or {}
  s.type[#s.type + 1] = kind
  if kind == "array" then
    for _, item in ipairs(value) do
      s.items = s.items or {}
      note(s.items, item)
    end
  elseif kind == "object" then
    for _, key in ipairs(json.keys(value)) do
      s.properties = s.properties or {}
      s.properties[key] = s.properties[key] or {}
      note(s.properties[key], value[key])
    end
  end
end

--- tools_of(calls): tools as the calls themselves show them, so that what was written as text is read by the types it had.
function M.tools_of(calls)
  local list, by_name = {}, {}
  for _, call in ipairs(calls) do
    local tool = by_name[call.name]
    if not tool then
      tool = { name = call.name, parameters = { properties = {} } }
      by_name[call.name] = tool
      list[#list + 1] = tool
    end
    note(tool.parameters, call.arguments)
  end
  return types.index { list = list }
end

-- Reads the text again: the calls that come out of it, or nil.
local function read_back(plan, text, calls)
  local stream = core.stream(plan, M.tools_of(calls), { max_calls = 0, validate = false })
  local got, problems, told = {}, {}, { text = "", reasoning = "" }
  local function drain()
    for event in stream.next, stream do
      if event.type == "call_begin" then
        got[event.index] = { name = event.name, pieces = {} }
      elseif event.type == "arguments" then
        local pieces = got[event.index].pieces
        pieces[#pieces + 1] = event.text
      elseif event.type == "call_end" then
        got[event.index].id, got[event.index].status = event.id, event.status
        got[event.index].extra = event.extra
      elseif told[event.type] then
        told[event.type] = told[event.type] .. event.text
      elseif event.type == "error" then
        problems[#problems + 1] = event.message
      end
    end
  end
  stream:feed(text)
  drain()
  stream:finish()
  drain()
  for _, call in ipairs(got) do
    call.arguments = json.decode(table.concat(call.pieces), { exact = true })
  end
  return got, problems, told
end

local function check(plan, text, calls)
  local got, problems = read_back(plan, text, calls)
  local why = problems[1] and (" (" .. problems[1] .. ")") or ""
  if #got ~= #calls then
    refuse("%s cannot carry these calls: %d come back of %d%s", plan.syntax.name, #got, #calls, why)
  end
  for i, call in ipairs(calls) do
    local back = got[i]
    if back.name ~= call.name then
      refuse("%s cannot carry the name '%s'", plan.syntax.name, call.name)
    end
    for _, key in ipairs(json.keys(call.arguments)) do
      local value = back.arguments and back.arguments[key]
      if value == nil or not validate.same(call.arguments[key], value, true) then
        refuse("%s cannot carry the value of '%s' of call %d%s", plan.syntax.name, key, i, why)
      end
    end
    if #json.keys(back.arguments) ~= #json.keys(call.arguments) and not plan.syntax.fixed_parameters then
      refuse("%s cannot carry the arguments of call %d", plan.syntax.name, i)
    end
  end
end

local function prepare(plan, value, index)
  if type(value) ~= "table" then
    refuse("call %d is no object", index)
  elseif type(value.name) ~= "string" or value.name == "" then
    refuse("call %d has no name", index)
  end
  local arguments = value.arguments
  if type(arguments) == "string" then
    local decoded, message = json.decode(arguments, { exact = true })
    if decoded == nil then
      refuse("the arguments of call %d: %s", index, message)
    end
    arguments = decoded
  elseif arguments == nil or json.kind(arguments) == "null" then
    arguments = json.object()
  end
  if json.kind(arguments) ~= "object" then
    refuse("the arguments of call %d are no object", index)
  end
  local extra = value.extra
  if type(extra) == "string" then
    extra = json.decode(extra, { exact = true })
  end
  local d = plan.syntax
  local id = value.id
  if id ~= nil and type(id) ~= "string" then
    id = json.encode(id)
  end
  return { name = value.name, arguments = arguments, id = id, extra = extra, index = index,
    plan = plan, used = {}, style = { item = d.json and d.json.item or ", ", key = d.json and d.json.key or ": " } }
end

local function complete(call)
  for _, key in ipairs(json.keys(call.arguments)) do
    if not call.used[key] then
      return false, key
    end
  end
  return true
end

-- The first block that carries calls of this name: of several, each may mean a tool of its own.
local function block_for(d, name)
  for _, block in ipairs(d.blocks) do
    if vocabulary.find(block, function(at)
      return at.word == "name" and at.is == name
    end) then
      return block
    end
  end
  return d.blocks[1]
end

-- The calls of a list as text. Refuses what the format cannot carry.
local function calls_text(plan, calls)
  local d = plan.syntax
  local list = {}
  for i, value in ipairs(calls) do
    list[i] = prepare(plan, value, i)
  end
  if #list == 0 then
    return ""
  elseif d.max_calls and #list > d.max_calls then
    refuse("%s carries %d call%s a message", d.name, d.max_calls, d.max_calls == 1 and "" or "s")
  end
  if d.render then
    local text, message = d.render(list)
    if not text then
      refuse("%s", message or "the format cannot carry these calls")
    end
    check(plan, text, list)
    return text
  end
  local seq = d.blocks[1]
  local out = {}
  if many(seq) then
    write_block(seq, list, out)
  else
    for i, call in ipairs(list) do
      if i > 1 and d.between then
        out[#out + 1] = d.between
      end
      write(block_for(d, call.name), call, out)
    end
  end
  for i, call in ipairs(list) do
    local fits, key = complete(call)
    if not fits then
      refuse("%s has no place for the argument '%s' of call %d", d.name, key, i)
    elseif call.lacks then
      refuse("%s always writes the argument '%s', and call %d has none", d.name, call.lacks, i)
    end
  end
  local text = table.concat(out)
  check(plan, text, list)
  return text
end

-- A tool's result, as it is written back to the model.
local function result_text(plan, result, index)
  local d = plan.syntax
  if not d.result then
    refuse("%s does not say how a tool's result is written back", d.name)
  elseif type(result) ~= "table" then
    refuse("result %d is no object", index)
  end
  local value = result.content
  local content = type(value) == "string" and value or json.encode(value, ", ", ": ")
  local out = {}
  for i, part in ipairs(d.result) do
    local field = type(part) == "table" and (part.word == "value" and "content" or part.word)
    local text = not field and part or field == "content" and content or result[field]
    if text == nil then
      refuse("result %d has no %s", index, field)
    end
    local before = d.result[i - 1]
    if not field and type(before) == "table" and (out[#out]):find(part, 1, true) then
      refuse("the %s of result %d holds what ends it: %s", before.word == "value" and "content" or before.word, index, part)
    end
    out[#out + 1] = text
  end
  return table.concat(out)
end

-- Reads the result that begins at `at`, where the description's first literal stands: it and where it ends, or nil.
local function read_result(parts, text, at)
  local out = {}
  local i = 1
  while i <= #parts do
    local part = parts[i]
    if type(part) == "string" then
      if text:sub(at, at + #part - 1) ~= part then
        return nil
      end
      at = at + #part
    else
      local close = parts[i + 1]
      local from = #text + 1
      if close then
        from = text:find(close, at, true)
        if not from then
          return nil
        end
      end
      out[part.word == "value" and "content" or part.word] = text:sub(at, from - 1)
      at = from
    end
    i = i + 1
  end
  return out, at
end

--- split(plan, text) -> what is left of a turn without its results, and the results: { { name, id, content } }, with what
-- the format says of them.
function M.split(plan, text)
  local parts, between = plan.syntax.result, plan.syntax.between_results or "\n"
  local rest, results, at = {}, {}, 1
  while parts do
    local from = text:find(parts[1], at, true)
    if not from then
      break
    end
    local result, stop = read_result(parts, text, from)
    if result then
      local gap = text:sub(at, from - 1)
      rest[#rest + 1] = not (#results > 0 and gap == between) and gap or nil
      results[#results + 1] = result
    else
      stop = from + #parts[1]
      rest[#rest + 1] = text:sub(at, stop - 1)
    end
    at = stop
  end
  rest[#rest + 1] = text:sub(at)
  return table.concat(rest), results
end

local turn_fields = { reasoning = true, content = true, calls = true, results = true }

-- A whole turn: reasoning, text, calls, and the results that come back.
local function turn_text(plan, turn)
  local d, out = plan.syntax, {}
  for _, key in ipairs(json.keys(turn)) do
    if not turn_fields[key] then
      refuse("a turn has no '%s'; it has reasoning, content, calls, results", key)
    end
  end
  local function text_of(key)
    local value = turn[key]
    return value ~= nil and json.kind(value) ~= "null" and value or nil
  end
  local reasoning, content, calls = text_of "reasoning", text_of "content", text_of "calls" or {}
  if reasoning then
    local pair = plan.reasoning
    if not pair then
      refuse("%s has no reasoning", d.name)
    end
    out[#out + 1] = pair.open .. reasoning .. pair.close
  end
  out[#out + 1] = content
  out[#out + 1] = calls_text(plan, calls)
  local said = table.concat(out)
  local got, _, told = read_back(plan, said, calls)
  if #got ~= #calls or told.text ~= (content or "") or told.reasoning ~= (reasoning or "") then
    refuse("%s cannot carry this turn: what comes back is not what was given", d.name)
  end
  local results = {}
  for i, result in ipairs(text_of "results" or {}) do
    results[i] = result_text(plan, result, i)
  end
  local whole = said .. table.concat(results, d.between_results or "\n")
  local left, back = M.split(plan, whole)
  local same = left == said and #back == #results
  for i, result in ipairs(back) do
    same = same and result_text(plan, result, i) == results[i]
  end
  if not same then
    refuse("%s cannot carry these results: what comes back is not what was given", d.name)
  end
  return whole
end

--- render(plan, value) -> text, or nil, a sentence and the code "refused". `value`: a list of calls { name, arguments, id,
-- extra }, or a turn { reasoning, content, calls, results = { { name, id, content } } }; or JSON text of either.
function M.render(plan, value)
  if type(value) == "string" then
    local decoded, message = json.decode(value, { exact = true })
    if decoded == nil then
      return nil, "the calls: " .. message, "json"
    end
    value = decoded
  end
  local kind = json.kind(value)
  if kind ~= "array" and (kind ~= "object" or (json.keys(value)[1] ~= nil and not turn_fields[json.keys(value)[1]])) then
    return nil, "the calls are no array, and no turn", "json"
  end
  local is_turn = kind == "object" and json.keys(value)[1] ~= nil
  local ok, result = pcall(is_turn and turn_text or calls_text, plan, value)
  if ok then
    return result
  elseif type(result) == "table" and result.refusal then
    return nil, result.refusal, "refused"
  end
  error(result, 0)
end

M.member_opener = member_opener
M.python, M.quoted, M.attribute, M.first_key = python, quoted, attribute, first_key
M.alternatives, M.written, M.many, M.block_for = alternatives, written, many, block_for

return M
