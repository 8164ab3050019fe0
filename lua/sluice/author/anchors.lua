--- Finds calls in texts, for sluice.infer: their anchors, and the glue between them.
--
-- Anchors are a call's JSON object, or its name and its arguments, or each parameter's key and value. Glue is the text between them: the
-- same from call to call, except where the format repeats a name or key. Samples are { text, calls } each.

local json = require("sluice.core").json
local laws = require "sluice.author.laws"
local lists = require "sluice.lists"
local literal = require("sluice.author.new").literal

local M = {}

-- Placeholders in glue: a repeated key or name, and a call's id: a character that JSON allows in strings.
local KEY, NAME, ID = "\1", "\2", "\239\191\188"
M.ID = ID

--- tokens(text): splits a text into the units of comparison: tags, words, single characters.
function M.tokens(text)
  local out, at = {}, 1
  while at <= #text do
    local token = text:match("^<[%a/|!\128-\255][^<>\n\1\2]*>", at) or text:match("^%[/?[%u_]+%]", at) or text:match("^</", at)
      or text:match("^[%w_]+", at) or text:match("^[%z\1-\127\194-\244][\128-\191]*", at) or text:sub(at, at)
    out[#out + 1], at = token, at + #token
  end
  return out
end

--- common(texts[, at_end]): the tokens that all texts begin with, or end with, as one text.
function M.common(texts, at_end)
  local first = M.tokens(texts[1] or "")
  local count = #first
  local function token(list, n)
    return list[at_end and #list + 1 - n or n]
  end
  for i = 2, #texts do
    local other, n = M.tokens(texts[i]), 0
    while n < count and token(other, n + 1) == token(first, n + 1) do
      n = n + 1
    end
    count = n
  end
  return table.concat(first, "", at_end and #first - count + 1 or 1, at_end and #first or count)
end

--- has_text(text): true if a text is more than white space.
function M.has_text(text)
  return text:find "%S" ~= nil
end

local common, has_text = M.common, M.has_text

-- An iterator over the places of a word in a text from `at`, not within a longer word.
local function places(text, word, at)
  local pattern = (word:find "^[%w_]" and "%f[%w_]" or "") .. word:gsub("%p", "%%%0") .. (word:find "[%w_]$" and "%f[^%w_]" or "")
  return function()
    local place = at and word ~= "" and text:find(pattern, at)
    at = place and place + 1
    return place or nil
  end
end

-- The first and the last of them before `stop`.
local function first_and_last(text, word, at, stop)
  local first, last
  for place in places(text:sub(1, stop - 1), word, at) do
    first, last = first or place, place
  end
  return first, last
end

-- Replaces a word that soon occurs in a text with a placeholder.
local function marked(text, word, mark)
  local at = places(text:sub(1, 80), word, 1)()
  return at and text:sub(1, at - 1) .. mark .. text:sub(at + #word) or text
end

local LIKE_IDS = { "(%f[%a]%a*_?[iI][dD][\"']?%s*[=:>]%s*[\"']?)(%w[%w_-]*)", "()(%f[%w_]call_%w*%d%w*)" }

--- without_ids(samples[, guessing]): the samples that have calls, with the calls' ids replaced by a placeholder. `guessing`: also words
-- that look like an id, after "id" or `call_`; then nil if there are none.
function M.without_ids(samples, guessing)
  local out, guessed = {}, not guessing
  for _, sample in ipairs(samples) do
    local text, called = sample.text, json.encode(sample.calls)
    for _, call in ipairs(sample.calls) do
      text = type(call.id) == "string" and #call.id > 3 and text:gsub(call.id:gsub("%p", "%%%0"), ID) or text
    end
    for _, pattern in ipairs(guessing and LIKE_IDS or {}) do
      text = text:gsub(pattern, function(before, word)
        if not called:find(word, 1, true) then
          guessed = true
          return (type(before) == "string" and before or "") .. ID
        end
      end)
    end
    out[#out + 1] = sample.calls[1] and setmetatable({ text = text }, { __index = sample }) or nil
  end
  return guessed and out or {}
end

--- literals(glue, out): adds glue to the list `out` as words of a description; returns the list.
function M.literals(glue, out)
  for mark, text in glue:gsub(ID, "\6"):gmatch "([\1\2\6]?)([^\1\2\6]*)" do
    if mark ~= "" then
      out[#out + 1] = mark == KEY and 's.same "key"' or mark == NAME and 's.same "name"' or "s.id()"
    end
    if text ~= "" then
      local ends = mark == "\6" and not has_text(text) -- an id ends at white space
      out[#out + 1] = (ends and "{ exact = true, %s }" or "%s"):format(literal(text))
    end
  end
  return out
end

-- ---- Anchors -------------------------------------------------------------------------------
-- Each way finds every call in every sample: { first, last } of its body, and `after`, if its description ends after that. Returns a list
-- of these for each sample, the words that describe a body, and the field `values`; or nil.

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

-- An iterator over the JSON objects in a text from `at`: the first and the last byte of each, and its value.
local function objects(text, at)
  return function()
    while at do
      local first = text:find("{", at, true)
      local body = first and text:match("^%b{}", first)
      local value = body and json.decode(body)
      at = first and first + 1
      if json.kind(value) == "object" then
        return first, first + #body - 1, value
      end
    end
  end
end

-- A JSON object that contains the name and the arguments.
function M.ways.object(samples)
  local fields = {}
  local found = every(samples, function(text, call, from)
    for first, last, object in objects(text, from) do
      local name, args
      for _, key in ipairs(json.keys(object)) do
        local value = object[key]
        local inner = type(value) == "string" and value:find "^%s*{" and json.decode(value) or value
        if value == call.name then
          name = name or key
        elseif json.kind(inner) == "object" and laws.same(inner, call.arguments) then
          args = args or key
        end
      end
      if name and (args or not next(call.arguments)) then
        fields.name, fields.args = fields.name or name, fields.args or args
        return { first = first, last = last }
      end
    end
  end)
  local options = lists.join({ { "name", "name" }, { "args", "arguments" } }, function(one)
    local key = fields[one[1]]
    return key and key ~= one[2] and ("%s = %s"):format(one[1], literal(key)) or nil
  end, ", ")
  return found, { options ~= "" and ("s.json { %s }"):format(options) or "s.json()" }
end

-- The arguments as JSON, after the name.
function M.ways.named(samples)
  local middle
  local found = every(samples, function(text, call, from)
    for at, last, object in objects(text, from) do
      if laws.same(object, call.arguments) then
        local _, first = first_and_last(text, call.name, math.max(from, at - 512), at)
        local between = first and text:sub(first + #call.name, at - 1)
        middle = middle or between
        return between and between == middle and { first = first, last = last } or nil
      end
    end
  end)
  local words = M.literals(middle or "", { "s.name()" })
  words[#words + 1] = "s.args()"
  return found, words
end

-- Python calls.
function M.ways.python(samples)
  return every(samples, function(text, call, from)
    for at in places(text, call.name, from) do
      local body = text:match("^%b()", at + #call.name)
      for _, key in ipairs(body and json.keys(call.arguments) or {}) do
        body = body and places(body, key, 1)() and body
      end
      if body then
        return { first = at, last = at + #call.name + #body - 1 }
      end
    end
  end), { "s.name()", '"("', 's.args "python"', '")"' }
end

-- The last byte of this value if it is at `at`, or nil.
local function value_at(text, at, value)
  local kind = json.kind(value)
  if kind == "array" or kind == "object" then
    local shown = text:match("^%b[]", at) or text:match("^%b{}", at)
    local got = shown and json.decode(shown)
    return got and laws.same(got, value) and at + #shown - 1 or nil
  end
  local spelt = kind == "string" and value or json.encode(value)
  return text:sub(at, at + #spelt - 1) == spelt and at + #spelt - 1 or nil
end

--- glue(samples): the most frequent text between keys and values; nil if there is none.
function M.glue(samples)
  local votes, best = {}, nil
  for _, sample in ipairs(samples) do
    for _, call in ipairs(sample.calls) do
      for _, key in ipairs(json.keys(call.arguments)) do
        local once = {}
        for at in places(sample.text, key, 1) do
          local from, to = at + #key, at + #key + 1
          while to <= from + 120 and not value_at(sample.text, to, call.arguments[key]) do
            to = to + 1
          end
          local glue = sample.text:sub(from, to - 1)
          if call.arguments[key] ~= "" and to <= from + 120 and has_text(glue) and not once[glue] then
            once[glue], votes[glue] = true, (votes[glue] or 0) + 1
            local more = votes[glue] - (best and votes[best] or 0)
            best = (more > 0 or more == 0 and #glue < #best) and glue or best
          end
        end
      end
    end
  end
  return best
end

-- The next place of key, glue and value from `from`: { first, last, key, padded }, padded: line breaks set the value off.
local function parameter_at(text, from, key, glue, value)
  for at in places(text, key, from) do
    local start = at + #key + #glue
    if text:sub(at + #key, start - 1) == glue then
      local last = value == "" and start - 1 or value_at(text, start, value)
      local padded = not last and text:sub(start, start) == "\n" and value_at(text, start + 1, value)
      padded = padded and text:sub(padded + 1, padded + 1) == "\n" and padded + 1
      if last or padded then
        return { first = at, last = last or padded, key = key, padded = padded }
      end
    end
  end
end

--- loop(firsts, betweens, ends): splits the texts before the first, between, and after the last of repeated things:
-- { open, close, between, before, after }.
function M.loop(firsts, betweens, ends)
  local before, after = common(firsts, true), common(ends)
  if #betweens == 0 then
    return { open = "", close = "", between = "", before = before, after = after, single = true }
  end
  local between = betweens[1]
  local open, close = common({ before, between }, true), common { after, between }
  if not (has_text(open) or has_text(close)) then
    open, close = "", "" -- only a separator
  elseif #open + #close > #between then -- both include the white space between them: give it to the closer
    open = open:sub(#open + #close - #between + 1)
  end
  open = (has_text(open) or not has_text(close)) and open or ""
  return { open = open, close = close, between = between:sub(#close + 1, #between - #open),
    before = before:sub(1, #before - #open), after = after:sub(#close + 1) }
end

--- after(sample, places, k): the text after a call, up to the next call or the end; the call's name in it is a placeholder.
function M.after(sample, list, k)
  return list[k].after or marked(sample.text:sub(list[k].last + 1, list[k + 1] and list[k + 1].first - 1 or #sample.text),
    sample.calls[k].name, NAME)
end

--- parameters(samples, glue[, twice]): one of `ways`: calls with parameters, with this glue between keys and values.
-- `twice`: the name is in the header as well as beside the parameters.
function M.parameters(samples, glue, twice)
  local repeats, padded = false, false
  local found = every(samples, function(text, call, from)
    local place, at = {}, from
    for _, key in ipairs(json.keys(call.arguments)) do
      local value = call.arguments[key]
      local items = json.kind(value) == "array" and #value > 0 and not parameter_at(text, at, key, glue, value)
      repeats = repeats or items -- a list's items are written one by one
      for _, item in ipairs(items and value or { value }) do
        local one = parameter_at(text, at, key, glue, item)
        if not one then
          return nil
        end
        place[#place + 1], at, padded = one, one.last + 1, padded or one.padded
      end
    end
    local first, last = first_and_last(text, call.name, from, place[1] and place[1].first or #text + 1)
    place.first = (twice or not place[1]) and first or last
    place.last = place[1] and at - 1 or first and first + #call.name - 1
    return first and not (twice and place[1] and first == last) and place or nil
  end)
  local heads, betweens, tails = {}, {}, {}
  for i, sample in ipairs(found and samples or {}) do
    for k, place in ipairs(found[i]) do
      local name = sample.calls[k].name
      place.after = M.after(sample, found[i], k)
      for n, one in ipairs(place) do
        if n == 1 then
          heads[#heads + 1] = marked(sample.text:sub(place.first + #name, one.first - 1), name, NAME)
        else
          betweens[#betweens + 1] = marked(sample.text:sub(place[n - 1].last + 1, one.first - 1), place[n - 1].key, KEY)
        end
      end
      place.after = place[1] and marked(place.after, place[#place].key, KEY) or place.after
      tails[#tails + 1] = place[1] and place.after or nil
    end
  end
  local inner
  if #betweens > 0 then
    inner = M.loop(heads, betweens, tails)
  else -- one parameter per call: its closer cannot be told from the call's, so it is guessed
    local open, close = common(heads, true), common(tails)
    local tag = open:match "(\n?<[^<>]*)$" or open:match "(<[^<>]*>)$" or open
    inner = { open = tag, close = close:match "^(%s*</[^<>]*>\n?)" or "", between = "", before = open:sub(1, #open - #tag) }
  end
  if not has_text(inner.open) and not has_text(inner.close) then
    return nil
  end
  for _, list in ipairs(found) do -- the rest after the last parameter, or after the header
    for _, place in ipairs(list) do
      local own = place[1] and inner.close or inner.before
      place.after = place.after:sub(1, #own) == own and place.after:sub(#own + 1) or place.after
    end
  end
  local body = M.literals(inner.open, {})
  body[#body + 1] = "s.key()"
  M.literals(glue, body)
  body[#body + 1] = padded and 's.value { trim = "lines" }' or "s.value()"
  M.literals(inner.close .. inner.between, body)
  local words = M.literals(inner.before, { "s.name()" })
  words[#words + 1] = ("s.params { %s }"):format(table.concat(body, ", "))
  return found, words, repeats and 'repeated = "array"' or nil
end

return M
