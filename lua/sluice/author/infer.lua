--- `sluice infer`: infers a description from responses of a model and the calls in them. Without the calls only known syntaxes are tried.
--
-- It finds anchors (sluice.author.anchors), and the glue between them: the common beginnings, middles and ends of all calls become the
-- format's literals, and repetition becomes a loop. Each way to read the samples makes a candidate, which is compiled and tried on them;
-- the one that explains most wins. Where samples come with their content and reasoning, too, what a candidate leaves around the content
-- is markup to ignore.

local anchors = require "sluice.author.anchors"
local json = require("sluice.core").json
local laws = require "sluice.author.laws"
local lists = require "sluice.lists"
local new = require "sluice.author.new"
local render = require "sluice.render"
local streams = require "sluice.stream"

local M = {}

local MOST = 64 * 1024 -- bytes of a sample
local MARK = 160 -- bytes of a marker
local TAIL = 160 -- bytes at the end of a prompt that are searched for an opener of reasoning
local GIVE_CALLS = "also give the calls of each sample, a list such as "
  .. [=[[{"name": "f", "arguments": {"a": 1}}]: as `calls`, or for the command as --calls FILE with one list per line]=]

-- The text next to a call, up to prose: its beginning, or (`before`) its end. White space beside a word or a sentence's end belongs to
-- prose, and so do letters above ASCII; a word in capitals may be a marker.
local function beside(text, before)
  local list, count = anchors.tokens(text), 0
  local function token(n)
    return list[before and #list + 1 - n or n] or ""
  end
  while count < #list and not token(count + 1):find "^[\195-\223\227-\237]" and not (token(count + 1):find "^%s"
    and token(count + 2):find "^[%w.,;:!?\"')]" and not token(count + 2):find "^%u%u%u+$") do
    count = count + 1
  end
  local near = table.concat(list, "", before and #list - count + 1 or 1, before and #list or count)
  return count < #list and near:gsub(before and "^%s+" or "%s+$", "") or near
end

local function trimmed(text)
  return text:match "^%s*(.-)%s*$"
end

-- The first and last byte of a sample's given content or reasoning, or nil.
local function place(sample, what, from)
  local said = sample.given and sample.given[what]
  local first = said and sample.text:find(said, from or 1, true)
  return first, first and first + #said - 1
end

-- The markers of a reasoning that is given: { open, close }, or nil. The opener may be the end of the prompt.
local function reasoning_given(samples)
  local before, following, prompts = {}, {}, {}
  for _, sample in ipairs(samples) do
    local first, last = place(sample, "reasoning")
    if first then
      local own = sample.text:sub(1, first - 1)
      local list = anchors.has_text(own) and before or prompts
      list[#list + 1] = list == before and own or (sample.prompt or ""):sub(-TAIL)
      local stop = place(sample, "content", last) or sample.calls[1] and sample.text:find(sample.calls[1].name, last, true)
      following[#following + 1] = sample.text:sub(last + 1, (stop or 0) - 1)
    end
  end
  local close, open = anchors.common(following), anchors.common(before, true)
  if lists.set(following)[close] then -- it may include the opener of what follows: only the first marker
    close = close:match "^%s*<[^<>]+>%s*" or close:match "^%s*%[[^%[%]\n]+%]%s*" or close
  end
  if not before[1] then
    local tail = anchors.common(prompts, true)
    open = tail:match(".*(<[^<>]*" .. (close:match "%a%a%a%a+" or "") .. "[^<>]*>.*)$") or tail:match ".*(<[^<>]*>.*)$" or ""
  end
  if anchors.has_text(open) and anchors.has_text(close) then
    return { open = open:gsub("^%s+", ""), close = close }
  end
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
  local list, seen = json.array(), {}
  local function take(token, found)
    for _, sample in ipairs(samples) do
      local text = sample.text:gsub("%s+$", "")
      if #text > #token and text:sub(-#token) == token then
        sample.text, found = text:sub(1, -#token - 1), true
      end
    end
    list[#list + 1] = found and not seen[token] and token or nil
    seen[token] = seen[token] or found
  end
  for _, token in ipairs(given or {}) do
    take(token, true)
  end
  for _, name in ipairs(host.order) do
    for _, token in ipairs(not hidden[name] and host.by_name[name].description.stop or {}) do
      take(token)
    end
  end
  return list
end

-- How a stream with these options misreads a sample, or nil; and the result.
local function misread_as(plan, sample, options)
  local tools = #sample.calls > 0 and render.tools_of(sample.calls) or nil
  local result = streams.whole(streams.open(plan, tools, options), sample.text)
  local given = sample.given
  for _, e in ipairs(result.errors) do
    if not given or e.code ~= "repaired" then
      return ("%s at byte %d"):format(e.code, e.first - 1), result
    end
  end
  local mark = sample.found and result.content and result.content:match "[<%[\239][/|\189]*[%a_][^<>%[%]\n]*[>%]\156]"
  local wrong = laws.difference(sample.calls, result.calls, given and "recovered")
    or (mark and ("the content still contains %s, which looks like markup"):format(mark))
  for _, what in ipairs(given and not wrong and { "content", "reasoning" } or {}) do
    local got = trimmed((result[what] or ""):gsub("%s+", " "))
    if got ~= trimmed((given[what] or ""):gsub("%s+", " ")) then
      wrong = wrong or ("its %s is %s"):format(what, got == "" and "empty" or json.encode(got:sub(1, 80)))
    end
  end
  return wrong, result
end

-- How a syntax misreads a sample, or nil if it explains it; and the result.
-- A sample without reasoning may begin after it, even if its prompt opens reasoning: histories leave empty reasoning out.
local function misread(plan, sample)
  local wrong, result = misread_as(plan, sample, { validate = false, prompt = sample.prompt })
  if wrong and sample.prompt and sample.given and not sample.given.reasoning then
    local other, again = misread_as(plan, sample, { validate = false, start = "text" })
    return other and wrong, again
  end
  return wrong, result
end

-- True if render writes the calls as the sample has them.
local function writes(host, plan, sample)
  local text = #sample.calls > 0 and host.render(plan, sample.calls)
  return text and sample.text:find(text, 1, true) ~= nil
end

-- How a plan reads the samples: { plan, explained, exact }, the numbers of those that it explains, and would also write the same way; and
-- the markup that it leaves around their content, added to the list `ignored`.
local function scored(host, plan, samples, ignored)
  local score = { plan = plan, explained = 0, exact = 0 }
  for _, sample in ipairs(samples) do
    local wrong, result = misread(plan, sample)
    if not wrong then
      score.explained = score.explained + 1
      score.exact = score.exact + (not result.errors[1] and writes(host, plan, sample) and 1 or 0)
    elseif ignored and #result.calls == #sample.calls then
      local content, said = result.content or "", sample.given and sample.given.content or ""
      local first, last = content:find(said, 1, true)
      for _, mark in ipairs { content:sub(1, (first or 1) - 1), content:sub((last or 0) + 1) } do
        mark = trimmed(mark)
        local markup = mark:find "%p" and #mark < MARK and not ignored[mark] and not lists.some(sample.calls, function(call)
          return mark:find(call.name, 1, true)
        end)
        ignored[mark], ignored[#ignored + 1] = true, markup and mark or nil
      end
    end
  end
  return score
end

-- Fields that a format with markers around its content may need.
local CHANNELS = { "", 'options = { reasoning_opens = "anywhere", calls_in_reasoning = "call" }' }

-- The best script of this form, with the fields that read most samples: { script, plan, explained, exact }; or nil. job: host, samples,
-- name, messages (if content and reasoning are given), reasoning, stop. form: { head, body, close, values }.
local function completed(job, form)
  local best
  for i = 1, job.messages and #CHANNELS or 1 do
    local ignored = json.array()
    repeat
      local count = #ignored
      local script = form.head .. lists.join({ job.reasoning and "think = " .. new.literal(json.array { job.reasoning.open,
        job.reasoning.close }) or "", job.stop[1] and "stop = " .. new.literal(job.stop) or "",
        count > 0 and "ignore = " .. new.literal(ignored) or "", CHANNELS[i], form.values or "" }, function(field)
        return field ~= "" and ("  %s,\n"):format(field) or nil
      end) .. form.body
      local plan = job.host.compile(script .. form.close, job.name .. ".lua")
      local score = plan and scored(job.host, plan, job.samples, job.messages and ignored)
      if plan and (not best or score.explained > best.explained) then
        best, score.script = score, script
      end
      if not plan or best.explained == #job.samples then
        return best
      end
    until #ignored == count
  end
  return best
end

-- A dialect of a syntax.
local function dialect(job, parent)
  return { head = ("return inherit(%s, {\n  api = 3,\n  name = %s,\n"):format(new.literal(parent), new.literal(job.name)), body = "",
    close = "})\n" }
end

-- The sample with its calls if a plan reads it; else nil. Calls that are not given must be complete and without errors. `changed`: content
-- and reasoning do not matter.
local function read_by(plan, sample, changed)
  if not sample.calls then
    sample = { path = sample.path, text = sample.text, found = true,
      calls = lists.map(streams.whole(streams.open(plan, nil, {}), sample.text).calls, function(call)
        return { name = call.name, arguments = json.decode(call.arguments) }
      end) }
  end
  local wrong, result = misread(plan, sample)
  if changed then
    wrong = laws.difference(sample.calls, result.calls, "recovered")
  end
  return not wrong and (sample.calls[1] or not sample.found) and sample or nil
end

-- The best known syntax that explains all samples, alone or (`changed`) with other markers around content and reasoning. Parents come
-- before their dialects, syntaxes of many models before those of few.
local function known(job, changed)
  local best
  for _, name in ipairs(job.host.order) do
    local plan = not job.hidden[name] and job.host.plan(name)
    local own, all = {}, plan
    for i, sample in ipairs(job.samples) do
      all = all and read_by(plan, sample, changed)
      own[i] = all or nil
    end
    local one = all and (changed and completed(job, dialect(job, name)) or not changed and scored(job.host, plan, own))
    if one and one.explained == #own then
      one.rank = one.exact * 100 + (plan.syntax.parent and 0 or 50) + math.min(#(plan.syntax.models or {}), 40)
      one.name, one.samples = name, own
      one.script = one.script or dialect(job, name).head
      best = (not best or one.rank > best.rank) and one or best
    end
  end
  return best
end

-- A description of the text around these bodies, as a form; `prose`: the opener, if it may be prose. `words`, `values`: as of a way of
-- sluice.author.anchors. `trim`: leaves out prose before the marker of a single sample.
local function around(job, samples, trim, found, words, values)
  local firsts, betweens, ends = {}, {}, {}
  local prose = false
  for i, sample in ipairs(samples) do
    for k, call in ipairs(found[i]) do
      local list = found[i][k + 1] and betweens or ends
      list[#list + 1] = anchors.after(sample, found[i], k)
      local content = list == ends and place(sample, "content", call.last)
      list[#list] = content and list[#list]:sub(1, -(#sample.text - content + 2)) or list[#list]
      if k == 1 then
        local before = sample.text:sub(1, call.first - 1)
        for _, text in ipairs { sample.given and sample.given.reasoning or "", job.reasoning and trimmed(job.reasoning.close) or "",
          sample.given and sample.given.content or "" } do
          local _, last = before:find(text, 1, true)
          before = before:sub((last or 0) + 1)
        end
        prose = #samples == 1 and beside(before, true) ~= before
        firsts[#firsts + 1] = trim and beside(before, true) or before
      end
    end
  end
  local outer = anchors.loop(firsts, betweens, ends)
  outer.before, outer.after = outer.before:gsub("^%s+", ""), beside(outer.after)
  local inner = anchors.literals(outer.close, lists.joined(anchors.literals(outer.open, {}), words))
  local call = inner
  local between = outer.between ~= "" and "between = " .. new.literal(outer.between) or nil
  if outer.single or anchors.has_text(outer.before .. outer.between .. outer.after) or not anchors.has_text(outer.open) then
    if not outer.single then
      inner[#inner + 1], between = between, nil
      inner = { ("s.calls { %s }"):format(table.concat(inner, ", ")) }
    end
    call = anchors.literals(outer.after, lists.joined(anchors.literals(outer.before, {}), inner))
  end
  local text = table.concat(call, ", ")
  return { prose = prose and not trim and outer.before, close = "}\n",
    values = values and ("values = { %s }"):format(values),
    head = ("return s.syntax {\n  api = 3,\n  name = %s,\n"):format(new.literal(job.name)),
    body = (#text > 100 and ("  call = {\n    %s,\n  },\n"):format(table.concat(call, ",\n    ")) or ("  call = { %s },\n"):format(text))
      .. (between and ("  %s,\n"):format(between) or "") }
end

-- The new description that explains most samples, over all ways to read them; or nil and a message.
local function made(job)
  local best
  local number, all = 0, false -- of the way: of equals, the first is the simplest
  local function consider(samples, found, ...)
    number = number + (found and 1 or 0)
    for _, trim in ipairs(found and (#samples == 1 and { false, true } or { false }) or {}) do
      local form = around(job, samples, trim, found, ...)
      local one = completed(job, form)
      if one then
        one.rank = one.explained * 100 - number * 10 + one.exact - (form.prose and 100 or 0)
        one.prose = form.prose
        best = (not best or one.rank > best.rank) and one or best
        all = all or one.explained == #job.samples and not one.prose
      end
    end
  end
  for _, guessing in ipairs { true, false } do
    local samples = all and {} or anchors.without_ids(job.samples, guessing)
    for _, way in ipairs(samples[1] and { "object", "named", "python" } or {}) do
      consider(samples, anchors.ways[way](samples))
    end
    local glue = anchors.glue(samples)
    for _, twice in ipairs(glue and { false, true } or {}) do
      consider(samples, anchors.parameters(samples, glue, twice))
    end
  end
  if best and best.explained > 0 then
    return best
  end
  return nil, "no description was found: no text that repeats marks these calls (are they those of these samples?), their names and the "
    .. "end of each value (the end of a line is not enough); use 'sluice new NAME' without samples for a script to complete by hand"
end

-- The samples, each with its calls if they are given; or nil and a message.
local function samples_of(request)
  local ended = true -- every sample ends with a line break: the file's, not the model's
  local samples = lists.map(request.samples or {}, function(sample)
    ended = ended and sample.text:find "\n$" ~= nil
    return { path = sample.path, text = sample.text, prompt = sample.prompt }
  end)
  local calls = request.calls and json.decode(json.encode(request.calls))
  calls = json.kind(calls) == "object" and { calls } or calls
  if calls and #samples == 1 and json.kind(calls[1]) == "object" and calls[1].calls == nil then
    calls = { calls }
  end
  if #samples == 0 then
    return nil, "there are no samples"
  elseif calls and #calls ~= #samples then
    return nil, ("there are %d samples but %d lists of calls: give one list per sample"):format(#samples, #calls)
  end
  for i, sample in ipairs(samples) do
    local own = calls and calls[i]
    own = json.kind(own) == "object" and own.name ~= nil and json.array { own } or own -- a call without its list
    if json.kind(own) == "object" then -- a message: with content and reasoning
      sample.given = {}
      for _, key in ipairs { "content", "reasoning" } do
        sample.given[key] = type(own[key]) == "string" and own[key] ~= "" and own[key] or nil
      end
      own = own.calls or json.array()
    end
    sample.calls = json.kind(own) == "array" and own or nil
    for k, call in ipairs(sample.calls or { calls and false }) do
      local good = json.kind(call) == "object"
      if good and type(call.arguments) == "string" then
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
  return samples
end

-- Reports how each sample is read. Returns the number of those that are explained.
local function report_on(host, best, samples, say)
  local plan, explained = best.plan, 0
  for _, sample in ipairs(samples) do
    local wrong = misread(plan, sample)
      or best.prose and ("%s may be prose: give a second sample, with other text before the call"):format(json.encode(best.prose))
    explained = explained + (wrong and 0 or 1)
    say("  %-20s %s", sample.path or "", wrong and "is not explained: " .. wrong
      or ("is explained: %d call%s%s"):format(#sample.calls, #sample.calls == 1 and "" or "s",
        sample.calls[1] and not writes(host, plan, sample) and ", but would be written differently" or ""))
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
  local job = { host = host, samples = samples, name = request.name or "mine", hidden = lists.set(request.hidden or {}),
    stop = json.array(), messages = lists.each(samples, "given")[1] }
  local report = {}
  local function say(text, ...)
    report[#report + 1] = text:format(...)
  end
  local given = samples[1].calls ~= nil
  local best = known(job)
  if best then
    samples = best.samples
    say("this is `%s`: it explains every sample", best.name)
  elseif not given then
    return nil, "no known syntax reads calls in all samples; for a new format " .. GIVE_CALLS
  else
    job.stop = take_turn_ends(host, samples, job.hidden, request.stop)
    job.reasoning = request.reasoning or reasoning_given(samples) or reasoning_in(samples)
    best = job.messages and known(job, true)
    if best then
      say("this is `%s` with other markers around content and reasoning", best.name)
    else
      best, problem = made(job)
      if not best then
        return nil, problem
      end
      say "this is a new format"
    end
  end
  local explained = report_on(host, best, samples, say)
  if not given then
    say "its calls were not given: check that they are right"
  end
  local text, page = new.inferred(host, job.name, best.script, best.plan, samples)
  if not text then
    return nil, page
  elseif text:find(anchors.ID, 1, true) then
    say "WRONG: an id stands between two calls, where this cannot say it; U+FFFC is in its place"
  end
  return { script = text, page = page, report = table.concat(report, "\n"), explained = explained }
end

return M
