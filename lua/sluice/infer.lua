--- `sluice infer`: from outputs of a model, and where they are known the calls in them, to a description.
--
-- What is looked for are anchors: a call's JSON object, or its name and its arguments, or each parameter's key and value. What stands
-- between them is the same from call to call, but for what the format says there; so the beginnings, the middles and the ends that
-- all calls share are its literals, and what repeats is a loop. Each way to read the samples makes a candidate, which is compiled and
-- tried on them: the one that explains most is the answer. Where the calls are not known they are guessed first, from JSON with a
-- name and arguments, a name before JSON, tags, or Python calls.

local core = require "sluice.core"
local laws = require "sluice.laws"
local new = require "sluice.new"
local render = require "sluice.render"
local streams = require "sluice.stream"

local json = core.json
local M = {}

-- ---- Text ----------------------------------------------------------------------------------

-- In glue: the key and the name once more, a type, the number of the call, from 0 and from 1.
local KEY, NAME, TYPE, FROM_0, FROM_1 = "\1", "\2", "\3", "\4", "\5"

-- What literals are compared by: tags, words, single characters.
local function tokens(text)
  local out, at = {}, 1
  while at <= #text do
    local token = text:match("^<[^<>\n\1\2\3]*>", at) or text:match("^%[/?[%u_]+%]", at) or text:match("^</", at)
      or text:match("^[%w_]+", at)
      or text:match("^[%z\1-\127\194-\244][\128-\191]*", at) or text:sub(at, at)
    out[#out + 1] = token
    at = at + #token
  end
  return out
end

-- The tokens that all texts begin with (or end with), as one text.
local function common(list, at_end)
  local split, most = {}, math.huge
  for i, text in ipairs(list) do
    split[i] = tokens(text)
    most = math.min(most, #split[i])
  end
  local count = 0
  while count < most do
    for i = 1, #split do
      local own, first = split[i], split[1]
      if own[at_end and #own - count or count + 1] ~= first[at_end and #first - count or count + 1] then
        most = count
      end
    end
    count = count < most and count + 1 or count
  end
  local first = split[1] or {}
  return table.concat(first, "", at_end and #first - count + 1 or 1, at_end and #first or count)
end

local function prefix_of(list)
  return common(list, false)
end

local function suffix_of(list)
  return common(list, true)
end

-- Is there more to it than white space?
local function says(text)
  return text:find "%S" ~= nil
end

-- Positions of `word` in text from `at` on, where it is no part of a longer word.
local function places(text, word, at)
  local out = {}
  local from, to = text:find(word, at, true)
  while from and word ~= "" do
    if not (text:sub(from - 1, from):find "^[%w_][%w_]" or text:sub(to, to + 1):find "^[%w_][%w_]") then
      out[#out + 1] = from
    end
    from, to = text:find(word, from + 1, true)
  end
  return out
end

-- Where the brackets end that begin at `at`; strings in quotes are passed over. `quote`: the format's own quotes, or nil.
local function span(text, at, quote)
  local depth, i = 0, at
  while i <= #text do
    local c = text:sub(i, i)
    if quote and text:sub(i, i + #quote - 1) == quote then
      local _, last = text:find(quote, i + #quote, true)
      i = last or #text
    elseif not quote and (c == '"' or (c == "'" and not text:sub(i - 1, i - 1):find "%w")) then
      local stop = i + 1
      while stop <= #text and text:sub(stop, stop) ~= c do
        stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
      end
      i = stop
    elseif c == "{" or c == "[" or c == "(" then
      depth = depth + 1
    elseif c == "}" or c == "]" or c == ")" then
      depth = depth - 1
      if depth == 0 then
        return i
      end
    end
    i = i + 1
  end
end

local function decoded(text)
  local good, value = pcall(json.decode, text)
  return good and value or nil
end

-- A parameter's value as formats write it: texts, or nil where it is JSON with brackets.
local function written(value)
  local kind = json.kind(value)
  if kind == "string" then
    return { value }
  elseif kind == "boolean" then
    return value and { "true", "True" } or { "false", "False" }
  elseif kind == "null" then
    return { "null", "None" }
  elseif kind ~= "array" and kind ~= "object" then
    return { json.encode(value) }
  end
end

-- Where this value stands at `at`: its last byte, or nil.
local function value_at(text, at, value)
  for _, form in ipairs(written(value) or {}) do
    if text:sub(at, at + #form - 1) == form then
      return at + #form - 1
    end
  end
  local c = text:sub(at, at)
  if not written(value) and (c == "{" or c == "[") then
    local last = span(text, at)
    local got = last and decoded(text:sub(at, last))
    return got ~= nil and laws.same(got, value) and last or nil
  end
end

-- ---- Anchors -------------------------------------------------------------------------------
-- Each way finds, in every sample, where each call stands: { first, last } of its body, and what it needs to say the body's
-- description. Answers a list of bodies for each sample, and a function that says the description; or nil.

local ways = {}

-- Calls `each(text, call, from)` for every call in turn; it answers the call's place, or nil, and then there is none at all.
local function every(samples, each)
  local out = {}
  for i, sample in ipairs(samples) do
    local from, found = 1, {}
    for k, call in ipairs(sample.calls) do
      local place = each(sample.text, call, from)
      if not place then
        return nil
      end
      found[k], from = place, place.last + 1
    end
    out[i] = found
  end
  return out
end

local function word(name, options)
  local list = {}
  for _, option in ipairs(options or {}) do
    list[#list + 1] = ("%s = %s"):format(option[1], type(option[2]) == "string" and new.literal(option[2]) or tostring(option[2]))
  end
  return ("s.%s%s"):format(name, #list > 0 and (" { %s }"):format(table.concat(list, ", ")) or "()")
end

-- A JSON object (or Python's) that has the name and the arguments.
function ways.object(samples)
  local names, arguments, python, entry = {}, {}, false, false
  local function fits(object, call)
    local name_key, argument_key
    for _, key in ipairs(json.keys(object)) do
      local value = object[key]
      local inner = json.kind(value) == "string" and value:find "^%s*{" and decoded(value) or value
      if key == call.name and laws.same(value, call.arguments) and #json.keys(object) == 1 then
        return true
      elseif value == call.name and not name_key then
        name_key = key
      elseif json.kind(inner) == "object" and laws.same(inner, call.arguments) and not argument_key then
        argument_key = key
      end
    end
    return name_key, argument_key
  end
  local found = every(samples, function(text, call, from)
    local at = text:find("{", from, true)
    while at do
      local last = span(text, at)
      local body = last and text:sub(at, last)
      local object = body and decoded(body)
      if json.kind(object) == "object" then
        local name_key, argument_key = fits(object, call)
        if name_key == true then
          entry = true
          return { first = at, last = last }
        elseif name_key and (argument_key or #json.keys(call.arguments) == 0) then
          names[#names + 1], arguments[#arguments + 1] = name_key, argument_key
          return { first = at, last = last, text = body }
        end
      elseif body and not object then
        local name_key = body:match("'([%w_]+)'%s*:%s*'" .. call.name:gsub("%p", "%%%0") .. "'")
        local argument_key = body:match "'([%w_]+)'%s*:%s*{"
        if name_key and argument_key then
          names[#names + 1], arguments[#arguments + 1], python = name_key, argument_key, true
          return { first = at, last = last, text = body }
        end
      end
      at = text:find("{", at + 1, true)
    end
  end)
  if not found then
    return nil
  end
  local options = {}
  if entry then
    options[1] = { "entry", true }
  else
    options[#options + 1] = names[1] ~= "name" and { "name", names[1] } or nil
    options[#options + 1] = arguments[1] and arguments[1] ~= "arguments" and { "arguments", arguments[1] } or nil
    options[#options + 1] = python and { "python", true } or nil
  end
  return found, function()
    return { word("object", options) }
  end
end

local counter = 's.shape(lpeg.R "09" ^ 1, function(call)\n      return tostring(call.index%s)\n    end)'

-- Glue as words of a description, added to `out`.
local function literals(glue, out)
  for mark, literal in glue:gmatch "([\1\2\4\5]?)([^\1\2\4\5]*)" do
    if mark ~= "" then
      out[#out + 1] = mark == KEY and 's.same "key"' or mark == NAME and 's.same "name"' or counter:format(mark == FROM_0 and " - 1" or "")
    end
    if literal ~= "" then
      out[#out + 1] = new.literal(literal)
    end
  end
  return out
end

-- The same glue of calls, { text, index } each, as a list of texts: where they differ, but in a number that counts the calls, that
-- is taken out.
local function alike(list)
  local all, from = true, { [0] = {}, {} }
  local same = { [0] = true, true }
  for i, item in ipairs(list) do
    all = all and item.text == list[1].text
    for base = 0, 1 do
      local done = false
      from[base][i] = item.text:gsub("%d+", function(digits)
        if not done and tonumber(digits) == item.index - 1 + base then
          done = true
          return base == 0 and FROM_0 or FROM_1
        end
      end)
      same[base] = same[base] and from[base][i] == from[base][1]
    end
  end
  if not all and (same[0] or same[1]) then
    return from[same[0] and 0 or 1]
  end
  local out = {}
  for i, item in ipairs(list) do
    out[i] = item.text
  end
  return out, all
end

-- The arguments as JSON, the name before them.
function ways.named(samples)
  local found = every(samples, function(text, call, from)
    local at = text:find("{", from, true)
    while at do
      local last = span(text, at)
      local object = last and decoded(text:sub(at, last))
      if json.kind(object) == "object" and laws.same(object, call.arguments) then
        local before = places(text:sub(1, at - 1), call.name, from)
        local first = before[#before]
        return first and { first = first, last = last, middle = text:sub(first + #call.name, at - 1), text = text:sub(at, last) }
      end
      at = text:find("{", at + 1, true)
    end
  end)
  local middles = {}
  for _, list in ipairs(found or {}) do
    for k, place in ipairs(list) do
      middles[#middles + 1] = { text = place.middle, index = k }
    end
  end
  middles = alike(middles)
  local middle = middles[1]
  for _, other in ipairs(middles) do
    middle = other == middle and middle or nil
  end
  if not middle or (not says(middle) and not middle:find "\n") then
    return nil
  end
  return found, function()
    local out = literals(middle, { "s.name()" })
    out[#out + 1] = "s.arguments()"
    return out
  end
end

-- Python's calls.
function ways.python(samples)
  local found = every(samples, function(text, call, from)
    for _, at in ipairs(places(text, call.name, from)) do
      local open = text:match("^%(()", at + #call.name)
      local last = open and span(text, open - 1)
      local all = last ~= nil
      for _, key in ipairs(json.keys(call.arguments)) do
        all = all and #places(text:sub(open, last), key, 1) > 0
      end
      if all then
        return { first = at, last = last }
      end
    end
  end)
  return found, function()
    return { "s.name()", '"("', 's.arguments "kwargs"', '")"' }
  end
end

-- Arguments with bare keys, and strings in quotes of the format's own.
function ways.quoted(samples)
  local votes, quote = {}, nil
  for _, sample in ipairs(samples) do
    for _, call in ipairs(sample.calls) do
      for _, key in ipairs(json.keys(call.arguments)) do
        local value = call.arguments[key]
        for _, at in ipairs(json.kind(value) == "string" and value ~= "" and places(sample.text, key, 1) or {}) do
          local from = at + #key
          local first, last = sample.text:find(value, from, true)
          local mark = first and sample.text:sub(from, first - 1):match "^:%s*(.+)$"
          if mark and #mark < 24 and sample.text:sub(last + 1, last + #mark) == mark and not mark:find "^[%w%s]" then
            votes[mark] = (votes[mark] or 0) + 1
            quote = (not quote or votes[mark] > votes[quote]) and mark or quote
          end
        end
      end
    end
  end
  if not quote or quote == '"' then
    return nil
  end
  local found = every(samples, function(text, call, from)
    for _, at in ipairs(places(text, call.name, from)) do
      local open = text:match("^{()", at + #call.name)
      local last = open and span(text, open - 1, quote)
      if last then
        return { first = at, last = last }
      end
    end
  end)
  return found, function()
    return { "s.name()", ("s.arguments { quote = %s }"):format(new.literal(quote)) }
  end
end

-- ---- Parameters, one by one ----------------------------------------------------------------

local type_names = { "string", "integer", "number", "boolean", "object", "array", "null", "true", "false" }

-- Glue with the first name of a type in quotes taken out: the glue, and the name.
local function untyped(glue)
  for _, name in ipairs(type_names) do
    local from, to = glue:find('"' .. name .. '"', 1, true)
    if from then
      return glue:sub(1, from) .. TYPE .. glue:sub(to), name
    end
  end
  return glue
end

-- What stands between keys and values, most frequent first.
local function glues(samples)
  local votes, list = {}, {}
  local function vote(text, key, value, once)
    for _, at in ipairs(places(text, key, 1)) do
      local from = at + #key
      for to = from, math.min(from + 120, #text) do
        if to > from and value_at(text, to, value) then
          local glue = untyped(text:sub(from, to - 1))
          if says(glue) and not once[glue] then
            once[glue] = true
            if not votes[glue] then
              votes[glue] = 0
              list[#list + 1] = glue
            end
            votes[glue] = votes[glue] + 1
          end
          break
        end
      end
    end
  end
  for _, sample in ipairs(samples) do
    for _, call in ipairs(sample.calls) do
      for _, key in ipairs(json.keys(call.arguments)) do
        if call.arguments[key] ~= "" then
          vote(sample.text, key, call.arguments[key], {})
        end
      end
    end
  end
  table.sort(list, function(a, b)
    return votes[a] > votes[b] or (votes[a] == votes[b] and (#a < #b or (#a == #b and a < b)))
  end)
  return list
end

-- Where key, glue and value stand next: the key's place, the value's last byte, the type that is told, whether line breaks set it off.
local function parameter_at(text, from, key, glue, value)
  local before, after = glue:match "^(.-)\3(.*)$"
  for _, at in ipairs(places(text, key, from)) do
    local start, told = at + #key, nil
    if before then
      local rest
      if text:sub(start, start + #before - 1) == before then
        told, rest = text:match("^(%w+)()", start + #before)
      end
      start = told and text:sub(rest, rest + #after - 1) == after and rest + #after or nil
    else
      start = text:sub(start, start + #glue - 1) == glue and start + #glue or nil
    end
    local last = start and (value == "" and start - 1 or value_at(text, start, value))
    if last then
      return at, last, told, false
    end
    last = start and text:sub(start, start) == "\n" and value_at(text, start + 1, value)
    if last and text:sub(last + 1, last + 1) == "\n" then -- set off by a line break on each side
      return at, last + 1, told, true
    end
  end
end

-- Takes the key (or the name) out of glue where it closes what it opened.
local function masked(text, what, mark)
  local at = places(text:sub(1, 80), what, 1)[1]
  if at and text:sub(1, at - 1):find "/[^<>/]*$" then
    return text:sub(1, at - 1) .. mark .. text:sub(at + #what)
  end
  return text
end

-- Splits what stands before the first, between and behind the last of things that repeat: { open, close, between, before, behind }.
local function loop(firsts, betweens, ends)
  local before, behind = suffix_of(firsts), prefix_of(ends)
  if #betweens == 0 then
    return { open = "", close = "", between = "", before = before, behind = behind, single = true }
  end
  local counts, between = {}, betweens[1]
  for _, text in ipairs(betweens) do
    counts[text] = (counts[text] or 0) + 1
    between = counts[text] > counts[between] and text or between
  end
  local open, close = suffix_of { before, between }, prefix_of { behind, between }
  if not (says(open) or says(close)) or not between:find "%w" then
    open, close = "", "" -- a separator, and nothing else
  elseif #open + #close > #between then -- white space between them is both's: let it close
    open = open:sub(#open + #close - #between + 1)
  end
  if not says(open) and says(close) then
    open = ""
  end
  return { open = open, close = close, between = between:sub(#close + 1, #between - #open),
    before = before:sub(1, #before - #open), behind = behind:sub(#close + 1) }
end

-- Literal glue around a key with a type in it: attributes, or nil where it is none of a tag.
local function attributes(open, glue, types)
  local head, key = open:match '^(.-)%s+([%w_-]+)="$'
  local other, rest = glue:match '^"%s+([%w_-]+)="\3"(.*)$'
  if not head or not other then
    return nil
  end
  local map, plain = {}, true
  for told, kinds in pairs(types) do
    local list = {}
    for kind in pairs(kinds) do
      list[#list + 1] = kind
    end
    plain = plain and (kinds[told] or (told == "integer" and kinds.number)) and #list == 1
    map[#map + 1] = ("[%s] = %s"):format(new.literal(told), new.literal(#list == 1 and list[1] == "string" and "string" or "json"))
  end
  table.sort(map)
  local out = { new.literal(head) }
  out[2] = ("s.attributes { { %s, s.key() }, { %s, %s } }"):format(new.literal(key), new.literal(other),
    plain and "s.type()" or ("s.type { map = { %s } }"):format(table.concat(map, ", ")))
  return out, rest
end

-- Calls with parameters, where this glue stands between keys and values.
local function parameters(samples, glue)
  local types, heads, betweens, tails = {}, {}, {}, {}
  local repeats, pad = false, false
  local tell_types = glue:find(TYPE, 1, true)
  local before_name -- the characters that names stand behind
  local found = every(samples, function(text, call, from)
    local place, at = { parameters = {} }, from
    local left = {}
    for _, key in ipairs(json.keys(call.arguments)) do
      local value = call.arguments[key]
      local items = json.kind(value) == "array" and #value > 0 and not parameter_at(text, at, key, glue, value)
      repeats = repeats or items -- a list's items stand one by one
      for _, item in ipairs(items and value or { value }) do
        left[#left + 1] = { key = key, value = item }
      end
    end
    while #left > 0 do
      local best, number
      for i, one in ipairs(left) do
        local first, last, told, padded = parameter_at(text, at, one.key, glue, one.value)
        if first and (not best or first < best.first) then
          best, number = { key = one.key, first = first, last = last, told = told, padded = padded }, i
        end
      end
      if not best then
        return nil
      end
      if best.told then
        types[best.told] = types[best.told] or {}
        types[best.told][json.kind(left[number].value)] = true
      end
      pad = pad or best.padded
      table.remove(left, number)
      place.parameters[#place.parameters + 1] = best
      at = best.last + 1
    end
    local one = place.parameters[1]
    local names = places(one and text:sub(1, one.first - 1) or text, call.name, from)
    if one then
      place.first = names[#names]
      before_name = before_name or (place.first and text:sub(math.max(1, place.first - 3), place.first - 1))
    else
      for _, name_at in ipairs(names) do
        if not place.first and (not before_name or text:sub(name_at - #before_name, name_at - 1) == before_name) then
          place.first = name_at
        end
      end
    end
    if not place.first then
      return nil
    end
    place.last = one and at - 1 or place.first + #call.name - 1
    return place
  end)
  if not found then
    return nil
  end
  -- What stands behind a call, up to the next call's name or the end.
  local function behind(sample, list, k)
    return sample.text:sub(list[k].last + 1, list[k + 1] and list[k + 1].first - 1 or #sample.text)
  end
  for i, sample in ipairs(samples) do
    for k, place in ipairs(found[i]) do
      local text, call, list = sample.text, sample.calls[k], place.parameters
      for n, one in ipairs(list) do
        if n == 1 then
          heads[#heads + 1] = { text = text:sub(place.first + #call.name, one.first - 1), index = k }
        else
          betweens[#betweens + 1] = masked(text:sub(list[n - 1].last + 1, one.first - 1), list[n - 1].key, KEY)
        end
      end
      place.behind = masked(masked(behind(sample, found[i], k), list[#list] and list[#list].key or "", KEY), call.name, NAME)
      tails[#tails + 1] = #list > 0 and place.behind or nil
    end
  end
  heads = alike(heads)
  if #betweens == 0 then -- one parameter a call: what a closer is cannot be told from what closes the call, so it is tried
    betweens = nil
  end
  local inner = betweens and loop(heads, betweens, tails)
  if not inner then
    local open, close = suffix_of(heads), prefix_of(tails)
    local tag = open:match "(\n?<[^<>]*)$" or open:match "(<[^<>]*>)$" or open
    local first = close:match "^(%s*</[^<>]*>\n?)" or ""
    inner = { open = tag, close = first, between = "", before = open:sub(1, #open - #tag), behind = close:sub(#first + 1) }
  end
  if not says(inner.open) then
    return nil
  end
  for i in ipairs(samples) do -- what is left behind the last parameter, or behind the header
    for _, place in ipairs(found[i]) do
      local own = #place.parameters > 0 and inner.close or inner.before
      place.cut = place.behind:sub(1, #own) == own and #own or 0
    end
  end
  return found, function()
    local out = { "s.name()" }
    literals(inner.before, out)
    local body, middle, rest = nil, glue, nil
    if tell_types then
      body, rest = attributes(inner.open, glue, types)
      if not body then
        return nil
      end
      if rest ~= "" then
        literals(rest, body)
      end
    else
      body = literals(inner.open, {})
      body[#body + 1] = "s.key()"
      literals(middle, body)
    end
    body[#body + 1] = pad and "s.value { pad = true }" or "s.value()"
    literals(inner.close .. inner.between, body)
    out[#out + 1] = ("s.parameters { %s }"):format(table.concat(body, ", "))
    return out, repeats and "repeats = true" or nil
  end
end

-- ---- Candidates ----------------------------------------------------------------------------

-- Does the text begin with prose: words, or a sentence, before what looks like a marker?
local function prose_in(text)
  local lead = text:match "^[%w%s%.,;:!?'’-]*"
  return select(2, lead:gsub("%w+", "")) > 1 or lead:find "[%.!?]%s" ~= nil
end

-- The end of a text from where it is no prose any more: behind the last white space that follows a word or a sentence.
local function without_prose(text)
  local list, from = tokens(text), 1
  for i = 1, #list - 1 do
    if (list[i]:find "^[%w_]+$" or list[i]:find "^[%.,;:!?]$") and list[i + 1]:find "^%s$" then
      from = i + 2
    end
  end
  return (table.concat(list, "", from):gsub("^%s+", ""))
end

-- The beginning of a text up to where prose begins.
local function up_to_prose(text)
  local list = tokens(text)
  for i = 1, #list do
    if list[i]:find "^[%w_]+$" and (i == 1 or list[i - 1]:find "^%s$") then
      return (table.concat(list, "", 1, i - 1):gsub("%s+$", ""))
    end
  end
  return text
end

-- A pair of tags around reasoning, if one stands before the calls.
local function reasoning_in(samples)
  for _, sample in ipairs(samples) do
    for open, name in sample.text:gmatch "([<%[]([^<>%[%]\n]+)[>%]]%s*)" do
      if name:lower():find "think" or name:lower():find "reason" then
        local tail = open:match "%S$" or open:match "[>%]]"
        local close = (open:sub(1, 1) .. "/" .. name .. (tail == "]" and "]" or ">"))
        local from = sample.text:find(close, 1, true)
        if from and name:sub(1, 1) ~= "/" then
          local space = open:find "\n$" and "\n" or ""
          return { open = open:gsub("%s+$", "") .. space, close = space .. close .. (sample.text:match("^\n*", from + #close)) }
        end
      end
    end
  end
end

-- How the JSON of the samples is spaced, where it is not as usual.
local function spacing(found)
  local compact, spaced = 0, 0
  for _, list in ipairs(found) do
    for _, place in ipairs(list) do
      if place.text then
        local value = decoded(place.text)
        compact = compact + (value and json.encode(value) == place.text and 1 or 0)
        spaced = spaced + (value and json.encode(value, ", ", ": ") == place.text and 1 or 0)
      end
    end
  end
  return compact > spaced and '{ item = ",", key = ":" }' or nil
end

-- Descriptions of what stands around these bodies: lists of { call, between }, as text of Lua.
local function around(samples, found, body, trim)
  local firsts, betweens, ends = {}, {}, {}
  for i, sample in ipairs(samples) do
    for k, place in ipairs(found[i]) do
      local call, after = sample.calls[k], found[i][k + 1]
      local text = place.behind or sample.text:sub(place.last + 1, after and after.first - 1 or #sample.text)
      text = masked(text:sub((place.cut or 0) + 1), call.name, NAME)
      if k == 1 then
        firsts[#firsts + 1] = sample.text:sub(1, place.first - 1)
      end
      if after then
        betweens[#betweens + 1] = text
      else
        ends[#ends + 1] = text
      end
    end
  end
  local outer = loop(firsts, betweens, ends)
  local words, field = body()
  if not words then
    return nil
  end
  if trim then
    outer.before = without_prose(outer.before)
  end
  outer.before = outer.before:gsub("^%s+", "")
  outer.behind = up_to_prose(outer.behind)
  if #ends > 0 and says(outer.behind) == false then
    outer.behind = outer.behind:find "^\n" and #outer.behind > 0 and outer.behind or ""
  end
  if outer.single and outer.before:find "%[%s*$" and outer.behind:find "^%s*%]" then -- a list, of one in every sample
    outer.single, outer.between = false, ", "
  end
  local inner = literals(outer.open, {})
  for _, text in ipairs(words) do
    inner[#inner + 1] = text
  end
  literals(outer.close, inner)
  local out, between = {}, nil
  if outer.single then
    literals(outer.before, out)
    for _, text in ipairs(inner) do
      out[#out + 1] = text
    end
    literals(outer.behind, out)
  elseif not says(outer.before) and not says(outer.behind) and says(outer.open) then
    out, between = inner, outer.between ~= "" and outer.between or nil
  else
    if outer.between ~= "" then
      inner[#inner + 1] = "between = " .. new.literal(outer.between)
    end
    literals(outer.before, out)
    out[#out + 1] = ("s.calls { %s }"):format(table.concat(inner, ", "))
    literals(outer.behind, out)
  end
  return { call = out, between = between, prose = prose_in(outer.before), field = field }
end

-- A script with this description. `extra`: more fields, as text of Lua.
local function script_of(name, candidate, extra)
  local call = table.concat(candidate.call, ", ")
  local lpeg = call:find("lpeg.", 1, true) and '\nlocal lpeg = require "lpeg"' or ""
  local out = { ('local s = require "sluice.syntax"%s\n\nreturn s.syntax {\n  api = 1,\n  name = %s,\n'):format(lpeg, new.literal(name)) }
  for _, line in ipairs(extra) do
    out[#out + 1] = "  " .. line .. ",\n"
  end
  local long = #call > 100
  out[#out + 1] = long and ("  call = {\n    %s,\n  },\n"):format(table.concat(candidate.call, ",\n    "))
    or ("  call = { %s },\n"):format(call)
  if candidate.between then
    out[#out + 1] = ("  between = %s,\n"):format(new.literal(candidate.between))
  end
  return table.concat(out)
end

-- ---- Trying --------------------------------------------------------------------------------

-- What a syntax makes of a sample: nil where it gives the sample's calls, else what it gives.
local function misread(plan, sample)
  local tools = #sample.calls > 0 and render.tools_of(sample.calls) or nil
  local result = streams.whole(streams.new(assert(core.stream(plan, tools, { validate = false }))), sample.text)
  if #result.calls ~= #sample.calls then
    return ("gives %d calls, not %d"):format(#result.calls, #sample.calls)
  end
  for i, call in ipairs(sample.calls) do
    local got = result.calls[i]
    if got.name ~= call.name then
      return ("call %d is '%s', not '%s'"):format(i, got.name, call.name)
    elseif not laws.same(decoded(got.arguments), call.arguments) then
      return ("the arguments of call %d are %s"):format(i, got.arguments)
    elseif got.status ~= "complete" then
      return ("call %d is %s"):format(i, got.status)
    end
  end
  for _, e in ipairs(result.errors) do
    return ("%s at byte %d"):format(e.code, e.first - 1)
  end
  return nil, result
end

-- Does render write the calls as the sample has them?
local function writes(host, plan, sample)
  local text = #sample.calls > 0 and host.render(plan, sample.calls)
  return text and sample.text:find(text, 1, true) ~= nil
end

-- How many samples a plan explains, and how many of them it would write so.
local function score(host, plan, samples)
  local explained, exact = 0, 0
  for _, sample in ipairs(samples) do
    if not misread(plan, sample) then
      explained = explained + 1
      exact = exact + (writes(host, plan, sample) and 1 or 0)
    end
  end
  return explained, exact
end

-- ---- Calls that nobody told ----------------------------------------------------------------

local name_keys = { "name", "tool_name", "function", "tool", "function_name", "action", "type", "recipient" }
local argument_keys = { "arguments", "parameters", "args", "input", "params", "tool_input", "action_input", "kwargs" }

-- The calls that a JSON value is, or holds.
local function calls_in(value, out)
  local kind = json.kind(value)
  if kind == "array" then
    for _, item in ipairs(value) do
      calls_in(item, out)
    end
  elseif kind == "object" then
    local name, arguments
    for _, key in ipairs(name_keys) do
      name = name or (json.kind(value[key]) == "string" and value[key]:find "^[%w_.:/-]+$" and value[key]) or nil
    end
    for _, key in ipairs(argument_keys) do
      local given = value[key]
      given = json.kind(given) == "string" and given:find "^%s*{" and decoded(given) or given
      arguments = arguments or (json.kind(given) == "object" and given) or nil
    end
    if name and arguments then
      out[#out + 1] = { name = name, arguments = arguments }
    else
      for _, key in ipairs(json.keys(value)) do
        calls_in(value[key], out)
      end
    end
  end
  return out
end

local guesses = {}

-- JSON with a name and arguments, wherever it stands.
function guesses.objects(text)
  local out, at = {}, text:find "[{%[]"
  while at do
    local last = span(text, at)
    local value = last and decoded(text:sub(at, last))
    if value and #calls_in(value, {}) > 0 then
      calls_in(value, out)
      at = text:find("[{%[]", last + 1)
    else
      at = text:find("[{%[]", at + 1)
    end
  end
  return out
end

-- A name right before a JSON object; what stands between is no prose.
function guesses.named(text)
  local out, at, from = {}, text:find("{", 1, true), 1
  while at do
    local last = span(text, at)
    local value = last and decoded(text:sub(at, last))
    if json.kind(value) == "object" then
      local name, between
      for word_at, candidate in text:sub(from, at - 1):gmatch "()([%a_][%w_.-]*)" do
        local glue = text:sub(from + word_at - 1 + #candidate, at - 1)
        if candidate:find "[_%l]" and not candidate:find "^json$" and #glue < 60 and not glue:find "^%s*%a" then
          local plain = glue:gsub("[<%[|｜][^<>%[%]]*[>%]]", ""):gsub("```%a*", "")
          local inside = text:sub(1, from + word_at - 2):match "[<%[][|｜/]?[%w_▁|｜:]*$" and glue:find "^[^<%[]*|>"
          if not plain:find "%a" and not inside then
            name, between = candidate, glue
          end
        end
      end
      if name and between then
        out[#out + 1] = { name = name, arguments = value }
      end
      from, at = last + 1, text:find("{", last + 1, true)
    else
      at = text:find("{", at + 1, true)
    end
  end
  return out
end

-- A value as it stands in a tag: JSON, or text.
local function plain_value(text)
  local value = text:gsub("^\n", ""):gsub("\n$", "")
  local got = decoded(value)
  return got ~= nil and json.kind(got) ~= "string" and got or value
end

-- Tags that name the tool and hold tags that name parameters; or a name with pairs of tags behind it.
function guesses.tags(text)
  local out, at = {}, 1
  -- The next tag that holds a word of its own: its last byte, what kind it is, the word.
  local function tag(from)
    for first, inside, last in text:gmatch("()<([^<>/\n][^<>\n]*)>()", from) do
      if first >= from then
        local kind, name = inside:match "^([%w_:|.｜▁-]+)=\"?([%w_.-]+)\"?$"
        if not kind then
          kind, name = inside:match '^([%w_:|.｜▁-]+)%s+[%w_-]+="([%w_.-]+)"'
        end
        if not kind then
          kind, name = inside:match "^([%w_]+):([%w_.-]+)$"
        end
        if kind then
          return first, last, kind, name
        end
      end
    end
  end
  local first, last, kind, name = tag(at)
  local call, call_kind
  while first do
    local _, close_at, close = text:find("(</" .. kind:gsub("%p", "%%%0") .. "[:%w_]*>)", last)
    if (not call or kind == call_kind) then
      call, call_kind = { name = name, arguments = json.object() }, kind
      out[#out + 1] = call
      at = last
    elseif close then
      call.arguments[name] = plain_value(text:sub(last, close_at - #close))
      at = close_at
    else
      at = last
    end
    first, last, kind, name = tag(at)
  end
  if #out > 0 then
    return out
  end
  -- NAME <key>k</key> <value>v</value>
  local key_tag, value_tag = text:match "<([%w_:]*key[%w_]*)>[^<>]*</[%w_:]*>%s*<([%w_:]*val[%w_]*)>"
  if key_tag then
    local from = 1
    for begin, key, value_at in text:gmatch("()<" .. key_tag .. ">([^<>]*)</" .. key_tag .. ">%s*<" .. value_tag .. ">()") do
      local stop = text:find("</" .. value_tag .. ">", value_at, true)
      local before = text:sub(from, begin - 1)
      local found = before:match "[>%]]%s*([%a_][%w_.-]*)%s*$" or before:match "[>%]]%s*([%a_][%w_.-]*)%s*<[^<>]*>%s*$"
      if found then
        call = { name = found, arguments = json.object() }
        out[#out + 1] = call
      end
      if call and stop then
        call.arguments[key] = plain_value(text:sub(value_at, stop - 1))
        from = stop + #value_tag + 3
      end
    end
  end
  return out
end

-- name(key=value, ...), read as Python's calls are.
function guesses.python(text, host)
  local plan = host.compile([[local s = require "sluice.syntax"
    return s.syntax { api = 1, name = "python", call = { s.at_start(), s.name(), "(", s.arguments "kwargs", ")" } }]], "python")
  local out = {}
  for at, _, open in text:gmatch "()([%a_][%w_.]*)()%(" do
    local last = span(text, open)
    local inside = last and text:sub(open + 1, last - 1)
    if inside and (inside:find "^%s*$" and text:sub(last + 1):find "^%s*[%],<]" or inside:find "^%s*[%a_][%w_]*%s*=[^=]") then
      local result = streams.whole(streams.new(assert(core.stream(plan, nil, {}))), text:sub(at, last))
      local call = result.calls[1]
      if call and call.status == "complete" then
        out[#out + 1] = { name = call.name, arguments = decoded(call.arguments) }
      end
    end
  end
  return out
end

local guess_order = { "objects", "named", "tags", "python" }

-- Copies of the samples with the calls that this guess sees; nil where it sees none in one of them.
local function guessed(host, samples, guess)
  local out = {}
  for i, sample in ipairs(samples) do
    local calls = guesses[guess](sample.text, host)
    if #calls == 0 then
      return nil
    end
    out[i] = { path = sample.path, text = sample.text, calls = calls }
  end
  return out
end

-- ---- The whole -----------------------------------------------------------------------------

-- Known syntaxes that explain all samples. Where the calls are not told they must be complete, without errors.
local function known(host, samples, told, hidden)
  local best
  for _, name in ipairs(host.order) do
    local plan = not hidden[name] and host.plan(name)
    if plan then
      local all, exact, own = true, 0, {}
      for i, sample in ipairs(samples) do
        own[i] = sample
        if not told then
          local result = streams.whole(streams.new(assert(core.stream(plan, nil, {}))), sample.text)
          local calls = {}
          for k, call in ipairs(result.calls) do
            calls[k] = { name = call.name, arguments = decoded(call.arguments) }
          end
          own[i] = { path = sample.path, text = sample.text, calls = calls }
          all = all and #calls > 0 and not (result.content and result.content:find "</[^>]+>")
        end
        all = all and not misread(plan, own[i])
        exact = exact + (all and writes(host, plan, own[i]) and 1 or 0)
      end
      local d = plan.syntax
      local rank = exact * 100 + (d.parent and 0 or 50) + math.min(#(d.models or {}), 40)
      if all and (not best or rank > best.rank) then
        best = { plan = plan, rank = rank, samples = own }
      end
    end
  end
  return best
end

-- A description's outline: its words without what the literals say. `literals_of` gets the literals in order.
local function outline(node, literals_of)
  if node.word == "literal" then
    if says(node.text) then
      literals_of[#literals_of + 1] = node.text
      return "L "
    end
    return ""
  end
  local skip = node.word == "sequence" or node.word == "missing_ok" or node.word == "usually"
  local out = { skip and "" or node.word .. "{" }
  for i = 1, #node do
    out[#out + 1] = outline(node[i], literals_of)
  end
  return table.concat(out) .. (skip and "" or "} ")
end

-- A dialect of a known syntax that has the plan's outline and explains the samples as well: its script, and the parent's name.
local function dialect(host, plan, samples, name, hidden)
  local own = {}
  local wanted = outline(plan.syntax.blocks[1], own)
  for _, parent in ipairs(host.order) do
    local other = not hidden[parent] and host.plan(parent)
    local theirs = {}
    if other and #other.syntax.blocks == 1 and outline(other.syntax.blocks[1], theirs) == wanted and #own == #theirs then
      local changes, seen = {}, {}
      for i, text in ipairs(theirs) do
        local from, to = text:match "^%s*(.-)%s*$", own[i]:match "^%s*(.-)%s*$"
        if from ~= to and not seen[from] then
          changes[#changes + 1] = ("    [%s] = %s,\n"):format(new.literal(from), new.literal(to))
        end
        seen[from] = true
      end
      local script = ("return inherit(%s, {\n  name = %s,\n  literals = {\n%s  },\n"):format(new.literal(parent),
        new.literal(name), table.concat(changes))
      local child = host.compile(script .. "})\n", other.path or name .. ".lua")
      if child and score(host, child, samples) == #samples then
        return script, parent, child
      end
    end
  end
end

-- The candidate that explains most, of all ways to read the samples: { script, plan, explained, exact }.
local function best_of(host, samples, name, extra)
  local best
  local number = 0 -- of the way: the first that explains as much as others is the plainest
  local function consider(found, body)
    number = number + 1
    for _, trim in ipairs { false, true } do
      local candidate = around(samples, found, body, trim)
      for _, more in ipairs(candidate and { {}, { 'untyped = "string"' } } or {}) do
        local fields = {}
        for _, line in ipairs(extra) do
          fields[#fields + 1] = line
        end
        local spaced = spacing(found)
        fields[#fields + 1] = spaced and "json = " .. spaced or nil
        fields[#fields + 1] = candidate.field
        fields[#fields + 1] = more[1]
        local script = script_of(name, candidate, fields)
        local plan = host.compile(script .. "}\n", name .. ".lua")
        if plan then
          local explained, exact = score(host, plan, samples)
          local rank = explained * 100 - number * 10 + exact - (candidate.prose and 2 or 0) - (more[1] and 1 or 0)
          if not best or rank > best.rank then
            best = { script = script, plan = plan, explained = explained, exact = exact, rank = rank }
          end
        end
      end
    end
  end
  for _, way in ipairs { "object", "named", "quoted", "python" } do
    local found, body = ways[way](samples)
    if found then
      consider(found, body)
    end
  end
  for i, glue in ipairs(glues(samples)) do
    if i > 4 or (best and best.explained == #samples and i > 2) then
      break
    end
    local found, body = parameters(samples, glue)
    if found then
      consider(found, body)
    end
  end
  return best
end

--- infer(host, asked) -> { script, page, report, explained } or nil and a sentence. asked.samples: a list of { path, text, calls },
-- the calls { name, arguments } of all of them, or of none where they are not known; asked.name: of the syntax; asked.hidden: names of
-- syntaxes that are not compared with.
function M.infer(host, asked)
  local samples, name = asked.samples, asked.name or "mine"
  local hidden = {}
  for _, other in ipairs(asked.hidden or {}) do
    hidden[other] = true
  end
  local told = samples[1] and samples[1].calls ~= nil
  local report = {}
  local function say(text, ...)
    report[#report + 1] = text:format(...)
  end
  if #samples == 0 then
    return nil, "there is no sample"
  end
  local ended = true -- files end with a line break, which is none of the model's
  for _, sample in ipairs(samples) do
    ended = ended and sample.text:find "\n$" ~= nil
  end
  for _, sample in ipairs(ended and samples or {}) do
    sample.text = sample.text:sub(1, -2)
  end
  local script, plan
  local twin = known(host, samples, told, hidden)
  if twin then
    samples = twin.samples
    plan = twin.plan
    say("this is `%s`: it explains every sample", plan.syntax.name)
    script = ("return inherit(%s, {\n  name = %s,\n"):format(new.literal(plan.syntax.name), new.literal(name))
  else
    local pair = reasoning_in(samples)
    local extra = {}
    if pair then
      extra[1] = ("reasoning = { open = %s, close = %s }"):format(new.literal(pair.open), new.literal(pair.close))
    end
    local best
    for _, guess in ipairs(told and { "told" } or guess_order) do
      local own = told and samples or guessed(host, samples, guess)
      local found = own and best_of(host, own, name, extra)
      if found and (not best or found.explained > best.explained) then
        best, asked.samples = found, own
      end
    end
    samples = asked.samples
    if not best or best.explained == 0 then
      return nil, told and "no description was found: around the names and arguments of these calls nothing repeats that could mark them"
        or "no calls were seen: no JSON with a name and arguments, no name before JSON, no tags with parameters, no Python calls; "
        .. "say what the calls are with --calls FILE"
    end
    script, plan = best.script, best.plan
    local inherited, parent, child = dialect(host, plan, samples, name, hidden)
    if inherited and best.explained == #samples then
      script, plan = inherited, child
      say("this is `%s` with other literals", parent)
    else
      say "a format of its own"
    end
  end
  local explained = 0
  for _, sample in ipairs(samples) do
    local wrong = misread(plan, sample)
    explained = explained + (wrong and 0 or 1)
    say("  %-20s %s", sample.path or "", wrong and "is not explained: " .. wrong
      or ("is explained: %d call%s%s"):format(#sample.calls, #sample.calls == 1 and "" or "s",
        writes(host, plan, sample) and "" or ", which would be written in other words"))
  end
  if not told then
    say "the calls were guessed: see that they are what the samples mean"
  end
  local text, page = new.inferred(host, name, script, plan, samples)
  if not text then
    return nil, page
  end
  return { script = text, page = page, report = table.concat(report, "\n"), explained = explained }
end

return M
