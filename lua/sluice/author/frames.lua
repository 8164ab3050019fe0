--- Finds the markers around content and reasoning, for sluice.infer, if samples come with both.
--
-- Samples are { text, prompt, given } each; given: { content, reasoning }, texts or nil.

local anchors = require "sluice.author.anchors"

local M = {}

local TAIL = 160 -- bytes at the end of a prompt that are searched for an opener of reasoning

-- The first and last byte of a given text in the sample, or nil.
local function place(sample, what, from)
  local said = sample.given and sample.given[what]
  local first = said and said ~= "" and sample.text:find(said, from or 1, true)
  return first, first and first + #said - 1
end

--- frames.before_calls(sample, first) -> the first byte after the sample's content and reasoning, before its first call, which begins at
-- `first`.
function M.before_calls(sample, first)
  local from = 1
  for _, what in ipairs { "reasoning", "content" } do
    local _, last = place(sample, what, from)
    from = last and last < first and last + 1 or from
  end
  return from
end

--- frames.after_calls(sample, last) -> the last byte before content that follows the calls, the last of which ends at `last`.
function M.after_calls(sample, last)
  local first = place(sample, "content", last + 1)
  return first and first - 1 or #sample.text
end

-- The last marker-like token of a text, with the text that follows it; or nil.
local function last_marker(text)
  local list = anchors.tokens(text)
  for i = #list, 1, -1 do
    if list[i]:find "^<" and #list[i] > 2 or list[i]:find "^%[/?[%u_]" then
      return table.concat(list, "", i)
    elseif not list[i]:find "^%s*$" and i < #list - 3 then
      return nil
    end
  end
end

-- The shortest end of a prompt that begins with a marker and contains this word; or nil.
local function opener_with(prompt, word)
  local list = anchors.tokens(prompt)
  local seen = false
  for i = #list, 1, -1 do
    seen = seen or list[i]:find(word, 1, true) ~= nil
    if seen and list[i]:find "^<" and #list[i] > 2 then
      return table.concat(list, "", i)
    end
  end
end

local function trimmed(text)
  return (text:gsub("^%s+", ""):gsub("%s+$", ""))
end

-- The common text before the first call's name in all samples without reasoning, or "".
local function before_names(samples)
  local list = {}
  for _, sample in ipairs(samples) do
    local name = sample.calls[1] and not place(sample, "reasoning") and sample.text:find(sample.calls[1].name, 1, true)
    list[#list + 1] = name and sample.text:sub(M.before_calls(sample, name), name - 1) or nil
  end
  return anchors.suffix_of(list)
end

-- The opener and the closer of reasoning, or nil.
local function reasoning_of(samples)
  local before, following, prompts = {}, {}, {}
  local header = before_names(samples)
  for _, sample in ipairs(samples) do
    local first, last = place(sample, "reasoning")
    if first then
      local own = sample.text:sub(1, first - 1)
      if anchors.has_text(own) then
        before[#before + 1] = own
      elseif sample.prompt then
        prompts[#prompts + 1] = sample.prompt:sub(-TAIL)
      end
      local content = place(sample, "content", last)
      local stop = content or (sample.calls[1] and sample.text:find(sample.calls[1].name, last, true))
      following[#following + 1] = sample.text:sub(last + 1, stop and stop - 1 or #sample.text)
    end
  end
  if #following == 0 then
    return nil
  end
  local close = anchors.prefix_of(following)
  if #following == 1 then -- a single sample: only the first marker
    close = close:match "^%s*<[^<>]+>%s*" or close:match "^%s*%[[^%[%]\n]+%]%s*" or close
  end
  if anchors.has_text(header) and #close > #header and close:sub(-#header) == header then -- the opener of calls
    close = close:sub(1, -#header - 1)
  end
  local open = #before > 0 and anchors.suffix_of(before) or nil
  if not open and #prompts > 0 then
    local word = close:match "%a%a%a%a+"
    open = word and opener_with(anchors.suffix_of(prompts), word:lower()) or last_marker(anchors.suffix_of(prompts))
  end
  if open and anchors.has_text(open) and anchors.has_text(close) then
    return { open = open:gsub("^%s+", ""), close = close }
  end
end

-- Adds markup to the list of ignored tokens, once.
local function ignore(list, text, pair)
  text = trimmed(text)
  local known = text == "" or (pair and (trimmed(pair.open) == text or trimmed(pair.close) == text))
  for _, other in ipairs(list) do
    known = known or other == text
  end
  list[#list + 1] = not known and text or nil
end

-- The text between the start of the message, or the end of its reasoning, and its content.
local function before_content(sample, pair)
  local from = 1
  local _, last = place(sample, "reasoning")
  local first = place(sample, "content", last)
  if not first then
    return nil
  end
  from = last and last + 1 or from
  local text = trimmed(sample.text:sub(from, first - 1))
  local close = pair and trimmed(pair.close)
  if close and text:sub(1, #close) == close then
    text = trimmed(text:sub(#close + 1))
  end
  return text
end

-- Markup around content: the common text before it in all samples of a kind, and after it if no calls follow.
local function ignored_of(samples, pair)
  local out, kinds, following, after = {}, {}, {}, {}
  for _, sample in ipairs(samples) do
    local text = before_content(sample, pair)
    local kind = (#sample.calls > 0 and "calls" or "none") .. (sample.given and sample.given.reasoning and " reasoned" or "")
    local before_call = text and (#sample.calls == 0
      or sample.text:find(sample.given.content, 1, true) < (sample.text:find(sample.calls[1].name, 1, true) or 0))
    if before_call then
      kinds[kind] = kinds[kind] or {}
      table.insert(kinds[kind], text)
      if #sample.calls == 0 then
        local _, last = place(sample, "content", select(2, place(sample, "reasoning")))
        following[#following + 1] = sample.text:sub(last + 1)
      end
    elseif text then -- content after the calls
      local _, last = place(sample, "content")
      after[#after + 1] = sample.text:sub(last + 1)
    end
  end
  for _, kind in ipairs { "none", "none reasoned", "calls", "calls reasoned" } do
    ignore(out, anchors.suffix_of(kinds[kind] or {}), pair)
  end
  ignore(out, anchors.prefix_of(following), pair)
  ignore(out, anchors.suffix_of(after), pair)
  table.sort(out, function(a, b)
    return #a > #b or (#a == #b and a < b)
  end)
  return out
end

--- frames.find(samples) -> { reasoning = { open, close } or nil, ignored = a list of texts }; nil if no sample has given content.
function M.find(samples)
  local given = false
  for _, sample in ipairs(samples) do
    given = given or sample.given ~= nil
  end
  if not given then
    return nil
  end
  local pair = reasoning_of(samples)
  return { reasoning = pair, ignored = ignored_of(samples, pair) }
end

--- frames.without(text, frames) -> the text without the markup of content and reasoning at its beginning.
function M.without(text, frames)
  local again = true
  local marks = {}
  for _, mark in ipairs(frames.ignored) do
    marks[#marks + 1] = mark
  end
  marks[#marks + 1] = frames.reasoning and trimmed(frames.reasoning.close) or nil
  while again do
    again = false
    local rest = text:gsub("^%s+", "")
    for _, mark in ipairs(marks) do
      if mark ~= "" and rest:sub(1, #mark) == mark then
        text, again = rest:sub(#mark + 1), true
        break
      end
    end
  end
  return text
end

return M
