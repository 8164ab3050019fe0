--- value { key =, trim =, entities =, line =, json = }: a parameter's value as text up to the next word, typed by the tool's schema. key:
-- of a fixed parameter. docs/vocabulary.md has the other options.
-- entities: for two scripts, bolt and dyad: &lt; and others are decoded. Their agents do that, and whatever is a file's content must arrive
-- as they write it.

local check = require "sluice.check"
local core = require "sluice.core"
local follow = require "sluice.compile.follow"
local quoting = require "sluice.compile.quoting"
local tree = require "sluice.constrain.tree"
local values = require "sluice.constrain.values"
local word = require "sluice.word"

local json = core.json

local value = word.leaf("value", { key = check.text, json = check.flag,
  trim = function(given)
    return type(given) ~= "boolean" and given ~= "fence" and given ~= "lines" and 'must be true, "fence" or "lines"' or nil
  end,
  line = function(given)
    return type(given) ~= "boolean" and check.text(given) and "must be true, or what a grammar writes: [...] classes" or nil
  end,
  entities = function(given)
    return type(given) ~= "boolean" and not (type(given) == "table" and #given == 2) and 'must be true, or { "lt", "gt" }' or nil
  end })

value.parameter = true

-- The white space that it drops at its sides: from the literal before it, and from the one after it or all those that can follow.
local function edges(self, left, right, firsts)
  local lead = left and not left.exact and (left.text:match "%w[ \t](%s*)$" or left.text:match "%s*$") or ""
  local trail = right and not right.exact and right.text:match "^%s*" or not right and firsts[1] and firsts[1].space or ""
  for _, entry in ipairs(right and {} or firsts) do
    trail = trail == entry.space and trail or ""
  end
  if self.trim == "lines" then
    if lead .. trail ~= "" then
      word.refuse(self, 'trim = "lines" drops a newline on each side: put no white space into the literals beside it')
    end
    return "\n", "\n"
  end
  return lead, trail
end

-- The question to ask before a literal ends a value; nil if its role decides.
local function ask_for(plan, entry, confirm)
  local after = entry.rest and entry.rest.node
  if after and after.ask then
    return after:ask(plan, entry, confirm)
  elseif entry.text:find "^\n```+$" then
    return { kind = "fence" }
  elseif entry.at_line or entry.own_line then -- else a word would end it in the middle of a sentence
    return { kind = "line", open = not entry.at_line }
  end
end

-- The literals that end it, and the role of each. It drops the white space spec.trail, or more before one that is written behind more.
local function ends_of(self, plan, firsts, confirm, spec)
  local list, roles, asks, trail, most = {}, {}, spec.asks, spec.trail, spec.trail
  for i, entry in ipairs(firsts) do
    list[i], asks[i] = entry.whole or entry.text, ask_for(plan, entry, confirm) or false
    local longer = not entry.lacks and entry.space and entry.space:sub(1, #most) == most
    most = longer and entry.space or most
  end
  for i, entry in ipairs(firsts) do
    local own = not entry.lacks and entry.space or ""
    own = own:sub(1, #trail) == trail and most:sub(1, #own) == own and own or trail
    roles[i] = (asks[i] and core.ASK or core.FINAL) + core.KEEPS * (#most - #own)
  end
  if self.line then
    list[#list + 1], roles[#list + 1] = "\n", core.FINAL + core.KEEPS * (#most - #trail)
  elseif #list == 0 then
    return list, roles -- ends only with the text
  end
  spec.trail = most ~= "" and most or nil
  return list, roles
end

function value:parse(plan, rest, before)
  local p, loop = plan.program, follow.loop_around(rest)
  local right, after = follow.literal_right(rest)
  local firsts, confirm = follow.firsts(rest), follow.laters(rest)
  if right and after and after.node.refers_to and not right.text:find "%S" then
    word.refuse(self, "what s.same repeats does not end it: a literal with a sign must stand before that, or read the block with s.lines")
  elseif (firsts.open or not firsts[1]) and right and not self.line and not right.text:find "%S" then
    word.ends(self, rest) -- refuses it
  end
  local spec = { key = self.key, to_line_end = self.line, trim = self.line or self.trim == true or self.trim == "fence",
    present = self.present, sealed = self.has_opener, asks = {}, single = self.single,
    as = (self.entities == true and core.ENTITIES or self.entities and core.ANGLES or 0)
      + (self.trim == "fence" and core.FENCED or 0) + ((self.json or self.unquoted) and core.MAY_BE_JSON or 0) }
  spec.lead, spec.trail = edges(self, before and before:last(), right, firsts)
  local list, roles = ends_of(self, plan, firsts, confirm, spec)
  spec.quoting = not self.has_opener and not self.line and quoting.spec(plan.block, rest) or nil
  local among = not (spec.quoting or self.line) and (loop or not plan.block.at and #follow.laters(after) > 0) -- a closer may be skipped
  for _, text in ipairs(self.has_opener and { before:last().text } or among and plan:call_openers(rest) or {}) do
    if #text > 2 and not firsts.seen[text] then -- quoted calls cannot be balanced here, and would yield parameters
      list[#list + 1], roles[#list + 1] = text, core.DOUBT
    end
  end
  spec.ends = p:set(list, roles)
  if right and (self.line or right.text:find "%S") then
    -- only what the description says: for text that a grammar has constrained
    local text = right.exact and right:body() or right.text
    local role = after and after.node.word == "same" and core.ASK or core.FINAL
    spec.strict_ends = p:set(self.line and { text, "\n" } or { text }, { role, core.FINAL })
  end
  spec.elements = loop and loop.nested and quoting.elements(loop, plan) or nil
  p:add("value", { a = p:put("values", spec) })
end

function value:write(call, out)
  local given = call.value
  if self.key then
    call.used[self.key] = true
    given = call.arguments[self.key]
    given = given == nil and "" or given
  end
  local kind = json.kind(given)
  if call.loop and (kind == "object" and json.keys(given)[1] ~= nil or kind == "array" and #given > 0) then
    return call.loop:write_nested(call, given, out)
  end
  local text = kind == "string" and not self.json and given or json.encode(given, ", ", ": ")
  if self.for_signs and not text:find "[<&\n]" then
    call:refuse("the value of %s needs no quoting", call.key)
  elseif self.line and (text == "" or text:find "[\r\n]" or text:find "^%s" or text:find "%s$") then
    call:refuse("the value of %s is empty, or not one line of text without white space around it", self.key or call.key)
  end
  out[#out + 1] = self.trim == "lines" and text:find "\n" and "\n" .. text .. "\n" or text
end

function value:tree(context)
  local schema = context.schema
  if self.key then
    schema = context:named(self.key) or json.object { { "type", "string" } }
    context.used[self.key] = true
  end
  if self.json then
    return context:json(schema, ("value_%s_%s"):format(context.call.name, self.key or context.key))
  elseif context.at_line then
    return values.lines(schema, context, self.key)
  end
  local nested = context.loop and values.nested(schema, context)
  local text = nested or values.text(schema, context, self.line)
  return self.present and context.following and text.kind == "raw" and tree.seq { values.beginning(context.following), text } or text
end

return value
