--- Finds calls in texts, for sluice.infer: their anchors, and the glue between them.
--
-- Anchors are a call's JSON object, or its name and its arguments, or each parameter's key and value. Glue is the text between them: the
-- same from call to call, except where the format repeats a name or key. Samples are { text, calls } each.

local core = require "sluice.core"
local laws = require "sluice.author.laws"
local new = require "sluice.author.new"

local json = core.json
local M = {}

-- ---- Text ----------------------------------------------------------------------------------

-- Placeholders in glue: the repeated key and name.
local KEY, NAME = "\1", "\2"

--- Replaces a call's id in samples: a character that JSON allows in strings.
M.ID = "\239\191\188"

--- Replaces the repeated name in glue.
M.NAME = NAME

--- tokens(text): splits a text into the units of comparison: tags, words, single characters.
function M.tokens(text)
  local out, at = {}, 1
  while at <= #text do
    local token = text:match("^<[%a/|!\128-\255][^<>\n\1\2]*>", at) or text:match("^%[/?[%u_]+%]", at) or text:match("^</", at)
      or text:match("^[%w_]+", at)
      or text:match("^[%z\1-\127\194-\244][\128-\191]*", at) or text:sub(at, at)
    out[#out + 1] = token
    at = at + #token
  end
  return out
end

-- The tokens with which all texts begin (or end), as one text.
local function common(list, at_end)
  local split, most = {}, #list > 0 and math.huge or 0
  for i, text in ipairs(list) do
    split[i] = M.tokens(text)
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

--- prefix_of(list), suffix_of(list): the common beginning, and the common end, of all texts.
function M.prefix_of(list)
  return common(list, false)
end

function M.suffix_of(list)
  return common(list, true)
end

local prefix_of, suffix_of = M.prefix_of, M.suffix_of

--- has_text(text): true if a text is more than white space.
function M.has_text(text)
  return text:find "%S" ~= nil
end

-- Total bytes in which brackets are matched: unclosed brackets would otherwise be read over and over.
local MOST = 4e6
local spent = 0

--- begin(): resets that total.
function M.begin()
  spent = 0
end

--- span(text, at): the end of the brackets that begin at `at`; strings in quotes are skipped. Returns nil if they do not end, or the
-- total is used up.
function M.span(text, at)
  local depth, i = 0, at
  while i and spent < MOST do
    local c, from = text:sub(i, i), i
    if c == '"' or (c == "'" and not text:sub(i - 1, i - 1):find "%w") then
      i = i + 1
      local stop = text:find("[\\" .. c .. "]", i)
      while stop and text:sub(stop, stop) == "\\" do
        stop = text:find("[\\" .. c .. "]", stop + 2)
      end
      i = stop or #text
    elseif c == "{" or c == "[" or c == "(" then
      depth = depth + 1
    elseif c == "}" or c == "]" or c == ")" then
      depth = depth - 1
      if depth == 0 then
        return i
      end
    end
    i = text:find("[%[%]{}()\"']", i + 1)
    spent = spent + (i or #text) - from
  end
end

--- decoded(text[, options]): a JSON value, or nil.
function M.decoded(text, options)
  local good, value = pcall(json.decode, text, options)
  return good and value or nil
end

--- absent(samples) -> a message about the first name, or word of an argument, that is missing from its sample's text; nil if none is.
function M.absent(samples)
  for i, sample in ipairs(samples) do
    local function lacks(word, what, k)
      return not sample.text:find(word, 1, true) and ("sample %d%s has no '%s', %s of call %d: are these the calls of this sample?"):format(
        i, sample.path and sample.path ~= "sample " .. i and " (" .. sample.path .. ")" or "", word, what, k) or nil
    end
    for k, call in ipairs(sample.calls) do
      local missing = lacks(call.name, "the name", k)
      for _, key in ipairs(missing and {} or json.keys(call.arguments)) do
        local value, longest = call.arguments[key], ""
        for word in (type(value) == "string" and value or ""):gmatch "%w+" do -- never escaped in any notation
          longest = #word > #longest and word or longest
        end
        missing = missing or lacks(longest, ("in the argument '%s'"):format(key), k)
      end
      if missing then
        return missing
      end
    end
  end
end

--- ids(sample, samples): words outside the calls that look like a call's id and vary: after "id", `call_...`, or letters and digits mixed.
function M.ids(sample, samples)
  local out, called, seen = {}, json.encode(sample.calls), {}
  for at, word in sample.text:gmatch "()(%w[%w_-]*)" do
    local _, switches = word:gsub("%a%f[%d]", "")
    local looks = sample.text:sub(math.max(1, at - 8), at - 1):lower():find "%f[%a]%a*_?id[\"']?%s*[=:>]%s*[\"']?$"
      or word:find "^call_%w*%d" or word:find "^toolu_" or #word >= 8 and word:find "%d" and (switches > 1 or word:find "^%x+%-%x+%-%x+")
    if looks and not seen[word] and not called:find(word, 1, true) then
      local count = 0
      for _, other in ipairs(samples) do
        count = count + select(2, other.text:gsub("%f[%w_-]" .. word:gsub("%p", "%%%0") .. "%f[^%w_-]", ""))
      end
      out[#out + 1] = count == 1 and word or nil
    end
    seen[word] = true
  end
  return out
end

local span, decoded = M.span, M.decoded

-- The next place of `word` in the text from `at`, not within a longer word; or nil.
local function place_of(text, word, at)
  local from, to = text:find(word, at, true)
  while from and word ~= "" do
    if not (text:find("^[%w_][%w_]", from - 1) and from > 1 or text:find("^[%w_][%w_]", to)) then
      return from
    end
    from, to = text:find(word, from + 1, true)
  end
end

-- An iterator over these places.
local function places(text, word, at)
  return function()
    local place = place_of(text, word, at)
    at = place and place + 1
    return place
  end
end

-- The last of them between `at` and `stop`; only the last 512 bytes are searched.
local function last_place(text, word, at, stop)
  local best
  for place in places(text:sub(1, stop - 1), word, math.max(at, stop - 512)) do
    best = place
  end
  return best
end

-- The spellings of a parameter's value; nil if it is JSON with brackets.
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

-- The last byte of this value if it is at `at`, or nil.
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
-- Each way finds every call in every sample: { first, last } of its body, and what its description needs. Returns a list of bodies for
-- each sample, and a function that returns the description; or nil.

M.ways = {}

-- Calls `each(text, call, from)` for every call in order. It returns the call's place; if it returns nil, so does `every`.
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

-- A JSON object that contains the name and the arguments.
function M.ways.object(samples)
  local names, arguments = {}, {}
  local found = every(samples, function(text, call, from)
    local at = text:find("{", from, true)
    while at do
      local last = span(text, at)
      local body = last and text:sub(at, last)
      local object = body and decoded(body)
      local name_key, argument_key
      for _, key in ipairs(json.kind(object) == "object" and json.keys(object) or {}) do
        local value = object[key]
        local inner = json.kind(value) == "string" and value:find "^%s*{" and decoded(value) or value
        if value == call.name then
          name_key = name_key or key
        elseif json.kind(inner) == "object" and laws.same(inner, call.arguments) then
          argument_key = argument_key or key
        end
      end
      if name_key and (argument_key or #json.keys(call.arguments) == 0) then
        names[#names + 1], arguments[#arguments + 1] = name_key, argument_key
        return { first = at, last = last }
      end
      at = text:find("{", at + 1, true)
    end
  end)
  return found, function()
    local options = {}
    options[1] = names[1] ~= "name" and "name = " .. new.literal(names[1]) or nil
    options[#options + 1] = arguments[1] and arguments[1] ~= "arguments" and "args = " .. new.literal(arguments[1]) or nil
    return { options[1] and ("s.json { %s }"):format(table.concat(options, ", ")) or "s.json()" }
  end
end

--- literals(glue, out): adds glue to the list `out` as words of a description; returns the list.
function M.literals(glue, out)
  for mark, literal in glue:gsub(M.ID, "\6"):gmatch "([\1\2\6]?)([^\1\2\6]*)" do
    if mark ~= "" then
      out[#out + 1] = mark == KEY and 's.same "key"' or mark == "\6" and "s.id()" or 's.same "name"'
    end
    if literal ~= "" then
      local ends = mark == "\6" and not M.has_text(literal) -- an id ends at white space
      out[#out + 1] = (ends and "{ exact = true, %s }" or "%s"):format(new.literal(literal))
    end
  end
  return out
end

-- The arguments as JSON, after the name.
function M.ways.named(samples)
  local found = every(samples, function(text, call, from)
    local at = text:find("{", from, true)
    while at do
      local last = span(text, at)
      local object = last and decoded(text:sub(at, last))
      if json.kind(object) == "object" and laws.same(object, call.arguments) then
        local first = last_place(text, call.name, from, at)
        return first and { first = first, last = last, middle = text:sub(first + #call.name, at - 1) }
      end
      at = text:find("{", at + 1, true)
    end
  end)
  local middle
  for _, list in ipairs(found or {}) do
    for _, place in ipairs(list) do
      middle = middle or place.middle
      if place.middle ~= middle then
        return nil
      end
    end
  end
  if not middle then
    return nil
  end
  return found, function()
    local out = M.literals(middle, { "s.name()" })
    out[#out + 1] = "s.args()"
    return out
  end
end

-- Python calls.
function M.ways.python(samples)
  local found = every(samples, function(text, call, from)
    for at in places(text, call.name, from) do
      local open = text:match("^%(()", at + #call.name)
      local last = open and span(text, open - 1)
      local all = last ~= nil
      for _, key in ipairs(json.keys(call.arguments)) do
        all = all and place_of(text:sub(open, last), key, 1) ~= nil
      end
      if all then
        return { first = at, last = last }
      end
    end
  end)
  return found, function()
    return { "s.name()", '"("', 's.args "python"', '")"' }
  end
end

-- ---- Parameters, one by one ----------------------------------------------------------------

local MOST_PLACES = 200 -- of a key, that are searched for glue

--- glues(samples): texts between keys and values, most frequent first.
function M.glues(samples)
  local votes, list = {}, {}
  local function vote(text, key, value)
    local left, once = MOST_PLACES, {}
    for at in places(text, key, 1) do
      left = left - 1
      if left == 0 then
        break
      end
      local from = at + #key
      for to = from, math.min(from + 120, #text) do
        if to > from and value_at(text, to, value) then
          local glue = text:sub(from, to - 1)
          if M.has_text(glue) and not once[glue] then
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
          vote(sample.text, key, call.arguments[key])
        end
      end
    end
  end
  table.sort(list, function(a, b)
    return votes[a] > votes[b] or (votes[a] == votes[b] and (#a < #b or (#a == #b and a < b)))
  end)
  return list
end

-- The next place of key, glue and value: the key's place, the value's last byte, true if line breaks set it off.
local function parameter_at(text, from, key, glue, value)
  for at in places(text, key, from) do
    local start = at + #key
    start = text:sub(start, start + #glue - 1) == glue and start + #glue or nil
    local last = start and (value == "" and start - 1 or value_at(text, start, value))
    if last then
      return at, last, false
    end
    last = start and text:sub(start, start) == "\n" and value_at(text, start + 1, value)
    if last and text:sub(last + 1, last + 1) == "\n" then -- set off by a line break on each side
      return at, last + 1, true
    end
  end
end

--- mask(list, mark): replaces a repeated key (or name) in glue with `mark`, if it occurs soon in every `text` of the list. `what`: the
-- key of each.
function M.mask(list, mark)
  local found = {}
  for i, item in ipairs(list) do
    found[i] = place_of(item.text:sub(1, 80), item.what, 1)
  end
  if #found == #list then
    for i, item in ipairs(list) do
      item.text = item.text:sub(1, found[i] - 1) .. mark .. item.text:sub(found[i] + #item.what)
    end
  end
end

--- loop(firsts, betweens, ends[, closed]): splits the texts before the first, between, and after the last of repeated things:
-- { open, close, between, before, after }.
-- `closed`: each has its own closer, so the text between them is not a list's separator.
function M.loop(firsts, betweens, ends, closed)
  local before, after = suffix_of(firsts), prefix_of(ends)
  if #betweens == 0 then
    return { open = "", close = "", between = "", before = before, after = after, single = true }
  end
  local counts, between = {}, betweens[1]
  for _, text in ipairs(betweens) do
    counts[text] = (counts[text] or 0) + 1
    between = counts[text] > counts[between] and text or between
  end
  local open, close = suffix_of { before, between }, prefix_of { after, between }
  if not (M.has_text(open) or M.has_text(close)) or (not closed and not between:find "[^%s,;|&]") then
    open, close = "", "" -- only a separator
  elseif #open + #close > #between then -- both include the white space between them: give it to the closer
    open = open:sub(#open + #close - #between + 1)
  end
  if not M.has_text(open) and M.has_text(close) then
    open = ""
  end
  return { open = open, close = close, between = between:sub(#close + 1, #between - #open),
    before = before:sub(1, #before - #open), after = after:sub(#close + 1) }
end

--- parameters(samples, glue[, twice]): one of `ways`: calls with parameters, with this glue between keys and values.
-- `twice`: the name is in the header as well as beside the parameters.
-- Stays in one piece: one pass over the samples fills the lists from which the description is then made.
function M.parameters(samples, glue, twice)
  local heads, betweens, tails, ends = {}, {}, {}, {}
  local repeats, pad = false, false
  local before_name -- the characters before names
  local found = every(samples, function(text, call, from)
    local place, at = { parameters = {} }, from
    local left = {}
    for _, key in ipairs(json.keys(call.arguments)) do
      local value = call.arguments[key]
      local items = json.kind(value) == "array" and #value > 0 and not parameter_at(text, at, key, glue, value)
      repeats = repeats or items -- a list's items are written one by one
      for _, item in ipairs(items and value or { value }) do
        left[#left + 1] = { key = key, value = item }
      end
    end
    while #left > 0 do
      local best, number
      for i, one in ipairs(left) do
        local first, last, padded = parameter_at(text, at, one.key, glue, one.value)
        if first and (not best or first < best.first) then
          best, number = { key = one.key, first = first, last = last, padded = padded }, i
        end
      end
      if not best then
        return nil
      end
      pad = pad or best.padded
      table.remove(left, number)
      place.parameters[#place.parameters + 1] = best
      at = best.last + 1
    end
    local one = place.parameters[1]
    if one then
      place.first = last_place(text, call.name, from, one.first)
      if twice then
        local header = place_of(text, call.name, from)
        if not header or not place.first or header == place.first then
          return nil
        end
        place.first = header
      end
      before_name = before_name or (place.first and text:sub(math.max(1, place.first - 3), place.first - 1))
    else
      for name_at in places(text, call.name, from) do
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
  -- The text after a call, up to the next call's name or the end.
  local function after(sample, list, k)
    return sample.text:sub(list[k].last + 1, list[k + 1] and list[k + 1].first - 1 or #sample.text)
  end
  for i, sample in ipairs(samples) do
    for k, place in ipairs(found[i]) do
      local text, call, list = sample.text, sample.calls[k], place.parameters
      for n, one in ipairs(list) do
        if n == 1 then
          heads[#heads + 1] = { text = text:sub(place.first + #call.name, one.first - 1), what = call.name }
        else
          betweens[#betweens + 1] = { text = text:sub(list[n - 1].last + 1, one.first - 1), what = list[n - 1].key }
        end
      end
      local rest = { text = after(sample, found[i], k), what = list[1] and list[#list].key, place = place, name = call.name }
      tails[#tails + 1] = #list > 0 and rest or nil
      ends[#ends + 1] = rest
    end
  end
  local closers = {}
  for _, part in ipairs { betweens, tails } do
    for _, item in ipairs(part) do
      closers[#closers + 1] = item
    end
  end
  M.mask(closers, KEY)
  for _, rest in ipairs(ends) do
    rest.what = rest.name
  end
  M.mask(ends, NAME)
  for _, rest in ipairs(ends) do
    rest.place.after = rest.text
  end
  if twice then
    M.mask(heads, NAME)
  end
  for _, part in ipairs { heads, betweens, tails } do
    for i, item in ipairs(part) do
      part[i] = item.text
    end
  end
  local inner
  if #betweens > 0 then
    inner = M.loop(heads, betweens, tails, true)
  else -- one parameter per call: its closer cannot be told from the call's, so it is guessed
    local open, close = suffix_of(heads), prefix_of(tails)
    local tag = open:match "(\n?<[^<>]*)$" or open:match "(<[^<>]*>)$" or open
    local first = close:match "^(%s*</[^<>]*>\n?)" or ""
    inner = { open = tag, close = first, between = "", before = open:sub(1, #open - #tag) }
  end
  if not M.has_text(inner.open) and not M.has_text(inner.close) then
    return nil
  end
  for i in ipairs(samples) do -- the rest after the last parameter, or after the header
    for _, place in ipairs(found[i]) do
      local own = #place.parameters > 0 and inner.close or inner.before
      place.cut = place.after:sub(1, #own) == own and #own or 0
    end
  end
  return found, function()
    local out = { "s.name()" }
    M.literals(inner.before, out)
    local body = M.literals(inner.open, {})
    body[#body + 1] = "s.key()"
    M.literals(glue, body)
    body[#body + 1] = pad and 's.value { trim = "lines" }' or "s.value()"
    M.literals(inner.close .. inner.between, body)
    out[#out + 1] = ("s.params { %s }"):format(table.concat(body, ", "))
    return out, repeats and 'repeated = "array"' or nil
  end
end

return M
