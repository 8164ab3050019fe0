--- `sluice infer`: infers a description from responses of a model and the calls in them. Without the calls only known syntaxes are tried.
--
-- It finds anchors (sluice.author.anchors), and the glue between them: the common beginnings, middles and ends of all calls become the
-- format's literals, and repetition becomes a loop. Each way to read the samples makes a candidate, which is compiled and tried on them;
-- the one that explains most wins.

local anchors = require "sluice.author.anchors"
local core = require "sluice.core"
local frames = require "sluice.author.frames"
local laws = require "sluice.author.laws"
local new = require "sluice.author.new"
local render = require "sluice.render"
local streams = require "sluice.stream"

local json = core.json
local decoded = anchors.decoded
local M = {}

local MOST = 256 * 1024 -- bytes of a sample
local MOST_OTHERS = 4 -- descriptions that are shown beside the best
local SHOWN = 160 -- bytes of a text that they match
local GIVE_CALLS = "write the calls of each sample into a file, one list per line, such as "
  .. [=[[{"name": "f", "arguments": {"a": 1}}], and give it with --calls FILE]=]

-- ---- Candidates ----------------------------------------------------------------------------

-- True if the text begins with prose: several words, or a sentence, before a possible marker.
local function prose_in(text)
  local lead = text:match "^[%w%s%.,;:!?'’-]*"
  return select(2, lead:gsub("%w+", "")) > 1 or lead:find "[%.!?]%s" ~= nil
end

-- A word of prose, in any alphabet; signs such as ✿ are none.
local WORD = "^[%a'\"(\195-\225\227-\237][%a'’\128-\225\227-\237-]*"
-- Prose that may touch a marker: the end of a sentence, letters above ASCII.
local PROSE = { "^%a[%a'’]*[%.,;!?]+", "^[\228-\237][\128-\191][\128-\191]", "^\227[\129-\131][\128-\191]", "^[\195-\223][\128-\191]",
  "^。", "^，", "^！", "^？" }

local without_prose

-- The end of a text after its last word of prose. A word in capitals, or one that names a call at the start of a line and ends with a
-- colon, may be a marker.
function without_prose(text)
  local from = 1
  for at, word, behind in text:gmatch "()(%S+)%s()" do
    local lower = word:lower()
    local names = word:find ":$" and (at == 1 or text:sub(at - 1, at - 1) == "\n")
      and (lower:find "tool" or lower:find "call" or lower:find "^func" or lower:find "^action")
    if not names and not word:find "^%u%u%u+:?$" and word:find(WORD .. "[%.,;:!?)]*$") then
      from = behind
    end
  end
  text = text:sub(from):gsub("^%s+", "")
  for i = 1, #PROSE do -- right before the marker
    local shorter = text:gsub(PROSE[i], "")
    if shorter ~= text then
      return without_prose(shorter)
    end
  end
  return text
end

-- The beginning of a text, up to prose.
local function up_to_prose(text)
  local list = anchors.tokens(text)
  for i = 1, #list do
    if list[i]:find "^[%w_]+$" and (i == 1 or list[i - 1]:find "^%s$") then
      return (table.concat(list, "", 1, i - 1):gsub("%s+$", ""))
    end
  end
  return text
end

-- A pair of tags around reasoning in a sample, or nil: { open, close } with their line breaks.
local function reasoning_in(samples)
  local closing = { ["<"] = ">", ["["] = "]" }
  for _, sample in ipairs(samples) do
    for bracket, name, space in sample.text:gmatch "([<%[])([%a][^<>%[%]\n]*)[>%]](%s*)" do
      local close = bracket .. "/" .. name .. closing[bracket]
      local from, to = sample.text:find(close, 1, true)
      if from and (name:lower():find "think" or name:lower():find "reason") then
        local line = space:find "\n" and "\n" or ""
        return { open = bracket .. name .. closing[bracket] .. line, close = line .. close .. sample.text:match("^\n*", to + 1) }
      end
    end
  end
end

-- Removes end-of-turn tokens, the given ones and those of known syntaxes, from the ends of the samples. Returns a list of those found
-- and those given.
local function take_turn_ends(host, samples, hidden, given)
  local list, seen = {}, {}
  local function add(token)
    list[#list + 1] = not seen[token] and token or nil
    seen[token] = true
  end
  local function take(token)
    for _, sample in ipairs(samples) do
      local text = sample.text:gsub("%s+$", "")
      if #text > #token and text:sub(-#token) == token then
        sample.text = text:sub(1, -#token - 1)
        add(token)
      end
    end
  end
  for _, token in ipairs(given or {}) do
    take(token)
    add(token)
  end
  for _, name in ipairs(host.order) do
    for _, token in ipairs(not hidden[name] and host.by_name[name].description.stop or {}) do
      take(token)
    end
  end
  return list
end

-- A description of the text around these bodies, as Lua text: { call, between, field }; `rough`: it may contain prose. `pair`: the
-- markers of reasoning; `framed`: the markers of content and reasoning. `trim`: leaves out prose before the first marker.
local function around(samples, found, body, pair, framed, trim)
  local firsts, betweens, ends, all = {}, {}, {}, {}
  local rough = false
  for i, sample in ipairs(samples) do
    for k, place in ipairs(found[i]) do
      local call, after = sample.calls[k], found[i][k + 1]
      local text = place.after or sample.text:sub(place.last + 1, after and after.first - 1 or #sample.text)
      if framed and not after then
        text = text:sub(1, math.max(0, frames.after_calls(sample, place.last) - place.last))
      end
      all[#all + 1] = { text = text:sub((place.cut or 0) + 1), what = call.name, to = after and betweens or ends }
      if k == 1 then
        local before = sample.text:sub(1, place.first - 1)
        if framed then
          before = frames.without(before:sub(frames.before_calls(sample, place.first)), framed)
        end
        local _, last = before:find(pair and pair.close:match "%S+" or "\0", 1, true)
        before = before:sub((last or 0) + 1)
        rough = rough or prose_in(before) or (#samples == 1 and without_prose(before) ~= before)
        firsts[#firsts + 1] = trim and without_prose(before) or before
      end
    end
  end
  if all[1] then
    anchors.mask(all, anchors.NAME)
  end
  for _, item in ipairs(all) do
    item.to[#item.to + 1] = item.text
  end
  local outer = anchors.loop(firsts, betweens, ends)
  local words, field = body()
  if not words then
    return nil
  end
  outer.before = outer.before:gsub("^%s+", "")
  outer.after = up_to_prose(outer.after)
  local inner = anchors.literals(outer.open, {})
  for _, text in ipairs(words) do
    inner[#inner + 1] = text
  end
  anchors.literals(outer.close, inner)
  local out, between = {}, nil
  if outer.single then
    anchors.literals(outer.before, out)
    for _, text in ipairs(inner) do
      out[#out + 1] = text
    end
    anchors.literals(outer.after, out)
  elseif not anchors.has_text(outer.before) and not anchors.has_text(outer.after) and anchors.has_text(outer.open) then
    out, between = inner, outer.between ~= "" and outer.between or nil
  else
    if outer.between ~= "" then
      inner[#inner + 1] = "between = " .. new.literal(outer.between)
    end
    anchors.literals(outer.before, out)
    out[#out + 1] = ("s.calls { %s }"):format(table.concat(inner, ", "))
    anchors.literals(outer.after, out)
  end
  rough = rough and not trim and (#samples == 1 or prose_in(outer.before))
  return { call = out, between = between, rough = rough, field = field, before = outer.before }
end

-- A script with this description. `extra`: more fields, as Lua text.
local function script_of(name, candidate, extra)
  local call = table.concat(candidate.call, ", ")
  local out = { ("return s.syntax {\n  api = 3,\n  name = %s,\n"):format(new.literal(name)) }
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

-- Patterns of markers: a tag, a special token, a word in brackets.
local marks = { "</?[%a_][^<>\n]*>", "<|[^|\n]*|>", "%[/?[%u_]+%]", "\239\189\156[^\n]-\239\189\156" }

-- A marker left in the text around calls that only the syntax itself has found, or nil.
local function left_over(content)
  for _, mark in ipairs(content and marks or {}) do
    local found = content:match(mark)
    if found then
      return found
    end
  end
end

-- A text with white space normalised.
local function even(text)
  return (text or ""):gsub("%s+", " "):match "^ ?(.-) ?$"
end

-- How a stream with these options misreads a sample, or nil; and true if it repaired something.
local function misread_as(plan, sample, options)
  local tools = #sample.calls > 0 and render.tools_of(sample.calls) or nil
  local result = streams.whole(streams.open(plan, tools, options), sample.text)
  local given = sample.given
  for _, e in ipairs(result.errors) do
    if not given or e.code ~= "repaired" then
      return ("%s at byte %d"):format(e.code, e.first - 1)
    end
  end
  local mark = sample.found and left_over(result.content)
  local wrong = laws.difference(sample.calls, result.calls, given and "recovered")
    or (mark and ("the content still contains %s, which looks like markup"):format(mark))
  for _, what in ipairs(given and not wrong and { "content", "reasoning" } or {}) do
    local got = even(result[what])
    if not wrong and got ~= even(given[what]) then
      wrong = ("its %s is %s"):format(what, got == "" and "empty" or json.encode(got:sub(1, 80)))
    end
  end
  return wrong, #result.errors > 0
end

-- How a syntax misreads a sample, or nil if it explains it; and true if it repaired something.
-- A sample without reasoning may begin after it, even if its prompt opens reasoning: histories leave empty reasoning out.
local function misread(plan, sample)
  local wrong, repaired = misread_as(plan, sample, { validate = false, prompt = sample.prompt })
  if wrong and sample.prompt and sample.given and not sample.given.reasoning then
    local other, again = misread_as(plan, sample, { validate = false, start = "text" })
    return other and wrong, again
  end
  return wrong, repaired
end

-- True if render writes the calls as the sample has them.
local function writes(host, plan, sample)
  local text = #sample.calls > 0 and host.render(plan, sample.calls)
  return text and sample.text:find(text, 1, true) ~= nil
end

-- The number of samples that a plan explains, and of those that it would write the same way.
local function score(host, plan, samples)
  local explained, exact = 0, 0
  for _, sample in ipairs(samples) do
    local wrong, repaired = misread(plan, sample)
    if not wrong then
      explained = explained + 1
      exact = exact + (not repaired and writes(host, plan, sample) and 1 or 0)
    end
  end
  return explained, exact
end

-- Compiles a script and scores its plan; returns the plan (or nil), the samples explained, and those written the same way.
local function scored(host, script, path, samples)
  local plan = host.compile(script, path)
  if plan then
    return plan, score(host, plan, samples)
  end
  return nil, 0, 0
end

-- ---- Inference -----------------------------------------------------------------------------

-- Ranks a known syntax that explains the samples and writes `exact` of them the same way: parents before their dialects, syntaxes of
-- many models before those of few.
local function likely(plan, exact)
  return exact * 100 + (plan.syntax.parent and 0 or 50) + math.min(#(plan.syntax.models or {}), 40)
end

-- The best known syntax that explains all samples. Without given calls its own must be complete and without errors.
local function known(host, samples, given, hidden)
  local best
  local others = {}
  for _, name in ipairs(host.order) do
    local plan = not hidden[name] and host.plan(name)
    if plan then
      local all, exact, own = true, 0, {}
      for i, sample in ipairs(samples) do
        own[i] = sample
        if not given then
          local result = streams.whole(streams.open(plan, nil, {}), sample.text)
          local calls = {}
          for k, call in ipairs(result.calls) do
            calls[k] = { name = call.name, arguments = decoded(call.arguments) }
          end
          own[i] = { path = sample.path, text = sample.text, calls = calls, found = true }
          all = all and #calls > 0
        end
        all = all and not misread(plan, own[i])
        exact = exact + (all and writes(host, plan, own[i]) and 1 or 0)
      end
      local one = all and { plan = plan, rank = likely(plan, exact), samples = own, others = others, what = "`" .. name .. "`" }
      if one then
        others[#others + 1] = one
        best = (not best or one.rank > best.rank) and one or best
      end
    end
  end
  return best
end

-- The beginning of a dialect's script with these fields, as Lua text.
local function inheriting(parent, name, fields)
  return ("return inherit(%s, {\n  api = 3,\n  name = %s,\n%s"):format(new.literal(parent), new.literal(name),
    fields[1] and "  " .. table.concat(fields, ",\n  ") .. ",\n" or "")
end

-- Candidates for the other fields, best first: each a function of a text that is ignored too, or nil, which returns fields as Lua text.
-- `framed`: the markers of content and reasoning, or nil.
local function fields_of(pair, stop, framed)
  local function fields(with_stop, options)
    return function(more)
      local ignored = json.array { more }
      for _, token in ipairs(framed and framed.ignored or {}) do
        ignored[#ignored + 1] = token
      end
      local out = { pair and ("think = { %s, %s }"):format(new.literal(pair.open), new.literal(pair.close)) or nil }
      out[#out + 1] = with_stop and stop[1] and "stop = " .. new.literal(json.array(stop)) or nil
      out[#out + 1] = ignored[1] and "ignore = " .. new.literal(ignored) or nil
      out[#out + 1] = options
      return out
    end
  end
  if not framed then
    return { fields(true) }
  end
  local both = 'options = { reasoning_opens = "anywhere", calls_in_reasoning = "call" }'
  local all = { fields(true), fields(true, 'options = { reasoning_opens = "anywhere" }'), fields(true, both) }
  all[4], all[5] = stop[1] and fields(false), stop[1] and fields(false, both)
  return all
end

-- A dialect of a known syntax that reads all calls but differs around content and reasoning: { script, parent, plan }, or nil. `all`:
-- candidates for these fields, best first.
local function varied(host, samples, name, hidden, all)
  local best
  local function reads(plan)
    for _, sample in ipairs(samples) do
      local tools = #sample.calls > 0 and render.tools_of(sample.calls)
      local result = tools and streams.whole(streams.open(plan, tools, { validate = false }), sample.text)
      if tools and laws.difference(sample.calls, result.calls, "recovered") then
        return false
      end
    end
    return true
  end
  for _, parent in ipairs(host.order) do
    local plan = not hidden[parent] and host.plan(parent)
    for i, fields in ipairs(plan and reads(plan) and all or {}) do
      local script = inheriting(parent, name, fields())
      local child, explained, exact = scored(host, script .. "})\n", plan.path or name .. ".lua", samples)
      local rank = explained == #samples and likely(plan, exact) - i
      if rank and (not best or rank > best.rank) then
        best = { script = script, parent = parent, plan = child, rank = rank }
      end
    end
  end
  return best
end

-- The samples that have calls, with the calls' ids replaced; `guessing`: also words that look like ids, if some do, or nil.
local function without_ids(samples, guessing)
  local out, any = {}, false
  for _, sample in ipairs(samples) do
    local own = setmetatable({}, { __index = sample })
    for _, call in ipairs(sample.calls) do
      if type(call.id) == "string" and #call.id > 3 then
        own.text = own.text:gsub(call.id:gsub("%p", "%%%0"), anchors.ID)
      end
    end
    for _, id in ipairs(guessing and anchors.ids(own, samples) or {}) do
      own.text, any = own.text:gsub("%f[%w_-]" .. id:gsub("%p", "%%%0") .. "%f[^%w_-]", anchors.ID), true
    end
    out[#out + 1] = #sample.calls > 0 and own or nil
  end
  return (any or not guessing) and out or nil
end

-- The candidate that explains most, over all ways to read the samples: { script, plan, explained, exact }. `pair`: the markers of
-- reasoning, or nil; `framed`: the markers of content and reasoning, or nil; `extra`: further fields.
local function best_of(host, samples, name, pair, framed, extra)
  local best
  local called, explaining = nil, {}
  local number = 0 -- of the way: of equals, the first is the simplest
  local function consider(found, body)
    number = number + 1
    for _, trim in ipairs(framed and { false } or { false, true }) do
      local candidate = around(called, found, body, pair, framed, trim)
      if candidate then
        local between = framed and candidate.between and candidate.between:match "^%s*(.-)%s*$"
        local fields = extra(between and between ~= "" and between or nil) -- not content
        fields[#fields + 1] = candidate.field and ("values = { %s }"):format(candidate.field) or nil
        local script = script_of(name, candidate, fields)
        local plan, explained, exact = scored(host, script .. "}\n", name .. ".lua", samples)
        local prose = #samples == 1 and candidate.rough and candidate.before
        local rank = explained * 100 - number * 10 + exact - (prose and 100 or candidate.rough and 2 or 0)
        local one = { script = script, plan = plan, explained = explained, exact = exact, rank = rank, prose = prose, others = explaining,
          what = "{ " .. table.concat(candidate.call, ", ") .. " }" }
        if plan and explained == #samples and not one.prose then
          explaining[#explaining + 1] = one
        end
        if plan and (not best or rank > best.rank) then
          best = one
        end
      end
    end
  end
  for _, guessing in ipairs { true, false } do
    called = not (best and best.explained == #samples) and without_ids(samples, guessing) or {}
    for _, way in ipairs(called[1] and { "object", "named", "python" } or {}) do
      local found, body = anchors.ways[way](called)
      if found then
        consider(found, body)
      end
    end
    for i, glue in ipairs(anchors.glues(called)) do
      if i > 4 or (best and best.explained == #samples and i > 2) then
        break
      end
      for _, twice in ipairs { false, true } do
        local found, body = anchors.parameters(called, glue, twice)
        if found then
          consider(found, body)
        end
      end
    end
  end
  return best
end

-- The samples, each with its calls if they are given; or nil and a message.
local function samples_of(request)
  local samples, ended = {}, true -- true if every sample ends with a line break: the file's, not the model's
  for i, sample in ipairs(request.samples or {}) do
    samples[i] = { path = sample.path, text = sample.text, prompt = sample.prompt }
    ended = ended and sample.text:find "\n$" ~= nil
  end
  local calls = request.calls and json.decode(json.encode(request.calls))
  if calls then
    if json.kind(calls) ~= "array" then
      return nil, "the calls are not a list"
    elseif #samples == 1 and json.kind(calls[1]) == "object" and calls[1].calls == nil then
      calls = { calls }
    elseif #calls ~= #samples then
      return nil, ("there are %d samples but %d lists of calls: give one list per sample"):format(#samples, #calls)
    end
  end
  for i, sample in ipairs(samples) do
    local own = calls and calls[i]
    if json.kind(own) == "object" then -- a message: with content and reasoning
      local function text(key)
        return type(own[key]) == "string" and own[key] ~= "" and own[key] or nil
      end
      sample.given = { content = text "content", reasoning = text "reasoning" }
      own = own.calls or json.array()
    end
    sample.calls = json.kind(own) == "array" and own or nil
    for k, call in ipairs(sample.calls or { calls and false }) do
      local good = json.kind(call) == "object"
      if good and json.kind(call.arguments) == "string" then
        call.arguments = json.decode(call.arguments)
      end
      if not good or type(call.name) ~= "string" or json.kind(call.arguments) ~= "object" then
        return nil, ("call %d of sample %d is not an object with a name and arguments"):format(k, i)
      end
    end
    if #sample.text > MOST then
      return nil, ("sample %d is longer than %d KB: give only the part with the calls"):format(i, MOST / 1024)
    end
    sample.text = ended and sample.text:sub(1, -2) or sample.text
  end
  if #samples == 0 then
    return nil, "there are no samples"
  end
  return samples
end

-- A new description of the samples: { script, plan, explained, prose }; or nil and a message. `all`: candidates for other fields.
local function made(host, samples, name, pair, framed, all)
  local best
  for _, extra in ipairs(all) do
    local found = not (best and best.explained == #samples) and best_of(host, samples, name, pair, framed, extra)
    if found and (not best or found.explained > best.explained) then
      best = found
    end
  end
  if not best or best.explained == 0 then
    return nil, ("no description was found: %s; use 'sluice new NAME' without samples for a script to complete by hand "
      .. "(docs/write-a-syntax.md)"):format(anchors.absent(samples)
      or "no text that repeats marks these calls, their names and the end of each value (the end of a line is not enough)")
  end
  return best
end

-- A text that one plan writes, with the calls of a sample or these twice, and the other does not read; or nil.
local function only_of(host, one, other, samples)
  for _, sample in ipairs(samples) do
    local twice = { (table.unpack or unpack)(sample.calls) }
    for i = 1, #sample.calls do
      twice[#twice + 1] = sample.calls[i]
    end
    for _, calls in ipairs(#sample.calls > 0 and { sample.calls, twice } or {}) do
      local text = host.render(one, calls)
      if text and misread(other, { text = text, calls = calls }) then
        return text
      end
    end
  end
end

-- Reports the other descriptions that explain all samples, each with a text that it also matches.
local function report_others(host, chosen, plan, samples, say)
  local seen = { [chosen] = true }
  for _, other in ipairs(chosen.others or {}) do
    local text = not seen[other] and #seen < MOST_OTHERS and only_of(host, other.plan, plan, samples)
    if text and not seen[text] then
      seen[text], seen[#seen + 1] = true, other
      say("  %s explains them, too, and would also match %s", other.what, json.encode(text:sub(1, SHOWN)))
    end
  end
  local text = seen[1] and only_of(host, plan, seen[1].plan, samples)
  if text then
    say("  only the one that was chosen matches %s", json.encode(text:sub(1, SHOWN)))
  end
end

-- Reports for each sample whether it is explained; returns the number of those that are. `prose`: the opener, if prose may be part of it.
local function report_on(host, plan, samples, say, prose)
  local explained = 0
  for _, sample in ipairs(samples) do
    local wrong = misread(plan, sample)
      or prose and ("%s may be prose: give a second sample, with other text before the call"):format(json.encode(prose))
    explained = explained + (wrong and 0 or 1)
    say("  %-20s %s", sample.path or "", wrong and "is not explained: " .. wrong
      or ("is explained: %d call%s%s"):format(#sample.calls, #sample.calls == 1 and "" or "s",
        writes(host, plan, sample) and "" or ", but would be written differently"))
  end
  return explained
end

--- infer(host, request) -> { script, page, report, explained } or nil and a message. The request has: samples, a list of { path, text,
-- prompt }, with the prompt's tail if it matters; calls, for each sample its calls, { name, arguments, id } each, or its message
-- { content, reasoning, calls }; for one sample also just its calls; nil if unknown; name, the syntax's; hidden, names of syntaxes to
-- leave out; stop, end-of-turn tokens; reasoning, { open, close }.
function M.infer(host, request)
  local samples, problem = samples_of(request)
  if not samples then
    return nil, problem
  end
  local name, hidden = request.name or "mine", {}
  for _, other in ipairs(request.hidden or {}) do
    hidden[other] = true
  end
  local given = samples[1].calls ~= nil
  local report = {}
  local function say(text, ...)
    report[#report + 1] = text:format(...)
  end
  anchors.begin()
  local script, plan, best
  local twin = known(host, samples, given, hidden)
  if twin then
    samples = twin.samples
    plan = twin.plan
    say("this is `%s`: it explains every sample", plan.syntax.name)
    script = inheriting(plan.syntax.name, name, {})
  else
    if not given then
      return nil, "no known syntax reads calls in all samples; for a new format " .. GIVE_CALLS
    end
    local stop = take_turn_ends(host, samples, hidden, request.stop)
    local framed = frames.find(samples)
    local pair = request.reasoning or framed and framed.reasoning or reasoning_in(samples)
    local all = fields_of(pair, stop, framed)
    local near = framed and varied(host, samples, name, hidden, all)
    if near then
      script, plan = near.script, near.plan
      say("this is `%s` with other markers around content and reasoning", near.parent)
    else
      best, problem = made(host, samples, name, pair, framed, all)
      if not best then
        return nil, problem
      end
      script, plan = best.script, best.plan
      say "this is a new format"
    end
  end
  local explained = report_on(host, plan, samples, say, best and best.prose)
  report_others(host, twin or best or {}, plan, samples, say)
  if not given then
    say "its calls were not given: check that they are right"
  end
  local text, page = new.inferred(host, name, script, plan, samples)
  if not text then
    return nil, page
  end
  return { script = text, page = page, report = table.concat(report, "\n"), explained = explained }
end

return M
