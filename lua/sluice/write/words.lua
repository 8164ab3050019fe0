--- Writes the words of a description: a call's parts, as text. Used by sluice.write.render.

local core = require "sluice.core"
local vocabulary = require "sluice.syntax"

local json = core.json
local M = {}

-- Raises a refusal, which M.render catches.
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

-- A value as bare text: strings as they are, everything else as JSON.
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

-- True if the call lacks a parameter with a fixed key in this word.
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

-- The numbers of the alternatives that are written, in the order in which they are tried.
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
  -- the first one that can carry the rest of the call
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
    error({ refusal = ("this form is only for calls of '%s', not of '%s'"):format(node.is, call.name), other = true }, 0)
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

-- An attribute of a tag. kind: the value's type.
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
  return pair[1] == "" and text or (' %s="%s"'):format(pair[1], text)
end

-- A parameter as an attribute; "" if the call does not have it.
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
    refuse("the value of %s cannot be written in an attribute", pair[2].key)
  end
  return (' %s="%s"'):format(pair[1], text)
end

function words.attributes(node, call, out)
  for _, pair in ipairs(node.list) do
    out[#out + 1] = pair[2].word == "value" and parameter(pair, call, node.entities)
      or pair[2].word ~= "value" and attribute(pair, call, json.kind(call.value)) or nil
  end
end

-- A header, and the keys of the arguments in it; or nil and a message.
local function header_of(node, call)
  if node.render then
    return node.render(call)
  end
  local counter = node.counter and ("%s%d"):format(node.counter, call.index - 1 + (node.from or 0)) or ""
  return call.id or (node.prefix or "") .. call.name .. counter
end

function words.header(node, call, out)
  local header, keys = header_of(node, call)
  if not header then
    refuse("%s", keys or "the header cannot carry these arguments")
  end
  for _, key in ipairs(keys or {}) do
    call.used[key] = true
  end
  out[#out + 1] = header
end
words.name_in_id = words.header

function words.value(node, call, out)
  local value
  if node.key then
    value = take(call, node.key)
    if value == nil then
      value = ""
      call.lacks = node.inline and not node.present and node.key or call.lacks -- reported only if all other arguments have a place
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
    refuse("the value of %s must consist of whole lines: the newline at its end is missing", node.key or call.key)
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
    refuse("the value of %s is not a list", call.key)
  end
  for _, item in ipairs(call.value) do
    local text = bare(call, item)
    if text:find "[\r\n]" or text:match "^%s" or text:match "%s$" or text == "" then
      refuse("an item of %s is not a single line", call.key)
    end
    out[#out + 1] = (node.prefix or "") .. text .. "\n"
  end
end

function words.block_text(node, call, out)
  if not node.prefix then
    refuse "this form can only be parsed"
  end
  local value = take(call, node.key)
  if type(value) ~= "string" or (value ~= "" and value:sub(-1) ~= "\n") then
    refuse("the value of %s must consist of whole lines, each with a newline at its end", node.key)
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
  refuse "this form can only be parsed"
end

function words.extra(node, call, out)
  local value = call.extra and call.extra[node.key]
  if value == nil then
    value = node.default
  end
  if type(value) ~= "string" or value:find "[\r\n]" then
    refuse("the call has no '%s' in `extra`, or it is not text on one line", node.key)
  end
  out[#out + 1] = value
end

-- The text before the member of an object that holds calls.
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
        refuse("'%s' is not a Python keyword", key)
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
        refuse("an argument has the same key as the name, '%s'", key)
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

M.write, M.sequence, M.refuse, M.alternatives, M.member_opener = write, sequence, refuse, alternatives, member_opener
M.python, M.quoted, M.attribute, M.header, M.first_key = python, quoted, attribute, header_of, first_key

return M
