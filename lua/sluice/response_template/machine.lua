--- Runs a response template: splits a stream's bytes into regions, and turns these into events.
--
-- It gives the same result as transformers' ResponseParser on the whole text, in any chunking: outside explicit regions it watches for
-- every opener, inside one only for its closer. Text regions are streamed. A call is announced when its region has closed, since a
-- parser and a transform make its name and arguments from the body; only a body that is one JSON object with streamable arguments is
-- streamed (streamed.lua).

local core = require "sluice.core"
local planner = require "sluice.parse.plan"
local content = require "sluice.response_template.content"
local streamed = require "sluice.response_template.streamed"
local validate = require "sluice.schema.validate"

local json = core.json

local M = {}

local UNLIMITED = 2 ^ 40

-- ---- The bytes of a stream, by position -------------------------------------------------------

-- at(p) -> the byte at p, or nil at the end. Waits for it. Bytes must be pinned.
local function reader(st)
  local base, buffer = 0, ""
  return function(p)
    local i = p - base + 1
    if i >= 1 and i <= #buffer then
      return buffer:byte(i)
    end
    st:seek(p)
    local b = st:byte(false)
    if not b then
      return nil
    end
    local upto = st:option "seen"
    upto = upto > p + 512 and p + 512 or upto
    local ok, text = pcall(st.text, st, p, upto)
    base, buffer = p, ok and text or string.char(b)
    return b
  end
end

-- ---- Delimiters -------------------------------------------------------------------------------

-- The delimiters of a state, with the set of literals that begin them, or that they must contain.
local function watch(list)
  local roles, self = planner.roles(), { list = list, held = false, origin = {} }
  for _, entry in ipairs(list) do
    local r = entry.regex
    for _, text in ipairs(r.needles) do
      roles.add(text, 0)
    end
    for _, way in ipairs(r.open) do
      if way.required then
        roles.add(way.required, 0)
      else
        self.anywhere = true
      end
      self.held = true
    end
    if r.at_origin then
      self.origin[#self.origin + 1] = entry
    end
  end
  self.set, self.literals = roles.set(), roles.list
  return self
end

-- The best delimiter that matches at p: { entry, stop, captures }: the longest; openers before closers; then by name.
local function best_at(list, at, p, origin)
  local best
  for _, entry in ipairs(list) do
    local stop, captures = entry.regex.match(at, p, origin)
    if stop and (not best or stop > best.stop or stop == best.stop and entry.opens and not best.entry.opens) then
      best = { entry = entry, start = p, stop = stop, captures = captures }
    end
  end
  return best
end

-- ---- Calls ------------------------------------------------------------------------------------

local function tool_named(tools, name)
  return tools and tools.by_name[name] or nil
end

-- Announces a call. Returns false if the stream's options turn it into text.
local function announce(st, set, tools, name, range, id)
  local tool = tool_named(tools, name)
  local code, message
  if tools and not tool then
    if set.unknown_as_text then
      return false
    end
    code, message = "unknown_tool", "there is no tool named " .. name
  end
  local _, _, _, _, ok = st:begin(name, id or "", range and range[1] or 0, range and range[2] or 0, code, message)
  if not ok then
    return false
  end
  if tool and tool.parameters and set.validate then
    st:keep()
  end
  return true, tool
end

local function finish(st, set, tool, id)
  if id and st:seen_id(id) then
    st:error("duplicate_id", ("the id %s was given before"):format(id))
  end
  if tool and tool.parameters and set.validate and st:status() ~= "incomplete" then
    local text = st:arguments_text()
    local breach = text and validate.arguments(tool, text)
    if breach then
      st:error("schema_mismatch", breach)
    end
  end
  st:end_call(id or "")
end

-- The calls in a value: { name, arguments, id } each; or nil and a message.
local function calls_in(value, each)
  local list = each and value or { value }
  local out = {}
  for i, item in ipairs(list) do
    local f = json.kind(item) == "object" and item["function"]
    if f == nil or f == false or json.kind(f) ~= "object" then
      return nil, "the region has no call with a function"
    end
    local arguments = f.arguments
    if type(arguments) == "string" then
      local decoded = json.decode(arguments, { exact = true })
      if decoded ~= nil and json.kind(decoded) == "object" then
        arguments = decoded
      end
    elseif arguments == nil or arguments == json.null then
      arguments = json.object()
    end
    if type(f.name) ~= "string" or f.name == "" then
      return nil, "the call has no name"
    elseif json.kind(arguments) ~= "object" then
      return nil, "the arguments of the call are not an object"
    end
    out[i] = { name = f.name, arguments = arguments, id = type(item.id) == "string" and item.id or nil }
  end
  return out
end

-- The value of a region's body: parsed and transformed; or nil and a message.
local function value_of(field, body, captured)
  local value, message = content.parsers[field.content](body, field.args)
  if value == nil then
    return nil, message
  elseif field.transform == nil then
    return value
  elseif not field.each then
    return content.transform(field.transform, function(name)
      if name == "content" then
        return value
      end
      return captured[name]
    end)
  end
  if json.kind(value) ~= "array" then
    return nil, "the body is not a list"
  end
  local out = json.array()
  for i, item in ipairs(value) do
    if json.kind(item) ~= "object" then
      return nil, "an item of the list is not an object"
    end
    out[i], message = content.transform(field.transform, function(name)
      if item[name] ~= nil then
        return item[name]
      end
      return captured[name]
    end)
    if out[i] == nil then
      return nil, message
    end
  end
  return out
end

-- ---- The program ------------------------------------------------------------------------------

local Run = {}
Run.__index = Run

-- Searches for the first delimiter from pos, with bytes held. Returns it, or nil at the end of the text.
function Run:find_held(w)
  local st = self.st
  local p = st:pos()
  while true do
    st:seek(p)
    local _, _, _, _, ok = st:upto(w.set, UNLIMITED)
    if not ok and not w.anywhere then
      return nil
    end
    local last = ok and st:pos() or nil
    -- a match may begin anywhere before its required literal
    while not last or p <= last do
      local best = best_at(w.list, self.at, p, self.origin)
      if best and (best.stop > p or best.entry.opens) then
        return best
      end
      local b = self.at(p)
      if not b then
        return nil
      end
      p = p + 1
    end
  end
end

-- Sends text of this kind up to a delimiter. Returns it, with pos at its start; nil at the end of the text.
function Run:text_upto(w, kind)
  local st = self.st
  if w.held then
    st:pin(true)
    local best = self:find_held(w)
    if best and best.start > st:pos() then
      st:seek(best.start)
    end
    local stop = best and best.start or self:end_of_text()
    st:pin(false)
    if stop > self.covered then
      st:tell(kind, stop)
    end
    self.covered = stop
    return best
  end
  while true do
    local item
    if kind == "markup" then
      item = st:junk(w.set)
    else
      item = st:content(w.set, kind, nil, "\n")
    end
    if not item then
      return nil
    end
    local q = st:pos()
    st:pin(true)
    local best = best_at(w.list, self.at, q, self.origin)
    st:seek(q)
    st:pin(false)
    if best and (best.stop > q or best.entry.opens) then
      return best
    end
    local b = w.literals[item]:match "^[\194-\244][\128-\191]*" or w.literals[item]:sub(1, 1)
    st:tell(kind, q + #b)
  end
end

-- The end of the text; waits for it.
function Run:end_of_text()
  local p = self.st:pos()
  while self.at(p) do
    p = p + 1
  end
  return p
end

-- Begins a text region: drops white space that is stripped, and sends the text that joins it to the previous one.
function Run:begin_text(field, w)
  if field.args.strip ~= false then
    local st, again = self.st, self.joined[field] and not field.join and field.role ~= "other"
    if again then -- between two pieces of text it is text
      st:pin(true)
      again = st:byte(true)
      local p = st:pos()
      again = again and not best_at(w and w.list or {}, self.at, p, self.origin)
      st:seek(p)
      st:pin(false)
    else
      st:byte(true)
    end
    st:tell(again and field.role or "markup", st:pos())
  end
  if field.join and field.join ~= "" and field.role ~= "other" and self.joined[field] and self.st:byte(false) then
    self.st:say(field.role, field.join)
  end
end

-- Sends a region's body as text or reasoning. Returns false at the end of the text.
function Run:text_region(field)
  local st = self.st
  self:begin_text(field, field.closer)
  local from = st:pos()
  self.covered = from
  local best = field.closer and self:text_upto(field.closer, field.role == "reasoning" and "reasoning" or field.role == "text" and "text"
    or "markup")
  if not field.closer and field.role ~= "other" then
    st:content(self.nothing, field.role)
  end
  self.joined[field] = self.joined[field] or st:pos() > from
  if not best then
    return false
  end
  st:seek(best.stop)
  st:tell("markup", best.stop)
  return true
end

-- Reads the closer of a region whose calls were streamed. Returns true if there is one.
function Run:close_calls(field, run, whole)
  local st = self.st
  st:pin(true)
  local p = st:pos()
  local best = field.closer and best_at(field.closer.list, self.at, p, self.origin)
  if not best then
    st:seek(p)
    st:byte(true)
    best = field.closer and best_at(field.closer.list, self.at, st:pos(), self.origin)
  end
  st:seek(best and best.stop or p)
  local ended = not best and not st:byte(true)
  st:pin(false)
  if run.open then
    if not best then
      st:lower(whole and ended and "recovered" or "incomplete")
    end
    if not best and whole and not ended then
      st:error("bad_arguments", "the region has more than one value")
    end
    finish(st, self.set, run.open.tool, run.open.id)
  end
  if best then
    st:tell("markup", best.stop)
    return true
  elseif ended or not field.closer then
    return false
  end
  self.covered = st:pos()
  best = self:text_upto(field.closer, "markup")
  if best then
    st:seek(best.stop)
    st:tell("markup", best.stop)
  end
  return best ~= nil
end

-- Streams calls if possible. Returns nil if nothing was sent; else as call_region.
function Run:streamed_calls(field, opener, captured)
  local st, set, tools = self.st, self.set, self.tools
  if not field.streamed then
    return nil
  end
  local run = { st = st, set = set, tools = tools }
  function run.announce(name, range, id)
    return announce(st, set, tools, name, range, id)
  end
  function run.finish(tool, id)
    finish(st, set, tool, id)
  end
  st:seek(opener.stop)
  local covered, whole = streamed.read(run, field.streamed, captured, opener.captures)
  if not covered then
    return nil
  end
  return self:close_calls(field, run, whole)
end

-- Reads a region with calls, with all bytes held from `opener` until it has closed.
function Run:call_region(field, opener)
  local st, set, tools = self.st, self.set, self.tools
  st:pin(true)
  local captured = {}
  for name, range in pairs(opener.captures) do
    captured[name] = st:text(range[1], range[2])
  end
  local more = self:streamed_calls(field, opener, captured)
  if more ~= nil then
    return more
  end
  st:seek(opener.stop)
  local best = field.closer and self:find_held(field.closer)
  local stop = best and best.start or self:end_of_text()
  local after = best and best.stop or stop
  local body = st:text(opener.stop, stop)
  local value, message = value_of(field, body, captured)
  local calls
  if value ~= nil then
    calls, message = calls_in(value, field.each or json.kind(value) == "array")
  end
  st:seek(after)
  st:pin(false)
  if not calls then
    st:error(best and "invalid_call" or "unfinished_call", message)
    st:tell("text", after)
    return best ~= nil
  end
  for i, call in ipairs(calls) do
    st:seek(after)
    local ok, tool = announce(st, set, tools, call.name, opener.captures.name, call.id)
    if ok then
      if not best then
        st:lower "recovered"
      end
      local arguments = content.cast(call.arguments, tool)
      for _, key in ipairs(json.keys(arguments)) do
        st:param(key)
        st:param_json(json.encode(arguments[key]))
      end
      finish(st, set, tool, call.id)
    elseif i == 1 then
      st:tell("text", after)
      return best ~= nil
    end
  end
  st:tell("markup", after)
  return best ~= nil
end

-- Reads a whole response.
function Run:respond(in_reasoning)
  local st, program = self.st, self.program
  if in_reasoning and program.reasoning then
    if not self:text_region(program.reasoning) then
      return
    end
  elseif #program.idle.origin > 0 then
    st:pin(true)
    local best = best_at(program.idle.list, self.at, self.origin, self.origin)
    st:seek(self.origin)
    st:pin(false)
    if best and best.entry.opens and not self:region(best) then
      return
    end
  end
  local implicit = program.implicit
  local kind = implicit and (implicit.role == "reasoning" and "reasoning" or implicit.role == "text" and "text") or "markup"
  while true do
    if implicit then
      self:begin_text(implicit, program.idle)
    end
    local from = st:pos()
    self.covered = from
    local best = self:text_upto(program.idle, kind)
    if implicit then
      self.joined[implicit] = self.joined[implicit] or st:pos() > from
    end
    if not best then
      return
    elseif best.entry.opens then
      if not self:region(best) then
        return
      end
    else
      st:seek(best.stop)
      st:tell("markup", best.stop)
    end
  end
end

-- Reads an explicit region after its opener. Returns false at the end of the text.
function Run:region(opener)
  local field = opener.entry.field
  if field.role == "calls" then
    return self:call_region(field, opener)
  end
  self.st:seek(opener.stop)
  self.st:tell("markup", opener.stop)
  if field.role == "other" then
    self.st:error("ignored_text", ("the field '%s' of the response template is neither text, reasoning nor calls"):format(field.name))
  end
  return self:text_region(field)
end

-- ---- Plans ------------------------------------------------------------------------------------

-- The field that is open at the end of a prompt, or nil.
local function open_after(program, prompt)
  local from = 0
  local at = 0
  while at <= #prompt do
    local start, stop = program.anchor.find(prompt, at)
    if not start then
      break
    end
    from, at = stop, stop > start and stop or stop + 1
  end
  local function byte(p) return prompt:byte(p + 1) end
  local p, open = from, nil
  while p < #prompt do
    local best = best_at(open and open.closer and open.closer.list or open and {} or program.idle.list, byte, p, from)
    if best and (best.stop > p or best.entry.opens) then
      open = best.entry.opens and best.entry.field or nil
      p = best.stop > p and best.stop or p
      if best.stop == best.start then
        p = p + 1
      end
    else
      p = p + 1
    end
  end
  return open
end

--- prepare(template) -> main(stream, tools, settings, start, in_reasoning), which reads a response, and prompt_opens(prompt), which
-- returns true if a prompt leaves reasoning open.
function M.prepare(template)
  local program = { anchor = template.anchor, implicit = template.implicit }
  local idle = {}
  for _, field in ipairs(template.fields) do
    if field.open then
      idle[#idle + 1] = { regex = field.open, opens = true, field = field }
      field.closer = field.close and watch { { regex = field.close, field = field } } or nil
    elseif field.close then
      idle[#idle + 1] = { regex = field.close, field = field }
    end
    field.streamed = streamed.shape(field)
    if field.role == "reasoning" then
      program.reasoning = program.reasoning or field
    end
  end
  program.idle = watch(idle)
  local nothing = planner.roles().set()
  local function main(st, tools, set, start, reasoning)
    local run = setmetatable({ st = st, tools = tools, set = set, program = program, origin = start, at = reader(st), nothing = nothing,
      covered = start, joined = {} }, Run)
    run:respond(reasoning)
    st:seek(run:end_of_text())
    return true
  end
  return main, function(prompt)
    local field = open_after(program, prompt)
    return field ~= nil and field.role == "reasoning"
  end
end

return M
