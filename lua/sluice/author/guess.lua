--- Guesses the calls in a text by their looks, for sluice.infer.
--
-- Each of `ways` is a function of a text that returns a list of calls, { name, arguments } each, in order: JSON with a name and
-- arguments, a name before JSON, or tags. Others must be given.

local core = require "sluice.core"

local json = core.json
local M = {}

local NEAR = 160 -- bytes before arguments that are searched for a name

--- The ways in the order in which they are tried.
M.order = { "objects", "named", "tags" }

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

local name_keys = { "name", "tool_name", "function", "tool", "function_name", "action", "fn", "func", "command_name",
  "type", "recipient" }
local argument_keys = { "arguments", "parameters", "args", "input", "params", "tool_input", "action_input", "kwargs", "tool_args", "with" }

local generic = { tool = true, tools = true, call = true, calls = true, toolcall = true, toolcalls = true, ["function"] = true,
  functions = true, functioncall = true, functioncalls = true, arguments = true, parameters = true, args = true, json = true }

-- True if this can be a tool's name and is not a word of the format.
local function plausible(name)
  return name:find "^[%a_][%w_.:/-]*$" ~= nil and not name:find "[.:/-]$" and not generic[(name:lower():gsub("[^%a]", ""))]
end

-- The calls in a JSON value.
local function calls_in(value, out)
  local kind, before = json.kind(value), #out
  if kind == "array" then
    for _, item in ipairs(value) do
      calls_in(item, out)
    end
  elseif kind == "object" then
    local name, arguments
    for _, key in ipairs(name_keys) do
      name = name or (json.kind(value[key]) == "string" and plausible(value[key]) and value[key]) or nil
    end
    for _, key in ipairs(argument_keys) do
      local given = value[key]
      given = json.kind(given) == "string" and given:find "^%s*{" and M.decoded(given) or given
      arguments = arguments or (json.kind(given) == "object" and given) or nil
    end
    if name and arguments then
      out[#out + 1] = { name = name, arguments = arguments }
    else
      local keys = json.keys(value)
      for _, key in ipairs(keys) do
        calls_in(value[key], out)
      end
      if #out == before and #keys == 1 and plausible(keys[1]) and json.kind(value[keys[1]]) == "object" then -- { NAME: {...} }
        out[#out + 1] = { name = keys[1], arguments = value[keys[1]] }
      end
    end
  end
  return out
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

M.ways = {}

-- JSON with a name and arguments, anywhere; also in Python's notation.
function M.ways.objects(text)
  local out, at = {}, text:find "[{%[]"
  while at do
    local last = M.span(text, at)
    local body = last and text:sub(at, last) or ""
    local value = M.decoded(body) or (body:find "^[{%[%s]+'" and M.decoded(body, { lenient = true }))
    local before = #out
    if value and #calls_in(value, out) > before then
      at = text:find("[{%[]", last + 1)
    else
      at = text:find("[{%[]", at + 1)
    end
  end
  return out
end

-- A name right before a JSON object, without prose between them.
function M.ways.named(text)
  local out, at, from = {}, text:find("{", 1, true), 1
  -- True if the word belongs to a tag and is not its value, as in `<x=word>` or `<x name="word">`.
  local function in_tag(first, after)
    local before = text:sub(math.max(1, first - NEAR), first - 1)
    local open, close = before:match ".*()<" or 0, before:match ".*()>" or 0
    local stop = after:match "^[^<>]*>" ~= nil
    return open > close and stop and not before:find '[="]$'
  end
  while at do
    local last = M.span(text, at)
    local value = last and M.decoded(text:sub(at, last))
    if json.kind(value) == "object" then
      local name
      from = math.max(from, at - NEAR)
      for place, candidate in text:sub(from, at - 1):gmatch "()([%a_][%w_.-]*)" do
        local after = text:sub(from + place - 1 + #candidate, at - 1)
        local plain = after:gsub("<[^<>]*>", ""):gsub("%[%u*%]", ""):gsub("```%a*", ""):gsub("^[^<>]*>", "")
        if plausible(candidate) and candidate:find "%l" and #after < 60 and not plain:find "%a"
          and not in_tag(from + place - 1, after) then
          name = candidate:gsub("^functions%.", "")
        end
      end
      if name then
        out[#out + 1] = { name = name, arguments = value }
      end
      from, at = last + 1, text:find("{", last + 1, true)
    else
      at = text:find("{", at + 1, true)
    end
  end
  return out
end

-- A value in a tag: JSON, or text.
local function plain_value(text)
  local value = text:gsub("^\n", ""):gsub("\n$", "")
  local got = M.decoded(value)
  return got ~= nil and json.kind(got) ~= "string" and got or value
end

-- Adds a parameter; repeated ones become a list.
local function add_argument(call, lists, key, value)
  local have = call.arguments[key]
  if have == nil then
    call.arguments[key] = value
  elseif lists[key] then
    have[#have + 1] = value
  else
    lists[key] = true
    call.arguments[key] = json.array { have, value }
  end
end

-- The next tag with a name in it: its first byte, the byte after it, its kind, the name.
local function named_tag(text, at)
  local first, last, inside = text:find("<([^<>/\n][^<>\n]*)>", at)
  while first do
    local kind, name = inside:match '^([^%s=]+)="?([%w_.-]+)"?$'
    if not kind then
      kind, name = inside:match '^([^%s=]+)%s+[%w_-]+="([%w_.-]+)"'
    end
    if not kind then
      kind, name = inside:match "^([%w_]+):([%w_.-]+)$"
    end
    if kind and plausible(name) then
      return first, last + 1, kind, name
    end
    first, last, inside = text:find("<([^<>/\n][^<>\n]*)>", last + 1)
  end
end

-- Tags that name the tool and contain tags that name parameters.
function M.ways.tags(text)
  local out, call, call_kind, lists = {}, nil, nil, nil
  local _, last, kind, name = named_tag(text, 1)
  while last do
    local from, to = text:find("</" .. kind:gsub("%p", "%%%0") .. "[:%w_.-]*>", last)
    if not call or kind == call_kind then
      call, call_kind, lists = { name = name, arguments = json.object() }, kind, {}
      out[#out + 1] = call
    elseif from then
      add_argument(call, lists, name, plain_value(text:sub(last, from - 1)))
      last = to + 1
    end
    _, last, kind, name = named_tag(text, last)
  end
  return out
end

return M
