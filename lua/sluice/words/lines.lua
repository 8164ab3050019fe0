--- lines(opens, read, write, form): a block that a function reads, one line at a time, with plain Lua and LPeg: for formats that no other
-- word fits. docs/vocabulary.md says what each argument is, and has the functions of `l`.

local check = require "sluice.check"
local core = require "sluice.core"
local follow = require "sluice.compile.follow"
local lists = require "sluice.lists"
local schema = require "sluice.schema.types"
local tree = require "sluice.constrain.tree"
local word = require "sluice.word"

local lines = word.leaf "lines"
lines.gives = "name"

-- A literal as it is in this dialect, or with a mark: of the word in scripts, of a call in `write`.
local function literal_of(self)
  return function(text)
    for _, change in ipairs(self.changes or {}) do
      text = change(text)
    end
    return text
  end
end

--- The word with other literals.
function lines:reworded(change)
  return word.copy(self, { opens = lists.map(self.opens, change), changes = lists.joined(self.changes or {}, { change }) })
end

function lines.build(class, opens, read, write, form)
  local texts, any_line = {}, false
  for i, text in ipairs(type(opens) == "table" and opens or { opens }) do
    any_line = any_line or i > 1 and text == ""
    texts[#texts + 1] = (i == 1 or text ~= "") and text or nil
  end
  local wrong = (#texts == 0 or check.texts(texts)) and "its first argument must be a text, or a list of texts; the last may be empty"
    or check.call(read) and "its second argument " .. check.call(read)
    or write ~= nil and check.call(write) and "its third argument " .. check.call(write)
  if wrong then
    word.fail(class, wrong)
  end
  return { opens = texts, any_line = any_line, read = read, written = write,
    form ~= nil and word.classes.list.of(class, form) or nil }
end

function lines:enter(rest)
  return self[1] and follow.cons(self[1], rest)
end

-- What a line can begin with, besides letters: anything but white space, and brackets, with which JSON begins.
local signs = {}
for byte = 33, 255 do
  signs[#signs + 1] = string.char(byte):match "[^A-Za-z_{%[]"
end
signs = table.concat(signs)

function lines:first(rest, firsts)
  if self.any_line then
    firsts:unknown(signs)
  end
  for _, text in ipairs(self.opens) do
    firsts:add(text, { rest = rest, node = self })
  end
end

-- Raises, where a script called a function of `l`, if it was not given a text.
local function expect(name, value)
  if type(value) ~= "string" then
    error(("l.%s: expected a text, not a %s"):format(name, type(value)), 3)
  end
end

-- What `read` gets, for a block of this stream: lines, and what it tells about calls. Also a function that ends the block with what `read`
-- returned. A line stays in the stream until it is taken: what `read` leaves is text. The newline of a taken line stays until the
-- next one is looked at. Stays in one piece: short functions that share the next line and the open parameter.
local function language(self, stream, plan, tools)
  local l = { literal = literal_of(self) }
  local line, bare, ended = nil, nil, nil -- the next line, without its carriage return; true if it has its newline
  local last_line = ""
  local stop, behind, begins = nil, nil, nil -- where it stops, without its newline and with it; where it begins
  local calls, tool, open, seen = false, nil, nil, {} -- calls: a call is open; open: the parameter whose text may go on

  function l.peek()
    if not line then
      local from = begins or stream:pos()
      local last, found = stream:line(from)
      if found or last > from then
        line, stop, behind, ended = stream:text(from, last), last, last + (found and 1 or 0), found
        bare = line:gsub("\r$", "")
      end
    end
    return line and bare
  end

  function l.ended()
    return l.peek() and ended or false
  end

  function l.line()
    local taken = l.peek() and line
    if taken then
      stream:seek(stop)
      line, begins, last_line = nil, behind, line
    end
    return taken
  end

  function l.take(pattern)
    if type(pattern) == "string" or tonumber(pattern) or not pattern then
      error("l.take: expected an LPeg pattern, such as lpeg.P \"END\", not a " .. type(pattern), 2)
    end
    local got = l.peek() and { (pattern * -1):match(bare) } or {}
    if got[1] ~= nil then
      l.line()
      return (unpack or table.unpack)(got)
    end
  end

  -- Ends the open parameter.
  local function close()
    if open and open.list then
      stream:param_array(false)
    elseif open and open.streams then
      stream:param_part("", true)
    elseif open and open.text then
      stream:param_typed(table.concat(open.text), open.mask, open.items)
    end
    open = nil
  end

  -- Begins a parameter; one that is there again is left out.
  local function begin(key, mask, list, items)
    close()
    open = {}
    if seen[key] then
      stream:lower "incomplete"
      stream:error("duplicate_parameter", ("the parameter %s was given before; the first one is kept"):format(key))
    elseif stream:param(key) then
      open = { key = key, mask = mask, items = items, list = list, streams = mask == core.STRING, text = {} }
      if list then
        stream:param_array(true)
      end
    end
    seen[key] = true
  end

  function l.known(name)
    return (tools and tools.by_name or plan.known or {})[name] ~= nil
  end

  function l.call(name)
    expect("call", name)
    close()
    calls, tool, seen = true, tools and tools.by_name[name], {}
    local from, to = last_line:find(name, 1, true)
    local at = stream:pos() - #last_line
    stream:call(name, from and at + from - 1 or stream:pos(), from and at + to or stream:pos())
  end

  function l.value(key, value)
    expect("value", key)
    expect("value", type(value) == "table" and key or value)
    key = plan.syntax.singular_keys and tool and schema.plural(tool, key) or key
    local mask, items = schema.types(tool, key, plan.untyped)
    local list = type(value) == "table" or mask == core.ARRAY and value:find "^%s*[^%s%[]" -- "": parts may follow
    local array = mask ~= core.ANY_TYPE and lists.has(mask, core.ARRAY)
    local again = open and open.key == key
    local held = again and array and not open.list and table.concat(open.text)
    if held and held:find "^%s*[^%s%[]" then -- its first item
      stream:param_array(true)
      stream:param_typed(held, items or core.STRING)
      open.list = true
    elseif not (again and open.list) then
      begin(key, mask, list, items)
    end
    for _, item in ipairs(open.list and (type(value) == "table" and value or { value }) or {}) do
      stream:param_typed(item, items or core.STRING)
    end
    if not list then
      l.more(value)
    end
  end

  function l.more(text)
    expect("more", text)
    if open and open.streams and not open.list then
      stream:param_part(text, false)
    elseif open and open.text then
      open.text[#open.text + 1] = text
    end
  end

  function l.body(key, last, between, opener, closer)
    local before, opened, quoted = "", 0, nil -- opened: fences in it
    l.value(key, "")
    while not l.take(last) do
      quoted = opener and bare and ((opener * -1):match(bare) or quoted and not (closer * -1):match(bare))
      local has_newline, taken = l.ended(), l.line()
      if not taken then
        return l.cut()
      end
      opened = opened + (taken:find "^```%w" and 1 or taken:find "^```%s*$" and -1 or 0)
      local text, cr = taken:match "^(.-)(\r?)$" -- that before the closer belongs to it
      l.more(before .. (between and text or taken) .. (has_newline and not between and "\n" or ""))
      before = between and cr .. "\n" or ""
    end
    if quoted then
      stream:lower "doubt"
    elseif opened > 0 and last_line:find "^```" then -- that closed one of these
      l.cut()
    end
    return true
  end

  for _, name in ipairs { "carry", "carried" } do
    l[name] = function(...)
      return stream[name](stream, ...)
    end
  end

  function l.done()
    close()
    stream:done()
    calls = false
  end

  for name, status in pairs { mended = "recovered", cut = "incomplete" } do
    l[name] = function()
      stream:lower(status)
    end
  end

  return l, function(done)
    if done == "line" then
      stream:seek(begins or error('"line" is returned, but no line was taken', 0))
    elseif not done and calls then
      l.cut()
    end
    close()
    return done
  end
end

function lines:parse(plan)
  plan.program:add "hand"
  function plan.main(stream, tools)
    local l, finish = language(self, stream, plan, tools)
    return finish(stream:at_line() and self.read(l))
  end
end

function lines:write(call, out)
  if not self.written then
    return (self[1] or call:refuse "this form can only be parsed"):write(call, out)
  end
  local seen, literal = word.seen(call), literal_of(self)
  function seen.literal(_, text)
    return literal(text)
  end
  local good, text, why = pcall(self.written, seen) -- raises if it expects other arguments
  why = not good and tostring(text) or why or "the format cannot carry this call"
  out[#out + 1] = good and text or call:refuse("%s", why)
  call:use_all()
end

function lines:tree(context)
  return (self[1] or tree.refuse "a block that a function reads"):tree(context:with { by_lines = true })
end

return lines
