--- The laws of the design as functions: properties that every syntax has on every text in every chunking. `sluice check` tests them on a
-- script, the tests on all of them.

local json = require("sluice.core").json
local lists = require "sluice.lists"
local render = require "sluice.render"
local word = require "sluice.word"
local ways = require "sluice.ways"

local M = {}

--- A generator of random numbers that is the same on every platform.
function M.random(state)
  return function(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % n + 1
  end
end

-- Adds an event, joined to the last one if both are adjacent fragments of a kind.
local function add(list, event)
  if event.type == "parameter" then -- kept apart: how they interleave with arguments depends on the chunking
    list.parameters = list.parameters or {}
    list = list.parameters
  end
  local last = list[#list]
  if last and event.text and event.type ~= "error" and last.type == event.type and last.index == event.index and last.key == event.key
    and (event.type ~= "markup" or event.first == last.last + 1)
    and (event.type == "arguments" or event.type == "parameter" or (event.last < event.first) == (last.last < last.first)) then
    last.text = last.text .. event.text
    if event.last >= event.first then
      last.first, last.last = last.last < last.first and event.first or last.first, event.last
    end
  else
    list[#list + 1] = event
  end
end

--- Joins the fragments of events, which it changes.
function M.joined(events)
  local list = {}
  for _, e in ipairs(events) do
    add(list, e)
  end
  return list
end

--- The events of a text fed in chunks of `chunk` bytes (0: whole), or cut at the given offsets, fragments joined unless `raw`.
function M.events(stream, text, chunk, raw)
  local list, from, cuts = {}, 1, type(chunk) == "table" and chunk or {}
  for at = 1, cuts ~= chunk and chunk > 0 and math.ceil(#text / chunk) - 1 or 0 do
    cuts[at] = at * chunk
  end
  for i = 1, #cuts + 2 do
    for event in i > #cuts + 1 and stream:finish() or stream:feed(text:sub(from, cuts[i] or #text)) do
      list[#list + 1] = event
    end
    from = (cuts[i] or 0) + 1
  end
  stream:reset()
  return raw and list or M.joined(list)
end

-- True if a text is valid UTF-8: in JSON each other byte becomes U+FFFD.
local function is_utf8(text)
  return json.decode(json.encode(text)) == text
end

-- True if a character begins at the end of `a` and ends in `b`.
local function cuts_character(a, b)
  local begun = a:match "[\194-\244][\128-\191]?[\128-\191]?$"
  return begun and not is_utf8(begun) and is_utf8(begun .. b:match "^[\128-\191]*")
end

--- Reports a fragment that ends within a character whose rest is in the next one. `events`: of M.events, raw. Returns nil, or a message.
function M.cut_character(events)
  local before = {}
  for _, e in ipairs(events) do
    local last = before[e.type]
    if e.text and e.type ~= "error" then
      if last and last.index == e.index and last.key == e.key and last.last + 1 == e.first and cuts_character(last.text, e.text) then
        return ("a %s fragment ends within the character at %d"):format(e.type, last.last)
      end
      before[e.type] = e
    end
  end
end

local escapes = { ["\n"] = "\\n", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }

-- As %q of Lua 5.4, in every Lua, except that \n, \r and invalid UTF-8 (\xHH) are escaped.
local function quote(text)
  local whole = is_utf8(text)
  return '"' .. text:gsub('([%z\1-\31"\\\127-\255])(%d?)', function(c, digit)
    local code = c:byte()
    local shown = code < 128 and (digit ~= "" and "\\%03d" or "\\%d"):format(code) or whole and c or ("\\x%02X"):format(code)
    return (escapes[c] or shown) .. digit
  end) .. '"'
end

--- Events as readable lines, for comparison.
function M.lines(events)
  local lines = {}
  for _, list in ipairs { events, events.parameters } do
    for _, e in ipairs(list) do
      local line = ("%s %d-%d "):format(e.type, e.first - 1, e.last)
      local id = e.id and not e.id:match("^call_" .. ("%w"):rep(24) .. "$") and " id=" .. e.id or "" -- generated ids are not compared
      if e.type == "error" then
        line = ("error %d %s: %s"):format(e.first - 1, e.code, e.message)
      elseif e.type == "call_begin" then
        line = ("%s#%d %s%s"):format(line, e.index, e.name, id)
      elseif e.type == "call_end" then
        line = ("%s#%d %s%s%s%s"):format(line, e.index, e.status, e.valid == false and e.status ~= "incomplete" and ", not valid" or "", id,
          e.extra and " extra=" .. e.extra or "")
      elseif e.type == "parameter" then
        line = ("parameter #%d %s %s"):format(e.index, e.key, quote(e.text))
      else
        line = line .. quote(e.text)
      end
      lines[#lines + 1] = line
    end
  end
  return table.concat(lines, "\n")
end

--- Law 2: the ranges cover the input without gap or overlap. Returns nil, or a message.
function M.uncovered(events, text)
  local ranges = lists.map(events, function(e)
    return e.type ~= "error" and e.type ~= "parameter" and e.last >= e.first and e or nil
  end)
  table.sort(ranges, function(a, b) return a.first < b.first end)
  local at = 1
  for _, e in ipairs(ranges) do
    if e.first ~= at then
      return ("%s at %d instead of %d"):format(e.type, e.first, at)
    end
    at = e.last + 1
    -- decoded text, such as an escape's meaning, has an empty range
    if (e.type == "text" or e.type == "reasoning" or e.type == "markup") and text:sub(e.first, e.last) ~= e.text then
      return ("the %s at %d is not the text of its range"):format(e.type, e.first)
    end
  end
  if at ~= #text + 1 then
    return ("the bytes from %d are not covered"):format(at)
  end
end

--- Law 5: the joined arguments of each call are one JSON object, and each call has its end. Returns nil, or a message.
function M.bad_arguments(events)
  local open = {}
  for _, e in ipairs(events) do
    if e.type == "call_begin" then
      open[e.index] = ""
    elseif e.type == "arguments" then
      if not open[e.index] then
        return "arguments outside a call"
      end
      open[e.index] = open[e.index] .. e.text
    elseif e.type == "call_end" then
      local value, message = json.decode(open[e.index] or "", { exact = true })
      if value == nil then
        return ("call %d: %s: %s"):format(e.index, message, open[e.index])
      elseif json.kind(value) ~= "object" then
        return ("call %d: the arguments are not an object: %s"):format(e.index, open[e.index])
      end
      open[e.index] = nil
    end
  end
  local left = next(open)
  if left then
    return ("call %d has no end"):format(left)
  end
end

--- Random offsets to cut a text at, a few bytes apart.
function M.random_cut(random, text)
  local cut, at = {}, 0
  while at < #text do
    at = at + random(4)
    if at < #text then
      cut[#cut + 1] = at
    end
  end
  return cut
end

--- The literals of a description, for texts that are almost calls.
function M.literals(description)
  local list = {}
  word.find(description.blocks, function(node)
    list[#list + 1] = node.body and node.text or nil
    list = lists.joined(list, node.opens or {}) -- of lines that a function reads
  end)
  for _, pair in ipairs(description.reasoning or {}) do
    list[#list + 1], list[#list + 2] = pair.open, pair.close
  end
  return lists.joined(list, description.stop or {}, description.ignore or {})
end

local scraps = { "a", "Hello ", "\n", "\n\n", "  ", "<", ">", "{", "}", "[", "]", "\"", "'", ":", ",", "\\", "ü", "😊", "🛠️",
  "\226\156", "\255", "name", "\"name\": \"f\"", "\"arguments\": {", "{\"a\": 1}", "1", "null", "```\n", "x=", "f", "---\n",
  "key: value\n", "- item\n", "{\"name\": \"f\", \"arguments\": {\"x\": \"y\"}}" }

--- A random text of these literals and of common scraps.
function M.random_text(random, marks)
  marks = #marks > 0 and marks or scraps
  local out = {}
  for i = 1, random(14) do
    local mark = random(2) == 1 and marks[random(#marks)] or scraps[random(#scraps)]
    if random(6) == 1 then
      mark = mark:sub(1, random(#mark))
    end
    out[i] = mark
  end
  return table.concat(out)
end

local words = { "Paris", "a b", "", "x\ny\n", "  indented\n    more\n", "quote \" and ' and `", "back\\slash", "tab\there",
  "ünïcödé 漢字 🚀", "</tag> & <b>", "12", "true", "null", "{\"k\": [1, 2]}", "[1, 2]", "---", "^^^", "key: value",
  "line\r\nline", "https://x.y/z?a=b:c#d", "%s %d", "<tool_call>", "</parameter>", "\n", " lead and trail " }

local function random_value(random, depth)
  local kind = random(depth > 2 and 4 or 7)
  if kind <= 2 or kind == 7 then
    return words[random(#words)]
  elseif kind == 3 then
    return ({ 0, 1, -5, 42, 1.5, -0.25, 100000 })[random(7)]
  elseif kind == 4 then
    return ({ true, false })[random(2)]
  end
  local members = {}
  for i = 1, random(3) do
    members[i] = { ("k%d"):format(i), random_value(random, depth + 1) }
  end
  return kind == 6 and json.object(members) or json.array(lists.map(members, function(member)
    return member[2]
  end))
end

M.same = render.same

--- How the calls of a collector differ from the wanted ones, { name, arguments } each; nil if they do not. `accepted`: a
-- status that is as good as `complete`.
function M.difference(wanted, got, accepted)
  if #wanted ~= #got then
    return ("gives %d call%s instead of %d"):format(#got, #got == 1 and "" or "s", #wanted)
  end
  for i, call in ipairs(wanted) do
    local arguments = json.encode(call.arguments)
    if call.name ~= got[i].name then
      return ("call %d is '%s' instead of '%s'"):format(i, got[i].name, call.name)
    elseif not M.same(json.decode(arguments), json.decode(got[i].arguments)) then
      return ("the arguments of call %d are %s instead of %s"):format(i, got[i].arguments, arguments)
    elseif got[i].status ~= "complete" and got[i].status ~= accepted then
      return ("call %d is %s"):format(i, got[i].status)
    end
  end
end

--- Tools whose schemas fit the arguments of these calls, as JSON values.
function M.tools_for(calls)
  return json.array(lists.map(render.tools_of(calls).list, function(tool)
    tool.parameters.type = "object"
    return { type = "function", ["function"] = { name = tool.name, parameters = tool.parameters } }
  end))
end

--- A call that the format can carry, with `text` as its last parameter, and that parameter's key.
function M.long_call(description, text)
  local form = (ways.of(description) or { { { key = "content" } } })[1]
  local long = form[1]
  for _, member in ipairs(form) do -- not an attribute, which is read at its end: most are only in later examples
    long = member.late and long or member
  end
  return { name = form.name or description.tools and description.tools[1] or "write",
    arguments = json.object(lists.map(form, function(member)
      return { member.key, (member == long and text or "x") .. (member.lines and "\n" or "") }
    end)) }, long and long.key
end

-- A random call of one of the format's forms.
local function random_form(random, description, list, number)
  local form = list[random(#list)]
  local name = form.name or description.tools and description.tools[random(#description.tools)] or ("tool_%d"):format(number)
  return { name = name, arguments = json.object(lists.map(form, function(member)
    if not member.optional or random(2) == 1 then
      local text = words[random(#words)]
      if member.line then
        text = text:gsub('[\r\n<>"`*#:]', ""):gsub("^%s+", ""):gsub("%s+$", "")
        text = (text == "" or random(2) == 1) and "a/b.c" or text -- often a path: some formats carry no other line
      elseif member.lines and text ~= "" then
        text = text:gsub("\n?$", "\n", 1)
      end
      return { member.key, text }
    end
  end)) }
end

--- Random calls that the format can carry.
function M.random_calls(random, description)
  local calls, list = {}, ways.of(description)
  for i = 1, description.max_calls or random(3) do
    local members = {}
    for k = 1, list and 0 or random(4) - 1 do
      members[k] = { "p" .. ("abc"):sub(k, k), random_value(random, 0) }
    end
    calls[i] = list and random_form(random, description, list, i)
      or { name = ("tool_%d"):format(i), arguments = json.object(members) }
  end
  return calls
end

--- Tests laws 1, 2 and 5 on one text. `stream`: of the syntax, with `markup`. `cuts`: a list of chunk sizes and lists of offsets.
-- Returns the events of the whole text; or nil, the number of the law, and a message.
function M.keeps(stream, text, cuts)
  local whole = M.events(stream, text, 0)
  local wanted = M.lines(whole)
  local gap = M.uncovered(whole, text)
  if gap then
    return nil, 2, gap .. "\n" .. wanted
  end
  local bad = M.bad_arguments(whole)
  if bad then
    return nil, 5, bad
  end
  for _, e in ipairs(whole) do
    if e.code == "script_error" then
      return nil, 8, e.message
    end
  end
  for _, cut in ipairs(cuts) do
    local events = M.events(stream, text, cut, true)
    local split = M.cut_character(events)
    if split then
      return nil, 1, split
    end
    local lines = M.lines(M.joined(events))
    if lines ~= wanted then
      local where = type(cut) == "table" and table.concat(cut, ",") or cut
      return nil, 1, ("cut at %s it gives\n%s\ninstead of\n%s"):format(where, lines, wanted)
    end
  end
  return whole
end

return M
