--- Exports a syntax as a Hugging Face response template.
--
-- A template has one field for calls, with one opener, one closer and one parser for the text between. So only the written alternative
-- is exported. Constructs that a template cannot express are refused by name.

local core = require "sluice.core"

local writing = require "sluice.write.words"

local json = core.json

local M = {}

local function refuse(what)
  error({ refused = what }, 0)
end

local function escaped(text)
  return (text:gsub("[%^%$%.%[%]%|%(%)%*%+%?%{%}\\]", "\\%0"):gsub("\n", "\\n"):gsub("\t", "\\t"):gsub("\r", "\\r"))
end

-- A literal as a pattern: white space at its edges matches any amount.
local function literal(text)
  local before, middle, after = text:match "^(%s*)(.-)(%s*)$"
  if middle == "" then
    return "\\s*"
  end
  return (before ~= "" and "\\s*" or "") .. escaped(middle) .. (after ~= "" and "\\s*" or "")
end

local function optional(pattern)
  if pattern == "" or pattern == "\\s*" then
    return pattern
  end
  local inner = pattern:match "^%(%?:([^()|]*)%)%?$"
  return inner and pattern or "(?:" .. pattern .. ")?"
end

local function ways(list)
  return #list == 1 and list[1] or "(?:" .. table.concat(list, "|") .. ")"
end

-- ---- Words before and after the arguments -----------------------------------------------------

local cores = { object = true, arguments = true, parameters = true, array = true, calls = true, text = true, reasoning = true,
  section = true, items = true, block_text = true }

local function has_core(word)
  if cores[word.word] or word.word == "value" then
    return true
  end
  for i = 1, #word do
    if has_core(word[i]) then
      return true
    end
  end
  return false
end

local bare = "[^\\s<>{}\\[\\]()\"'`,=|]+"

local function name_group(state, inner)
  if state.captured[state.what] then
    refuse "a repeated name"
  end
  state.captured[state.what] = true
  local spaces = ""
  for _, prefix in ipairs(state.what == "name" and state.description.namespaces or {}) do
    spaces = spaces .. optional(escaped(prefix))
  end
  return ("\\s*%s(?P<%s>%s)\\s*"):format(spaces, state.what, inner)
end

local pattern_of

local function sequence_of(state, list, from, to)
  local out = {}
  for i = from or 1, to or #list do
    out[#out + 1] = pattern_of(state, list[i], list[i + 1], list[i - 1])
  end
  return table.concat(out)
end

-- The characters of a name: all except those that can follow it.
local function inner_of(state, word, following)
  local first = following and following.word == "literal" and following.text:match "^%s*([%z\1-\127\194-\244][\128-\191]*)"
  if following and following.word == "recoverable" and following[1].word == "literal" then
    return word.pattern and bare or "[^\\n]+?"
  elseif word.pattern or not first or not first:find "^[<%]>]$" then
    return bare
  end
  return first == "<" and (state.closing and "[^\\n]+?" or "[^<\\n]+?") or ("[^%s\\n]+?"):format(escaped(first))
end

-- The first attribute needs no white space before it, as in `<functionname="f">`.
local function attributes(state, word)
  local out = {}
  for _, pair in ipairs(word.list) do
    local kind = pair[2].word
    if kind == "name" or kind == "key" then
      state.what = kind
      if state.captured[kind] then
        refuse "a repeated name"
      end
      state.captured[kind] = true
      out[#out + 1] = ("(?:[^>]*?\\b)?%s=[\"']?(?P<%s>[^\"'>]+)[\"']?"):format(escaped(pair[1]), kind)
    end
  end
  return table.concat(out) .. "[^<>]*?"
end

-- A header as it is written for known calls, with the name and the number found in it.
local function header(state, word)
  local name = "probe_of_name"
  local ok, first = pcall(writing.header, word, { name = name, index = 1, arguments = json.object() })
  local same, second = pcall(writing.header, word, { name = name, index = 2, arguments = json.object() })
  if not (ok and same) or type(first) ~= "string" or not first:find(name, 1, true) then
    refuse "a header written by a function"
  end
  local at = first:find(name, 1, true)
  local before, after = first:sub(1, at - 1), first:sub(at + #name)
  local other = second:sub(at + #name)
  local tail
  if after ~= other then
    local head = after:match "^(.-)%d+$"
    if not head or other:match "^(.-)%d+$" ~= head then
      refuse "a header written by a function"
    end
    tail = escaped(head) .. "\\d+"
  else
    tail = literal(after)
  end
  state.captured.name = true
  local lead = before:match "^functions%.$" and "(?:functions\\.)?" or literal(before)
  return "\\s*" .. lead .. "(?P<name>[^\\s:<>{}|]+)" .. (after ~= other and optional(tail) or tail) .. "\\s*"
end

function pattern_of(state, word, following)
  local kind = word.word
  if kind == "literal" then
    return literal(word.text)
  elseif kind == "sequence" or kind == "exact" then
    return sequence_of(state, word)
  elseif kind == "recoverable" and state.closing then -- a region needs its closer
    return sequence_of(state, word)
  elseif kind == "optional" or kind == "recoverable" then
    return optional(sequence_of(state, word))
  elseif kind == "run" then
    return escaped(word.text or "")
  elseif word.cased then -- upper or lower case
    return (escaped(word[1].text):gsub("\\?%a", function(c)
      return #c == 2 and c or ("[%s%s]"):format(c:upper(), c:lower())
    end))
  elseif kind == "any" then
    local list = {}
    for i = 1, #word do
      list[i] = pattern_of(state, word[i], following)
    end
    table.sort(list, function(a, b) return #a > #b end)
    return ways(list)
  elseif kind == "name" or kind == "key" then
    state.what = kind
    return name_group(state, inner_of(state, word, following))
  elseif kind == "attributes" then
    return attributes(state, word)
  elseif kind == "header" or kind == "name_in_id" then
    return header(state, word)
  elseif kind == "pattern" and type(word.text) == "string" then
    return literal(word.text)
  elseif kind == "backref" and state.captured[word.what] then
    -- a closer cannot refer to the opener's captures
    return state.closing and word.what == "name" and "[^\\s<>]+" or ("(?P=%s)"):format(word.what)
  elseif kind == "id" then
    return "[^\\s<>\\[\\]{}]+"
  end
  refuse("s." .. tostring(kind))
end

-- ---- The arguments ----------------------------------------------------------------------------

local function first_of(key, default)
  return type(key) == "table" and key[1] or key or default
end

local function call_of(name, arguments)
  return json.object { { "type", "function" }, { "function", json.object { { "name", name }, { "arguments", arguments } } } }
end

local function object_form(word, each)
  if word.name_as_key then
    refuse "s.object{name_as_key = true}: the name is a key"
  elseif word.python then
    refuse "s.object{python = true}"
  elseif word.extra then
    refuse "s.object{extra = ...}"
  end
  local name, arguments = first_of(word.name, "name"), first_of(word.arguments, "arguments")
  local form = { content = "json", each = each }
  if each then
    form.transform = call_of("{" .. name .. "}", "{" .. arguments .. "}")
  elseif name == "name" and arguments == "arguments" then
    form.transform = json.object { { "type", "function" }, { "function", "{content}" } }
  else
    form.transform = call_of("{content." .. name .. "}", "{content." .. arguments .. "}")
  end
  return form
end

-- Optional patterns for literals around a value in other alternatives with the same closer: <![CDATA[ and ]]>.
local function wrapped(any, written)
  local closer = written[#written].word == "literal" and written[#written].text
  local before, after = "", ""
  for i = 1, #any do
    local other = any[i]
    if other.word == "sequence" and #other == 1 then
      other = other[1]
    end
    local open, close = other[1], other[#other]
    open = open.word == "exact" and open[1] or open
    if closer and other ~= written and #other == 3 and open.word == "literal" and other[2].word == "value" and close.word == "literal"
      and close.text:sub(-#closer) == closer then
      before, after = before .. optional(escaped(open.text)), after .. optional(escaped(close.text:sub(1, -1 - #closer)))
    end
  end
  return before, after
end

-- The regular expression of one parameter in tags.
local function tag_pattern(state, word)
  if word.nested then
    refuse "s.parameters{nested = ...}"
  end
  local inner = { description = state.description, captured = {}, closing = true }
  local out = {}
  local function add(list, before, behind)
    for i = 1, #list do
      local item = list[i]
      if item.word == "value" then
        if item.key or item.inline or item.to_line_end then
          refuse "s.value with a fixed key or in one line"
        end
        inner.captured.value = true
        local around = item.newlines and "\\n?" or ""
        out[#out + 1] = (before or "") .. around .. "(?P<value>.*?)" .. around .. (behind or "")
        inner.after_value = true
      elseif item.word == "any" and has_core(item) then
        local written = item[type(item.write) == "number" and item.write or type(item.write) == "table" and item.write[1] or 1]
        add(written, wrapped(item, written))
      elseif item.word == "sequence" then
        add(item)
      elseif inner.after_value then
        -- the written closer ends the value: a missing one cannot be recovered
        local list_ = (item.word == "recoverable" or item.word == "optional") and item or { item }
        local text = list_[1] and list_[1].word == "literal" and list_[1].text
        local lead = text and text:match "^\n"
        out[#out + 1] = lead and "\\n?" .. literal(text:sub(2)) or sequence_of(inner, list_)
      else
        local text = item.word == "literal" and item.text or item.word == "recoverable" and item[1].word == "literal" and item[1].text
        local next_one = list[i + 1]
        if text and next_one and next_one.word == "value" and text:find "\n$" then
          out[#out + 1] = literal((text:gsub("\n$", ""))) .. "\\n?"
        else
          out[#out + 1] = (i > 1 and text and "\\s*" or "") .. pattern_of(inner, item, next_one)
        end
      end
    end
  end
  add(word)
  if not (inner.captured.key and inner.captured.value) then
    refuse "parameters without a key and a value"
  end
  local text = table.concat(out)
  -- white space at the end must not be left to a lazy value
  return (text:gsub("(\\s%*)+$", ""))
end

local function parameters_form(state, word)
  -- values stay text, which the reader converts by its tools; options.values = "json" also decodes JSON without tools
  local args = { { "tag_pattern", tag_pattern(state, word) } }
  if state.values == "json" and state.description.default_type ~= "string" then
    args[#args + 1] = { "value_parser", json.object { { "name", "json" }, { "args", json.object { { "allow_non_json", true } } } } }
  end
  if state.description.repeated_is_array then
    args[#args + 1] = { "merge_duplicates", true }
  end
  return { content = "xml-inline", args = json.object(args), transform = call_of("{name}", "{content}") }
end

local function arguments_form(word)
  if word.kwargs then
    refuse "arguments in Python's notation"
  end
  local form = { content = "json", transform = call_of("{name}", "{content}") }
  if word.quote then
    form.args = json.object { { "string_delims", json.array { json.array { word.quote, word.quote } } }, { "unquoted_keys", true } }
  end
  return form
end

local form_of

-- A list of objects, or one: each object is a region, and the comma before the next object opens it.
local function one_or_many(form, word)
  local single = object_form(word, false)
  local keys = {}
  local name = first_of(word.name, "name")
  for _, key in ipairs(word.order or {}) do
    if key ~= name then
      keys[#keys + 1] = escaped(key)
    end
  end
  keys[#keys + 1] = escaped(name)
  single.again = ",\\s*(?=\\{\\s*\"" .. ways(keys) .. "\"\\s*:)"
  single.open, single.close = form.open .. "\\s*(?:\\[)?", "(?:\\])?\\s*" .. form.close
  return single
end

local function bracket(word, text)
  if word and (word.word == "optional" or word.word == "recoverable") then
    word = word[1]
  end
  return word and word.word == "literal" and (text == "[" and word.text:find "%[%s*$" or text == "]" and word.text:find "^%s*%]") and word
    or nil
end

-- A sequence: before the core, the core, after it.
local function sequence_form(state, list)
  local at
  for i = 1, #list do
    if has_core(list[i]) then
      if at then
        refuse "two places of arguments in one block"
      end
      at = i
    end
  end
  if not at then
    refuse "a block without arguments"
  end
  local word = list[at]
  local looped = word.word == "calls"
  local opens, closes = bracket(list[at - 1], "["), bracket(list[at + 1], "]")
  local only = looped and #word == 1 and word[1].word == "object"
  local open, close, form
  if only and opens and closes then -- a JSON array, written with its brackets
    form = object_form(word[1], true)
    open = sequence_of(state, list, 1, at - 2) .. literal((opens.text:gsub("%[%s*$", "")))
    state.closing = true
    close = literal((closes.text:gsub("^%s*%]", ""))) .. sequence_of(state, list, at + 2)
    if opens.text:find "^%s*%[%s*$" then
      open = sequence_of(state, list, 1, at - 2)
    end
    if closes.text:find "^%s*%]%s*$" then
      close = sequence_of(state, list, at + 2)
    end
  else
    open = sequence_of(state, list, 1, at - 1)
    local ok
    ok, form = pcall(form_of, state, word)
    if not ok then
      error(form, 0)
    end
    state.closing = true
    close = sequence_of(state, list, at + 1)
  end
  form.open, form.close = form.open or "", form.close or ""
  if looped and not form.each then
    if form.close == "" then
      refuse "calls in a list without closers of their own"
    end
    form.open = optional(open == "" and "" or open .. "\\s*") .. form.open
    local between = word.between and pattern_of(state, word.between)
    form.close = form.close .. "\\s*" .. optional(between or "") .. optional(close)
  else
    form.open, form.close = open .. form.open, form.close .. close
  end
  return form
end

function form_of(state, word)
  local kind = word.word
  if kind == "sequence" or kind == "calls" or kind == "optional" or kind == "recoverable" or kind == "exact" then
    return sequence_form(state, word)
  elseif kind == "object" then
    return object_form(word, false)
  elseif kind == "array" then
    if #word ~= 1 or word[1].word ~= "object" then
      refuse "s.array of anything but s.object"
    end
    return object_form(word[1], true)
  elseif kind == "arguments" then
    if not state.captured.name then
      refuse "arguments before the name"
    end
    return arguments_form(word)
  elseif kind == "parameters" then
    if not state.captured.name then
      refuse "parameters before the name"
    end
    return parameters_form(state, word)
  elseif kind == "text" or kind == "reasoning" then
    return { role = kind }
  elseif kind == "any" then
    local first = type(word.write) == "number" and word.write or type(word.write) == "table" and word.write[1] or 1
    local form = form_of(state, word[first])
    for i = 1, #word do
      local other = word[i]
      if (other.word == "sequence" or other.word == "calls") and #other == 1 then
        other = other[1]
      end
      if form.each and other.word == "object" then -- a list of calls, or one
        return one_or_many(form, other)
      end
    end
    return form
  end
  refuse("s." .. tostring(kind))
end

-- ---- The template -----------------------------------------------------------------------------

local function pattern_list(list)
  local out = {}
  for i, text in ipairs(list or {}) do
    out[i] = escaped(text:match "^%s*(.-)%s*$")
  end
  table.sort(out, function(a, b) return #a > #b or #a == #b and a < b end)
  return out
end

local function reasoning_field(description)
  local pairs_ = description.reasoning
  if not pairs_ then
    return nil
  end
  pairs_ = pairs_.open and { pairs_ } or pairs_
  local open, close = {}, {}
  for _, pair in ipairs(pairs_) do
    open[#open + 1], close[#close + 1] = pair.open, pair.close
  end
  return json.object { { "open_pattern", "(?:^\\s*)?" .. ways(pattern_list(open)) .. "\\s*" },
    { "close_pattern", "\\s*" .. ways(pattern_list(close)) .. "\\s*" }, { "repeats", true }, { "join", "" },
    { "content_args", json.object { { "strip", false } } } }
end

-- Patterns of the tokens that are markup, including closers of reasoning without an opener.
local function markup_tokens(description)
  local list, seen = {}, {}
  local function add(text)
    text = text:match "^%s*(.-)%s*$"
    if text ~= "" and not seen[text] then
      seen[text], list[#list + 1] = true, text
    end
  end
  local pairs_ = description.reasoning or {}
  for _, pair in ipairs(pairs_.open and { pairs_ } or pairs_) do
    add(pair.close)
  end
  for _, word in ipairs { "ignored_tokens", "stop" } do
    for _, text in ipairs(description[word] or {}) do
      add(text)
    end
  end
  return pattern_list(list)
end

-- A field for text or reasoning. Without a closer it ends where `next_one` matches.
local function text_field(form, next_one)
  local close = form.close:gsub("\\s%*", "") == "" and "(?=" .. next_one .. ")" or form.close
  return json.object { { "open_pattern", "(?:^\\s*)?" .. form.open .. "\\s*" }, { "close_pattern", "\\s*" .. close .. "\\s*" },
    { "repeats", true }, { "join", "" }, { "content_args", json.object { { "strip", false } } } }
end

-- A pattern without capture names, for lookaheads.
local function unnamed(pattern)
  return (pattern:gsub("%(%?P<%w+>", "(?:"):gsub("%(%?P=%w+%)", "[^\\s<>]+"))
end

-- The field for calls. `tokens`: a pattern of the tokens that are markup, or "".
local function calls_field(form, tokens)
  local open, close = form.open, form.close
  if open == "" or unnamed(open):gsub("%[[^%]]*%][+*]?%??", ""):gsub("\\.%*?", ""):gsub("[()?:|]", "") == "" then
    refuse "calls without an opener"
  end
  if form.content == "json" then
    open = open .. "\\s*(?=" .. (form.each and "\\[" or "\\{") .. ")"
  end
  if form.again then
    open, close = "(?:" .. open .. "|" .. form.again .. ")", ("(?:(?=%s)|%s)"):format(form.again, close)
  end
  local next_one = ways { unnamed(open), tokens ~= "" and tokens or "\\Z", "\\Z" }
  if close:gsub("%(%?:[^()]*%)%?", ""):gsub("\\s%*", "") == "" then
    -- a template does not see where JSON ends: it ends at its closer, or before the next opener, an end of turn or the end
    local written = close:gsub("(%(%?:[^()]*%))%?", "%1"):gsub("^\\s%*", ""):gsub("\\s%*$", "")
    close = written == "" and ("\\s*(?=%s)"):format(next_one) or ("\\s*(?:%s|(?=%s))"):format(written, next_one)
  end
  if form.content == "json" then -- not a closer inside a string
    close = (form.each and "(?<=\\])" or "(?<=\\})") .. "\\s*" .. close
  end
  -- white space next to markup is markup
  local list = { { "open_pattern", "(?:^\\s*)?" .. open }, { "close_pattern", (close:find "^%(%?<" and "" or "\\s*") .. close
    .. ("(?:\\s*(?=%s))?"):format(next_one) } }
  if not form.each then
    list[#list + 1] = { "repeats", true }
  end
  list[#list + 1] = { "content", form.content }
  if form.args then
    list[#list + 1] = { "content_args", form.args }
  end
  if form.each then
    list[#list + 1] = { "transform_each", true }
  end
  list[#list + 1] = { "transform", form.transform }
  return json.object(list)
end

local function tidy(pattern)
  local before
  repeat
    before = pattern
    pattern = pattern:gsub("\\s%*\\s%*", "\\s*")
  until pattern == before
  return pattern
end

local function tidied(field)
  local list = {}
  for i, key in ipairs(json.keys(field)) do
    list[i] = { key, (key == "open_pattern" or key == "close_pattern") and tidy(field[key]) or field[key] }
  end
  return json.object(list)
end

-- Adds the opener of another block that has the same end and content.
local function join(form, other)
  local function rest(of)
    local transform = of.transform and json.encode(of.transform) or ""
    local named = transform:find("{name}", 1, true)
    return not named and table.concat({ of.close, of.content, tostring(of.each), tostring(of.again), transform,
      of.args and json.encode(of.args) or "" }, "\0")
  end
  if rest(form) and rest(form) == rest(other) then
    form.open = ways { unnamed(form.open), unnamed(other.open) }
  end
end

local function made(description, options)
  if #description.blocks == 0 then
    refuse "parse, a function"
  elseif description.singular_keys then
    refuse "singular_keys: the tools decide which parameter is meant"
  end
  local fields, texts, chosen, why = {}, {}, nil, nil
  for _, block in ipairs(description.blocks) do
    local ok, form = pcall(sequence_form, { description = description, captured = {}, values = options.values }, block)
    if not ok and not (type(form) == "table" and form.refused) then
      error(form, 0)
    elseif not ok then
      why = why or form.refused
    elseif form.role then
      local name = form.role == "text" and "content" or "thinking"
      texts[name] = texts[name] or form
    elseif not chosen then
      chosen = form
    else
      join(chosen, form)
    end
  end
  if not chosen then
    refuse(why or "calls")
  end
  local tokens = markup_tokens(description)
  for name, form in pairs(texts) do
    local opens = { unnamed(chosen.open), "\\Z" }
    if #tokens > 0 then
      table.insert(opens, 2, ways(tokens))
    end
    fields[name] = text_field(form, ways(opens))
  end
  fields.thinking = fields.thinking or reasoning_field(description)
  fields.tool_calls = calls_field(chosen, #tokens > 0 and ways(tokens) or "")
  if #tokens > 0 then -- an empty value is left out of the message
    -- white space after the first tokens of the message is markup too; elsewhere it may separate texts
    local token = ways(tokens)
    local open = ("(?:^(?:\\s*%s)+\\s*|%s(?:\\s*(?=%s))?)"):format(token, token, ways { token, "\\Z" })
    fields.markup = json.object { { "open_pattern", open }, { "close_pattern", "" } }
  end
  fields.content = fields.content
    or json.object { { "repeats", true }, { "join", "" }, { "content_args", json.object { { "strip", false } } } }
  local list = {}
  for _, name in ipairs { "thinking", "tool_calls", "markup", "content" } do
    if fields[name] then
      list[#list + 1] = { name, tidied(fields[name]) }
    end
  end
  return json.object { { "defaults", json.object { { "role", "assistant" } } }, { "start_anchor", options.start_anchor or "<|assistant|>" },
    { "fields", json.object(list) } }
end

-- ---- Verification -----------------------------------------------------------------------------

local function fold(text)
  return ((text or ""):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

-- True if values are equal; a bare text may be typed or not.
local function alike(a, b)
  local kind, other = json.kind(a), json.kind(b)
  if kind ~= other then
    return (kind == "string" and a == json.encode(b)) or (other == "string" and b == json.encode(a))
  elseif kind == "object" or kind == "array" then
    local keys = kind == "object" and json.keys(a) or a
    if #keys ~= (kind == "object" and #json.keys(b) or #b) then
      return false
    end
    for i, key in ipairs(keys) do
      local x, y = kind == "object" and a[key] or key, kind == "object" and b[key] or b[i]
      if y == nil or not alike(x, y) then
        return false
      end
    end
    return true
  end
  return json.encode(a) == json.encode(b)
end

local function same(a, b)
  if #a.calls ~= #b.calls or fold(a.content) ~= fold(b.content) or fold(a.reasoning) ~= fold(b.reasoning) then
    return false
  end
  for i, call in ipairs(a.calls) do
    local x, y = json.decode(call.arguments), json.decode(b.calls[i].arguments)
    if call.name ~= b.calls[i].name or x == nil or y == nil or not alike(x, y) then
      return false
    end
  end
  return true
end

-- The syntax's own examples, and turns rendered by it.
local function samples(plan)
  local render = require("sluice.write.render").render
  local list = { "Hello there." }
  for _, example in ipairs(plan.syntax.examples or {}) do
    list[#list + 1] = example.text
  end
  local first = { name = "get_weather", arguments = json.object { { "city", "Paris" }, { "unit", "a b" } } }
  local second = { name = "get_time", arguments = json.object { { "zone", "Europe/Paris" } } }
  for _, turn in ipairs { { calls = { first } }, { calls = { first, second } }, { content = "Let me see.", calls = { second } },
    { reasoning = "The user asks.", content = "Hello." } } do
    local ok, text = pcall(render, plan, turn)
    if ok and text then
      list[#list + 1] = text
    end
  end
  return list
end

-- Refuses a template that parses one of them differently.
local function verify(plan, text)
  local streams = require "sluice.stream"
  local description, message = require("sluice.response_template").description(text, "exported")
  if not description then
    error(message, 0)
  end
  local exported = require("sluice.parse.plan").plan(description, plan.lpeg)
  for _, sample in ipairs(samples(plan)) do
    local ours = streams.whole(streams.open(plan, nil, {}), sample)
    local theirs = streams.whole(streams.open(exported, nil, {}), sample)
    if not same(ours, theirs) then
      refuse(("the whole format: the template would parse this differently: %s"):format(json.encode(sample)))
    end
  end
end

--- export(plan, options) -> the template as JSON text, or nil, a message that names the construct, and "refused".
-- options.start_anchor: the text in the prompt that the response follows. options.values: "json" decodes JSON values in tags even if the
-- reader has no tools.
function M.export(plan, options)
  local ok, result = pcall(function()
    local text = json.encode(made(plan.syntax, options or {}), ", ", ": ") .. "\n"
    verify(plan, text)
    return text
  end)
  if ok then
    return result
  elseif type(result) == "table" and result.refused then
    return nil, ("a response template cannot express %s of '%s'"):format(result.refused, plan.syntax.name), "refused"
  end
  error(result, 0)
end

return M
