--- lines("^^^", read, write): a block that a function reads line by line with LPeg, for formats that no other word fits. "^^^": its first
-- line begins so (or a list of texts; with any_line = true other lines may begin it, too). read(l) returns true at the end of the block,
-- or false if it is none.
--
--   l.take(pattern)   the next line, if the pattern matches all of it: its captures (or true); else nil, and the line stays
--   l.line()          the next line, whatever it is, with its carriage return, if any; nil at the end of the text
--   l.peek()          the same without that, and the line stays
--   l.call(name)      begins the call: from here on it is announced
--   l.arguments(list) its arguments, { { key, text }, { key, { text, ... } }, ... }: typed by the tool's schema; repeated keys make a list
--   l.cut()           the call is incomplete
--   l.carry(text)     keeps a text for later blocks of the response; l.carried() returns it, or nil
--
-- write(call) returns the text of a call, which has `name` and `arguments`; or nil and why it cannot. A function has no grammar.

local check = require "sluice.check"
local core = require "sluice.core"
local forms = require "sluice.ways"
local schema = require "sluice.schema.types"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local lines = word.leaf "lines"
lines.about = "a block that a function reads line by line"
lines.gives = "name"

function lines.build(class, opens, read, write)
  local any_line = type(opens) == "table" and opens.any_line or nil
  local texts = any_line and { (unpack or table.unpack)(opens) } or opens
  local wrong = check.spellings(texts)
  wrong = wrong and "its first argument " .. wrong or check.call(read) and "its second argument " .. check.call(read)
    or write ~= nil and check.call(write) and "its third argument " .. check.call(write)
  if wrong then
    word.fail(class, wrong)
  end
  return { opens = type(texts) == "table" and texts or { texts }, any_line = any_line, read = read, written = write }
end

lines.ways = forms.any

function lines:first(rest, firsts)
  if self.any_line then
    firsts:unknown "*#`./~<"
  end
  for _, text in ipairs(self.opens) do
    firsts:add(text, { rest = rest, node = self })
  end
end

-- ---- Reading -------------------------------------------------------------------------------

local ends, HELD = core.set { "\n" }, 2^30

-- The lines of the stream. A line stays in it until it is taken: what `read` leaves is text.
local function reader(stream)
  local current, after = nil, nil
  local self = {}

  function self.peek()
    if current == nil then
      local from = stream:pos()
      local _, first, last, _, found = stream:upto(ends, HELD)
      if last and last > from or found then
        current = stream:text(found and first or from, last)
        after = last + (found and 1 or 0)
      end
      stream:seek(from)
    end
    return current and (current:gsub("\r$", ""))
  end

  function self.line()
    local line = self.peek() and current
    if line then
      stream:seek(after)
    end
    current = nil
    return line
  end

  function self.take(pattern)
    local line = self.peek()
    local got = line and { (pattern * -1):match(line) } or {}
    if got[1] ~= nil then
      self.line()
      return (unpack or table.unpack)(got)
    end
  end

  return self
end

-- Puts the arguments. A key that is there again continues a list, if the schema says that it is one; else the call is incomplete.
local function put(stream, plan, tool, list)
  local order, by_key = {}, {}
  for _, pair in ipairs(list) do
    local key, value = pair[1], pair[2]
    key = plan.plural and tool and schema.plural(tool, key) or key
    local types, texts = schema.types(tool, key, plan.untyped), type(value) == "table" and value or { value }
    local is_list = type(value) == "table" or types.mask == core.ARRAY and not value:find "^%["
    local held = by_key[key]
    if not held then
      held = { key = key, types = types, is_list = is_list }
      by_key[key], order[#order + 1] = held, held
    elseif not (is_list or held.is_list) then
      texts = stream:lower "incomplete" or {}
    end
    for _, text in ipairs(texts) do
      held[#held + 1] = text
    end
  end
  for _, held in ipairs(order) do
    stream:param(held.key)
    if held.is_list then
      stream:param_array(true)
    end
    for _, text in ipairs(held) do
      stream:param_typed(text, held.is_list and (held.types.array or core.STRING) or held.types.mask, 0)
    end
    if held.is_list then
      stream:param_array(false)
    end
  end
end

function lines:parse(plan)
  local read = self.read
  plan.program:add "hand"
  plan.by_hand = true
  function plan.main(stream, tools)
    if not stream:at_line() then
      return false
    end
    local l, tool = reader(stream), nil
    function l.call(name)
      tool = tools and tools.by_name[name]
      stream:begin(name)
    end
    function l.arguments(list)
      put(stream, plan, tool, list)
    end
    function l.carry(text)
      stream:carry(text)
    end
    function l.carried()
      return stream:carried()
    end
    function l.cut()
      stream:lower "incomplete"
    end
    if not read(l) then
      return false
    end
    stream:end_call()
    return true
  end
end

-- ---- Writing -------------------------------------------------------------------------------

function lines:write(call, out)
  if not self.written then
    call:refuse "this form can only be parsed"
  end
  local text, why = self.written(call)
  out[#out + 1] = text or call:refuse("%s", why or "the format cannot carry this call")
  call:use_all()
end

function lines.tree()
  tree.refuse "a block that a function reads"
end

return lines
