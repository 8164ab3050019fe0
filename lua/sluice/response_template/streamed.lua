--- Streams calls of a response template whose arguments can be sent as they arrive: a body of JSON whose transform takes the name from
-- the opener or from a member before the arguments. For others nothing is sent, and the caller reads them.

local core = require "sluice.core"
local compile = require "sluice.parse.plan"

local json = core.json

local M = {}

local function set_of(list)
  local roles = compile.roles()
  for _, text in ipairs(list) do
    roles.add(text, 0)
  end
  return roles.set()
end

local bracket, comma, close_bracket = set_of { "[" }, set_of { "," }, set_of { "]" }

local QUOTE, OPEN, CLOSE, COMMA, BRACKET, CLOSE_BRACKET = 34, 123, 125, 44, 91, 93

local function path(value, from)
  return type(value) == "string" and value:match("^{" .. from .. "([%w_]+)}$") or nil
end

--- shape(field) -> how its calls are streamed: { capture } or { name, arguments } (keys), optional `each`, and the notation; or nil.
function M.shape(field)
  local args = field.args
  local delims = args.string_delims or {}
  if field.role ~= "calls" or field.content ~= "json" or args.allow_non_json
    or #delims > 0 or json.kind(field.transform) ~= "object" then
    return nil
  end
  local shape = { each = field.each, quote = delims[1] and delims[1][1], bare = args.unquoted_keys == true }
  local f = field.transform["function"]
  if f == "{content}" and not field.each then
    shape.name, shape.arguments = "name", "arguments"
  elseif json.kind(f) ~= "object" then
    return nil
  elseif f.arguments == "{content}" and not field.each then
    shape.capture = path(f.name, "")
  else
    local from = field.each and "" or "content%."
    shape.name, shape.arguments = path(f.name, from), path(f.arguments, from)
  end
  return (shape.capture or shape.name and shape.arguments) and shape or nil
end

-- True if string arguments of this tool are cast to other types: values must then be complete before they are sent.
function M.casts(tool)
  local properties = tool and type(tool.parameters) == "table" and tool.parameters.properties
  if type(properties) ~= "table" then
    return false
  end
  for _, key in ipairs(json.keys(properties)) do
    local schema = properties[key]
    if type(schema) == "table" and (schema.type ~= "string" or schema.anyOf or schema.nullable) then
      return true
    end
  end
  return false
end

-- Streams the arguments at pos. Returns true if they are complete.
local function arguments(run, shape)
  local st = run.st
  local flags = run.set.repairs and core.LENIENT or (shape.quote or shape.bare) and core.BARE or 0
  local item, _, _, kind, ok, why = st:arguments(flags, core.TOP_OBJECT, shape.quote, false)
  if ok then
    return true
  end
  if kind == core.READ_MORE then
    st:lower(item % 2 == 0 and "incomplete" or "recovered")
  else
    st:lower "incomplete"
    st:error("bad_arguments", why or "the arguments stop being readable")
  end
  return false
end

-- Reads one object at pos that is a call. Returns "call" if it was announced, and true if it is complete; else nil, with nothing sent.
local function object(run, shape, first)
  local st, flags = run.st, run.set.repairs and core.LENIENT or 0
  local name, range, id, began, tool
  local opens = true
  while true do
    local item, _, _, kind, ok, key = st:member(flags, shape.quote, opens)
    opens = false
    if not ok then
      if not began then
        return nil
      end
      return "call", kind == CLOSE, tool, id
    end
    if key == shape.name and item == QUOTE and not name then
      local _, start, stop, _, good, text = st:string(flags, shape.quote)
      if not good or text == "" then
        return nil
      end
      name, range = text, { start, stop }
      tool = run.tools and run.tools.by_name[name] or nil
    elseif key == shape.arguments and not began then
      if not name or item ~= OPEN or M.casts(tool) then
        return nil
      end
      local good
      good, tool = run.announce(name, range, id)
      if not good then
        return nil
      end
      began = true
      if not arguments(run, shape) then
        return "call", false, tool, id
      end
    elseif key == "id" and item == QUOTE and not began and first then
      local _, _, _, _, good, text = st:string(flags, shape.quote)
      id = good and text ~= "" and text or nil
    else
      local _, _, _, _, good = st:skip(flags, shape.quote)
      if not good then
        return began and "call" or nil, false, tool, id
      end
    end
  end
end

-- Reads calls in a list. Returns their number, and true if the list is complete.
local function list(run, shape)
  local st, count = run.st, 0
  st:accept(bracket)
  while true do
    local b = st:byte(true)
    if b == CLOSE_BRACKET then
      st:accept(close_bracket)
      return count, true
    elseif b == COMMA and count > 0 then
      st:accept(comma)
    elseif b == OPEN then
      local kind, whole, tool, id = object(run, shape)
      if not kind then
        return count, false
      end
      count = count + 1
      run.finish(tool, id)
      if not whole then
        return count, false
      end
    else
      return count, false
    end
  end
end

--- read(run, shape, captured, ranges) -> true, and true if everything is complete, if a call was announced; nil if nothing was sent.
-- `run`: { st, set, tools, announce(name, range, id), finish(tool, id) }. A call outside a list is left open: `run.open`.
function M.read(run, shape, captured, ranges)
  local st = run.st
  local b = st:byte(true)
  if shape.capture then
    local name = captured[shape.capture]
    local tool = run.tools and run.tools.by_name[name] or nil
    if b ~= OPEN or name == "" or M.casts(tool) then
      return nil
    end
    local good
    good, tool = run.announce(name, ranges[shape.capture])
    if not good then
      return nil
    end
    run.open = { tool = tool }
    return true, arguments(run, shape)
  elseif shape.each then
    if b ~= BRACKET then
      return nil
    end
    local count, whole = list(run, shape)
    if count == 0 then
      return nil
    end
    return true, whole
  elseif b ~= OPEN then
    return nil
  end
  local kind, whole, tool, id = object(run, shape, true)
  if not kind then
    return nil
  end
  run.open = { tool = tool, id = id }
  return true, whole
end

return M
