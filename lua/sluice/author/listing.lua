--- Prints the program of a script: `sluice check --program`, and the listing of the format lab.

local core = require "sluice.core"

local json = core.json
local M = {}

local NONE = 0xFFFF
local MOST = 6 -- printed literals of a set

local function clipped(text)
  return #text > 60 and json.encode(text:sub(1, 56):gsub("[\192-\255][\128-\191]*$", "")) .. "..." or json.encode(text)
end

local function literals(p, number)
  local list, out = core.literals(p.sets[number + 1]), {}
  for i = 1, math.min(#list, MOST) do
    out[i] = list[i] == "\0\1\0" and "nothing" or clipped(list[i])
  end
  if #list > MOST then
    out[MOST + 1] = ("and %d more"):format(#list - MOST)
  end
  return table.concat(out, " | ")
end

-- Instructions whose operand a is a set, with what is said before it; a row of a table; an address. And those whose b is an address.
local up_to = "up to "
local sets = { literal = "", maybe = "", maybe_seq = "", declared = "", name = up_to, key = up_to, id = up_to, header = up_to,
  shape = up_to, backref = up_to, side = up_to }
local rows = { any = "anys", attributes = "attributes", text = "contents", value = "values", params_next = "loops", elements = "elements",
  arguments = "arguments", object = "objects", calls = "calls", section = "sections", member = "members" }
local jumps = { any_end = "a", jump = "a", maybe_seq = "b", any = "b", params_bad = "b" }

-- What is printed of a row: sets, with what is said before them, and addresses.
local of_row = { { "ends", up_to }, { "set", "" }, { "marks", "" }, { "starts", "each begins with " }, { "follow", up_to },
  { "enders", "then " }, { "close", "closed by " } }
local addresses = { "body", "call", "bad", "out", "next", "array", "object", "raw" }

-- The keys of a JSON object, and what each is.
local function fields_of(spec)
  local out = {}
  for i, field in ipairs(spec.fields) do
    local roles = {}
    for _, role in ipairs { "name", "arguments", "id", "reasoning", "ignored", "extra", "required" } do
      roles[#roles + 1] = field[role] and role or nil
    end
    out[i] = ("%s: %s"):format(json.encode(field.key), table.concat(roles, ", "))
  end
  out[#out + 1] = spec.flat and "all others are arguments" or nil
  return spec.name_as_key and "the key is the name" or table.concat(out, "; ")
end

-- The operands of an instruction in words.
local function operands(p, name, ins)
  local out = {}
  local function say(text, ...)
    out[#out + 1] = text:format(...)
  end
  local row = rows[name] and p[rows[name]][ins.a + 1]
  if sets[name] and ins.a ~= NONE then
    say("%s%s", sets[name], literals(p, ins.a))
    out[2] = ins.b == core.BARE_NAME and "a bare name" or nil
  elseif name == "named" then
    say("%s", json.encode(p.texts[ins.a + 1]))
  elseif name == "object" then
    say("%s", fields_of(row))
  elseif name == "arguments" then
    say(row.kwargs and "key = value, to ')'" or "one JSON object")
  elseif name == "any" then
    say("-> %s", table.concat(row.ways, " | "))
  end
  for _, field in ipairs(row and of_row or {}) do
    if type(row[field[1]]) == "number" and row[field[1]] ~= NONE then
      say("%s%s", field[2], literals(p, row[field[1]]))
    end
  end
  for _, field in ipairs(row and addresses or {}) do
    if type(row[field]) == "number" and row[field] ~= NONE then
      say("%s -> %d", field, row[field])
    end
  end
  if jumps[name] and ins[jumps[name]] ~= NONE then
    say("-> %d", ins[jumps[name]])
  end
  return table.concat(out, ", ")
end

-- ---- Lines ---------------------------------------------------------------------------------

--- listing.of(plan) -> lines, one per instruction: its address, the line of its word in the script (if any), its name, its operands.
function M.of(plan)
  local p = plan.program
  if not p then
    return ("'%s' is a combination; show one of its members"):format(plan.syntax.name)
  end
  local lines = { "   #  line  instruction" }
  for i, ins in ipairs(p.code) do
    local name, node = p.names[i], p.nodes[i]
    local way = plan.ways[i - 1]
    if way then
      lines[#lines + 1] = way
    end
    local said = operands(p, name, ins)
    local line = node and node.place and node.place:match ":(%d+): $" or ""
    local indent = ("  "):rep(math.max(0, (p.depths[i] or 0) - 1))
    lines[#lines + 1] = ("%4d %5s  %s%-12s %s"):format(i - 1, line, indent, name, said):gsub("%s+$", "")
  end
  return table.concat(lines, "\n")
end

return M
