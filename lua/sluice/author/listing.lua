--- Prints the program of a script: `sluice check --program`, and the listing of the format lab.

local core = require "sluice.core"

local json = core.json
local M = {}

local NONE = 0xFFFF
local MOST = 6 -- printed literals of a set

-- ---- Operands ------------------------------------------------------------------------------

local function is_set(flags, bit)
  return flags % (bit * 2) >= bit
end

local function clipped(text)
  return #text > 60 and json.encode(text:sub(1, 56):gsub("[\192-\255][\128-\191]*$", "")) .. "..." or json.encode(text)
end

-- The literals of a set, each with the result of `note(i, role)`, if any.
local function literals(p, number, note)
  local list, roles = core.literals(p.sets[number + 1])
  local out = {}
  for i = 1, math.min(#list, MOST) do
    local said = note and note(i, roles[i])
    out[i] = list[i] == "\0\1\0" and "nothing" or clipped(list[i]) .. (said and " (" .. said .. ")" or "")
  end
  if #list > MOST then
    out[MOST + 1] = ("and %d more"):format(#list - MOST)
  end
  return table.concat(out, " | ")
end

local function up_to(p, number)
  return "up to " .. literals(p, number)
end

local function pattern(ins)
  if ins.b == core.BARE_NAME then
    return "a bare name"
  end
  return ins.b ~= NONE and ("pattern %d of the script"):format(ins.b) or nil
end

local function part_of_header(p, ins)
  return up_to(p, ins.a), pattern(ins), is_set(ins.flags, 32) and "on one line" or nil
end

local function goes(to)
  return "-> " .. to
end

-- The ends of a value, and the conditions on each.
local function ends_of_value(p, spec)
  return "up to " .. literals(p, spec.ends, function(i, role)
    local ask = spec.asks[i]
    if not ask then
      return role == core.CLOSER and "if the next words follow" or nil
    elseif ask.probe then
      return ("asks %d"):format(ask.probe)
    end
    return ask.kind == "line" and "if it fills a line" or "if its key is new"
  end)
end

local function fields_of(spec)
  local out = {}
  for i, field in ipairs(spec.fields) do
    local roles = {}
    for _, role in ipairs { "name", "arguments", "id", "reasoning", "ignored" } do
      roles[#roles + 1] = field[role] and role or nil
    end
    roles[#roles + 1] = field.extra and "extra" or nil
    roles[#roles + 1] = field.required and "required" or nil
    out[i] = ("%s: %s"):format(json.encode(field.key), table.concat(roles, ", "))
  end
  out[#out + 1] = spec.flat and "all others are arguments" or nil
  return spec.name_as_key and "the key is the name" or table.concat(out, "; ")
end

local function json_text(p, spec)
  return spec.quote and "strings in " .. json.encode(spec.quote) or nil, spec.enders and "then " .. literals(p, spec.enders) or nil
end

-- The operands of each instruction in words: functions of the program and the instruction that return pieces, some nil.
local operands = {}

function operands.literal(p, ins)
  return literals(p, ins.a), is_set(ins.flags, 1) and "exact" or nil, is_set(ins.flags, 2) and "ends its line" or nil,
    ins.b ~= NONE and "not inside a longer run" or nil
end

function operands.maybe(p, ins)
  return literals(p, ins.a), is_set(ins.flags, 1) and "exact" or nil, is_set(ins.flags, 8) and "its absence is a repair" or nil
end

function operands.maybe_seq(p, ins)
  return ins.a ~= NONE and literals(p, ins.a) or nil, "absent " .. goes(ins.b), is_set(ins.flags, 8) and "its absence is a repair" or nil
end

function operands.any(p, ins)
  local ways = p.anys[ins.a + 1].ways
  return goes(table.concat(ways, " | ")), "after all " .. goes(ins.b), is_set(ins.flags, 16) and "in order" or nil
end

function operands.any_end(_, ins)
  return goes(ins.a)
end
operands.jump = operands.any_end

operands.name, operands.key, operands.id = part_of_header, part_of_header, part_of_header
operands.header, operands.shape = part_of_header, part_of_header

function operands.attributes(p, ins)
  local spec, list = p.attributes[ins.a + 1], {}
  for i, each in ipairs(spec.list) do
    list[i] = ("%s: %s"):format(each.name, each.what)
  end
  return table.concat(list, "; "), up_to(p, spec.follow)
end

function operands.backref(p, ins)
  return is_set(ins.flags, 64) and "the name again" or "the key again", up_to(p, ins.a)
end

function operands.text(p, ins)
  local spec = p.contents[ins.a + 1]
  return spec.reasoning and "reasoning" or nil, up_to(p, spec.ends)
end

function operands.value(p, ins)
  local spec = p.values[ins.a + 1]
  return spec.key and "of " .. json.encode(spec.key) or nil, ends_of_value(p, spec), spec.to_line_end and "to the end of its line" or nil,
    spec.elements and ("elements %d"):format(spec.elements) or nil
end

function operands.params(p, ins)
  return "loop " .. ins.a, literals(p, p.loops[ins.a + 1].set)
end

function operands.params_next(p, ins)
  local loop = p.loops[ins.a + 1]
  local list, openers, exits = core.literals(p.sets[loop.set + 1]), {}, {}
  for i, text in ipairs(list) do
    local to = i <= loop.openers and openers or exits
    to[#to + 1] = clipped(text)
  end
  openers[#openers + 1] = loop.open_ended and "anything" or nil
  return ("%s -> %d"):format(table.concat(openers, " | "), loop.body),
    ("%s -> %d"):format(exits[1] and exits[1] ~= clipped "\0\1\0" and table.concat(exits, " | ", 1, math.min(#exits, MOST)) or "else",
      loop.out)
end

function operands.params_bad(_, ins)
  return goes(ins.b)
end

function operands.elements(p, ins)
  local spec = p.elements[ins.a + 1]
  local list, openers = core.literals(p.sets[spec.marks + 1]), {}
  for i = 1, spec.openers do
    openers[i] = clipped(list[i])
  end
  return ("%s -> %d"):format(table.concat(openers, " | "), spec.body)
end

function operands.elements_bad(p, ins)
  return goes(p.elements[ins.a + 1].next)
end

function operands.arguments(p, ins)
  local spec = p.arguments[ins.a + 1]
  return spec.kwargs and "key = value, to ')'" or "one JSON object", spec.raw and "else " .. goes(spec.raw) or nil, json_text(p, spec)
end

function operands.object(p, ins)
  local spec = p.objects[ins.a + 1]
  return fields_of(spec), json_text(p, spec)
end

function operands.call(p, ins)
  return "none " .. goes(p.calls[ins.a + 1].bad)
end

function operands.calls(p, ins)
  local spec = p.calls[ins.a + 1]
  return "list " .. ins.a, spec.once and "one call" or nil, spec.starts and "each begins with " .. literals(p, spec.starts) or nil
end

function operands.call_end(p, ins)
  local spec = p.calls[ins.a + 1]
  local to = { between = spec.between_at and spec.between_at + 1, body = spec.call, exit = spec.out }
  local follow = spec.follow and literals(p, spec.follow, function(i)
    return "-> " .. to[spec.kinds[i]]
  end)
  return follow, "else " .. goes(spec.open and not spec.once and spec.call or spec.out)
end

operands.call_bad = operands.call_end

function operands.between_end(p, ins)
  local spec = p.calls[ins.a + 1]
  return "a call " .. goes(spec.call), "else " .. goes(spec.out)
end

function operands.section(p, ins)
  local spec = p.sections[ins.a + 1]
  return "[ " .. goes(spec.array), "{ " .. goes(spec.object), "closed by " .. literals(p, spec.close)
end

function operands.section_end(p, ins)
  local spec = p.sections[ins.a + 1]
  return literals(p, spec.close), goes(spec.out)
end

function operands.line_start(_, ins)
  return is_set(ins.flags, 1) and "also after blanks" or nil
end

function operands.named(p, ins)
  return json.encode(p.texts[ins.a + 1])
end

function operands.declared(p, ins)
  return literals(p, ins.a)
end

function operands.side(p, ins)
  return up_to(p, ins.a)
end

function operands.member(p, ins)
  local spec = p.members[ins.a + 1]
  return json.encode(spec.keys[1]), goes(spec.out)
end

function operands.close(_, ins)
  return is_set(ins.flags, 1) and "its calls have ended" or nil
end

-- ---- Lines ---------------------------------------------------------------------------------

local function joined(...)
  local out = {}
  for i = 1, select("#", ...) do
    out[#out + 1] = (select(i, ...))
  end
  return table.concat(out, ", ")
end

--- listing.of(plan) -> lines, one per instruction: its address, the line of its word in the script (if any), its name, its operands.
function M.of(plan)
  local p = plan.program
  if not p then
    return ("'%s' has no program: it runs those of its members"):format(plan.syntax.name)
  end
  local lines = { "   #  line  instruction" }
  for i, ins in ipairs(p.code) do
    local name, node = p.names[i], p.nodes[i]
    local way = plan.ways[i - 1]
    if way then
      lines[#lines + 1] = way
    end
    local said = operands[name] and joined(operands[name](p, ins)) or ""
    local line = node and node.place and node.place:match ":(%d+): $" or ""
    local indent = ("  "):rep(math.max(0, (p.depths[i] or 0) - 1))
    lines[#lines + 1] = ("%4d %5s  %s%-12s %s"):format(i - 1, line, indent, name, said):gsub("%s+$", "")
  end
  return table.concat(lines, "\n")
end

return M
