--- Writes calls as text in the model's own format, and whole turns.
--
-- The text is parsed again; calls that do not come back unchanged are refused.

local json = require("sluice.core").json
local lists = require "sluice.lists"
local refuse = require("sluice.constrain.tree").refuse -- M.render catches it
local streams = require "sluice.stream"
local types = require "sluice.schema.types"
local word = require "sluice.word"

local M = {}

-- Calls keep the digits of their numbers and lone surrogates, and have each key once.
local as_written = { exact = true, unique = true }

--- same(a, b[, by_digits]): true if two JSON values are equal. Numbers are compared by value; `by_digits`: by their digits, so 1 and 1.0
-- differ. The order of keys does not count.
function M.same(a, b, by_digits)
  local kind = json.kind(a)
  if kind ~= json.kind(b) then
    return false
  elseif kind == "number" then
    return json.encode(a) == json.encode(b) or not by_digits and json.number(a) == json.number(b)
  elseif kind ~= "array" and kind ~= "object" then
    return a == b
  end
  local keys = kind == "object" and json.keys(a)
  local count = keys and #keys or #a
  if count ~= (keys and #json.keys(b) or #b) then
    return false
  end
  for i = 1, count do
    local key = keys and keys[i] or i
    if b[key] == nil or not M.same(a[key], b[key], by_digits) then
      return false
    end
  end
  return true
end

-- Adds the type of a value to a schema.
local function note(s, value)
  local kind = json.kind(value)
  s.type = s.type or {}
  s.type[#s.type + 1] = not lists.set(s.type)[kind] and kind or nil
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

--- tools_of(calls): tools inferred from the calls, so that text is parsed with the types it had.
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

-- Parses the text again: see streams.whole.
local function read_back(plan, text, calls)
  local back = streams.whole(streams.open(plan, M.tools_of(calls), { max_calls = 0, validate = false }), text)
  if lists.some(back.errors, function(problem) return problem.code == "no_memory" end) then
    error("not enough memory", 0)
  end
  return back
end

-- Refuses calls that do not come back unchanged and complete. An id that differs is the text's own if it is there each time.
local function check(plan, text, calls, back)
  local syntax, got, err = plan.syntax, back.calls, back.errors[1]
  local why = err and err.code ~= "type_mismatch" and (" (%s)"):format(err.message) or "" -- the types are those of these calls
  if #got ~= #calls then
    refuse("%s cannot carry these calls: only %d of %d come back%s", syntax.name, #got, #calls, why)
  end
  local again = lists.some(calls, function(call, i) return call.id and got[i].id ~= call.id end) and read_back(plan, text, calls).calls
  local function changed(given, written, exactly)
    local found = json.decode(written or "{}", { exact = true })
    return lists.some(json.keys(given), function(key)
      return not (found[key] ~= nil and M.same(given[key], found[key], true)) and ("the value of '%s'"):format(key)
    end) or exactly and #json.keys(found) ~= #json.keys(given) and "the arguments"
  end
  for i, call in ipairs(calls) do
    local one = got[i]
    local read = one.name ~= call.name and call.id and call.id:find(one.name, 1, true) -- the name is in the id
    local wrong = read and ("the id '%s'"):format(call.id) or changed(call.arguments, one.arguments, not syntax.fixed_parameters)
      or one.name ~= call.name and ("the name '%s'"):format(call.name) or changed(call.extra or {}, one.extra)
      or again and call.id and one.id ~= call.id and one.id == again[i].id and ("the id '%s'"):format(call.id)
      or one.status ~= "complete" and not plan.leaves and "the arguments"
    if wrong then
      refuse("%s cannot carry %s of call %d%s", syntax.name, wrong, i, why)
    end
  end
end

--- A call that is written: name, arguments, id, extra, index, used (the arguments that are written).
---@class sluice.Writing
local Call = {}
Call.__index = Call

--- Refuses a call that the format cannot carry.
function Call.refuse(_, message, ...)
  refuse(message, ...)
end

--- All arguments are written.
function Call:use_all()
  self.used = lists.set(json.keys(self.arguments))
end

-- Members of a call, as given or in a result.
local call_fields = lists.set "name arguments id extra index status valid start end first last source syntax type"

-- A call as given, or an item of OpenAI's `tool_calls`, checked.
local function prepare(plan, value, index)
  local call = type(value) == "table" and type(value["function"]) == "table" and value["function"] or value
  if type(call) ~= "table" then
    refuse("call %d is not an object", index)
  elseif type(call.name) ~= "string" or call.name == "" then
    refuse("call %d has no name", index)
  end
  local arguments = call.arguments
  if type(arguments) == "string" and not (arguments == "" and call ~= value) then -- OpenAI's may be empty
    local decoded, message = json.decode(arguments, as_written)
    if decoded == nil then
      refuse("the arguments of call %d must be an object, or its JSON text: %s", index, message)
    end
    arguments = decoded
  elseif arguments == nil or arguments == "" or json.kind(arguments) == "null" then
    for _, key in ipairs(arguments == nil and json.keys(call) or {}) do
      if not call_fields[key] then -- else arguments would be lost unnoticed
        refuse("call %d has no `arguments`, but '%s', which is not a member of a call", index, key)
      end
    end
    arguments = json.object()
  end
  if json.kind(arguments) ~= "object" then
    refuse("the arguments of call %d are not an object", index)
  end
  local extra = type(value.extra) == "string" and json.decode(value.extra, as_written) or value.extra
  extra = json.kind(extra) ~= "null" and extra or nil
  if extra ~= nil and json.kind(extra) ~= "object" then
    refuse("the `extra` of call %d is not an object", index)
  end
  local good, why = pcall(json.encode, { arguments, extra or {} })
  if not good then
    refuse("call %d: %s", index, why)
  end
  local id = value.id ~= "" and value.id or nil
  if id ~= nil and type(id) ~= "string" then
    id = json.kind(id) ~= "null" and json.encode(id) or nil
  end
  return setmetatable({ name = call.name, arguments = arguments, id = id, extra = extra, index = index, plan = plan, used = {} }, Call)
end

--- The first block that can carry calls of this name: several blocks may each have a fixed tool.
function M.block_for(syntax, name)
  return lists.some(syntax.blocks, function(block)
    return word.with(block, "is", name) and block
  end) or syntax.blocks[syntax.written]
end

-- The text without the generation prompt.
local function behind_prompt(plan, text)
  local prompt = plan.syntax.begins or ""
  return text:sub(1, #prompt) == prompt and text:sub(#prompt + 1) or text
end

-- The calls of a list as text, with the generation prompt; and the calls. Refuses those for which the format has no place.
local function calls_text(plan, calls)
  local syntax, out = plan.syntax, {}
  local list = lists.map(calls, function(call, i)
    return prepare(plan, call, i)
  end)
  if #list == 0 then
    return "", list
  elseif syntax.max_calls and #list > syntax.max_calls then
    refuse("%s carries at most %d call%s per message", syntax.name, syntax.max_calls, syntax.max_calls == 1 and "" or "s")
  elseif syntax.blocks[syntax.written]:many() then
    list[1].all = list
    syntax.blocks[syntax.written]:write(list[1], out)
  else
    for i, call in ipairs(list) do
      out[#out + 1] = i > 1 and syntax.between or nil
      M.block_for(syntax, call.name):write(call, out)
    end
  end
  if lists.some(out, function(text) return type(text) ~= "string" end) then
    refuse("a function of %s that writes returned no text", syntax.name)
  end
  for i, call in ipairs(list) do
    for _, key in ipairs(json.keys(call.arguments)) do
      if not call.used[key] then
        refuse("%s has no place for the argument '%s' of call %d", syntax.name, key, i)
      end
    end
  end
  return table.concat(out), list
end

-- True if a decoded text contains a lone surrogate.
local function has_half(text)
  return text:find "\237[\160-\191][\128-\191]" ~= nil
end

-- The field of a result that a part holds; nil for a literal.
local function field_of(part)
  return type(part) == "table" and (part.word == "value" and "content" or part.word) or nil
end

-- A tool's result as text for the model.
local function result_text(plan, result, index)
  local d = plan.syntax
  if not d.result then
    refuse("the script of %s does not say how tool results are written", d.name)
  elseif json.kind(result) ~= "object" then
    refuse("result %d is not an object", index)
  end
  local value = result.content
  local content = type(value) == "string" and value or json.encode(value, ", ", ": ")
  if has_half(content) then
    refuse("result %d contains a lone surrogate, which text cannot", index)
  end
  local out = {}
  for i, part in ipairs(d.result) do
    local field = field_of(part)
    local text = not field and part or field == "content" and value ~= nil and content or result[field]
    if text == nil then
      refuse("result %d has no %s", index, field)
    end
    local before = d.result[i - 1]
    if not field and field_of(before) and (out[#out]):find(part, 1, true) then
      refuse("the %s of result %d contains the literal that ends it: %s", field_of(before), index, part)
    end
    out[#out + 1] = text
  end
  return table.concat(out)
end

--- split(plan, text) -> a turn's text without its results, and the results: { { name, id, content } }, as far as the format has these.
function M.split(plan, text)
  local parts, fields, rest, results, at = plan.syntax.result or {}, {}, {}, {}, 1
  local pattern = lists.join(parts, function(part, i)
    fields[#fields + 1] = field_of(part)
    return field_of(part) and (parts[i + 1] and "(.-)" or "(.*)$") or (part:gsub("%p", "%%%0"))
  end)
  while parts[1] do
    local found = { text:find(pattern, at) }
    if not found[1] then
      break
    end
    local gap, result = text:sub(at, found[1] - 1), {}
    rest[#rest + 1] = not (#results > 0 and gap == parts.between) and gap or nil
    for i, field in ipairs(fields) do
      result[field] = found[i + 2]
    end
    results[#results + 1], at = result, found[2] + 1
  end
  rest[#rest + 1] = text:sub(at)
  return table.concat(rest), results
end

local turn_fields = { reasoning = "string", content = "string", calls = "array", results = "array", mark = "string",
  generation_prompt = "boolean", errors = "array" } -- errors: of a parse result; not written

-- A whole turn: reasoning, text, calls, and results. only_calls: it is a list of calls.
local function turn_text(plan, turn, only_calls)
  local d, out = plan.syntax, {}
  for _, key in ipairs(json.keys(turn)) do
    local value, want = turn[key], turn_fields[key]
    local kind = type(value) == "table" and next(value) == nil and "array" or json.kind(value) -- Lua's {} is either
    if not want then
      refuse("a turn has no '%s'; its members are reasoning, content, calls, results, mark, generation_prompt", key)
    elseif kind ~= want and kind ~= "null" then
      refuse("the turn's '%s' must be of the type %s, not %s", key, want, kind)
    end
  end
  local function text_of(key)
    return json.kind(turn[key]) ~= "null" and turn[key] or nil
  end
  local reasoning, content, calls = text_of "reasoning", text_of "content", text_of "calls" or {}
  if has_half(reasoning or "") or has_half(content or "") then
    refuse "the turn's reasoning or content contains a lone surrogate, which text cannot"
  end
  if reasoning then
    local pair = plan.reasoning or refuse("%s has no reasoning", d.name)
    out[#out + 1] = pair.open .. reasoning .. pair.close
  end
  local behind, list = calls_text(plan, calls)
  local before, said = table.concat(out), nil
  -- if a call must begin a line, the text before it gets a line break
  for _, joint in ipairs { "", content and #calls > 0 and "\n" or nil } do
    local text = (content or "") .. joint
    local whole = before .. text .. behind
    whole = text_of "generation_prompt" and whole or behind_prompt(plan, whole)
    local back = read_back(plan, whole, list)
    if #back.calls == #list and (back.content or "") == text and (back.reasoning or "") == (reasoning or "") then
      check(plan, whole, list, back)
      said = whole
      break
    end
  end
  if not said then
    local text = behind_prompt(plan, behind)
    check(plan, text, list, read_back(plan, text, list))
    refuse("%s cannot carry this turn: it does not come back unchanged", d.name)
  elseif only_calls then
    return said
  end
  local results = lists.map(text_of "results" or {}, function(result, i)
    return result_text(plan, result, i)
  end)
  local whole = said .. table.concat(results, d.result and d.result.between)
  local left, back = M.split(plan, whole)
  if left ~= said or #back ~= #results or lists.some(back, function(result, i)
    return result_text(plan, result, i) ~= results[i]
  end) then
    refuse("%s cannot carry these results: they do not come back unchanged", d.name)
  end
  return whole
end

--- render(plan, value) -> text, or nil, a message and the code "refused". `value`: a list of calls { name, arguments, id,
-- extra }, or a turn { reasoning, content, calls, results = { { name, id, content } }, generation_prompt }; or JSON text of either.
-- The script's generation prompt is written only in a turn whose `generation_prompt` is true.
function M.render(plan, value)
  if type(value) == "string" then
    local decoded, message = json.decode(value, as_written)
    if decoded == nil then
      return nil, "the calls: " .. message, "json"
    end
    value = decoded
  end
  local kind = json.kind(value)
  if kind ~= "array" and (kind ~= "object" or (json.keys(value)[1] ~= nil and not turn_fields[json.keys(value)[1]])) then
    return nil, "expected an array of calls, or an object with `calls`", "json"
  end
  local is_turn = kind == "object" and json.keys(value)[1] ~= nil
  if is_turn and value.mark ~= nil then
    local marked, message = plan.for_mark(value.mark)
    if not marked then
      return nil, message, "refused"
    end
    plan = marked
  end
  local ok, result = pcall(turn_text, plan, is_turn and value or { calls = value }, not is_turn)
  if ok then
    return result
  elseif type(result) == "table" and result.refusal then
    return nil, result.refusal, "refused"
  end
  error(result, 0)
end

return M
