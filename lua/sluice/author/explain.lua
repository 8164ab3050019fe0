--- `sluice trace --explain`: what of a description is tried at which byte of a text, what it waits for, why it is rejected.
--
-- The core tells each instruction of the program that it runs; the text is fed byte by byte, so that what an instruction has seen when
-- it is done is what it had to see.

local core = require "sluice.core"
local laws = require "sluice.author.laws"
local streams = require "sluice.stream"

local json = core.json
local M = {}

local function short(text, most)
  local out = json.encode(text)
  if #out > most then
    local cut = out:sub(1, most - 4)
    while cut:find "[\128-\191]$" or cut:find "[\192-\255]$" or cut:find "\\$" do
      cut = cut:sub(1, -2)
    end
    out = cut .. '..."'
  end
  return out
end

-- A word as its script has it, in short.
local function describe(node)
  if node.what then
    return ("s.%s %s"):format(node.word, json.encode(node.what))
  elseif node.word == "literal" then
    return short(node.text, 60)
  elseif node.word == "sequence" then
    return node.at and ('{ at = "%s", ... }'):format(node.at) or "{ ... }"
  elseif node.word == "at" then
    return 'at = "line"'
  end
  local inside = {}
  for i = 1, math.min(#node, 3) do
    inside[i] = node[i].word == "literal" and short(node[i].text, 24) or node[i].word .. "()"
  end
  inside[#inside + 1] = #node > 3 and "..." or nil
  if #node == 0 then
    for _, option in ipairs { "key", "name", "arguments", "quote" } do
      local value = node[option]
      inside[#inside + 1] = type(value) == "string" and ("%s = %s"):format(option, json.encode(value)) or nil
    end
  end
  return ("s.%s%s"):format(node.word, #inside > 0 and " { " .. table.concat(inside, ", ") .. " }" or "()")
end

-- Where the script has it: "line 7", or nothing.
local function line_of(node)
  local line = node.place and node.place:match ":(%d+): $"
  return line and "line " .. line or ""
end

-- Instructions that only lead to others.
local silent = { any_end = true, maybe_end = true, params = true, params_back = true, calls = true, call = true, jump = true,
  between_end = true, answer = true, close = true, section_end = true, call_end = true, call_bad = true, params_next = true }

-- Stays in one piece: short functions over what was tried since the block began.
-- What watches a stream of this text: tells of each instruction what it has found. `lines`: where that goes. `record` (may be nil)
-- gets each step as { word, line, depth, from, to, taken, waits, why }: offsets from 0, `line` of the script or nil.
local function watcher(lines, text, record)
  local self = { tried = {} }
  local steps, opener, waiting = {}, nil, nil
  local function say(depth, range, what, said)
    local line = ("%-11s%s%s"):format(range, ("  "):rep(depth), what)
    lines[#lines + 1] = said == "" and line or ("%-62s %s"):format(line, said)
  end

  -- What stands where a word was tried. White space is no answer: most words pass over it.
  local function there(from, seen)
    local word = text:match("^%s*()[^%s]", from + 1)
    seen = word and text:sub(from + 1, seen):find "^%s*$" and word + 7 or seen
    local piece = text:sub(from + 1, math.min(seen, from + 24)):gsub("[\192-\255][\128-\191]*$", "") -- which may be cut
    return piece ~= "" and json.encode(piece) .. " stands there" or "the text ends"
  end

  local function print_step(step)
    local from, to = step.from, step.to
    if step.text then
      say(1, "", step.text, "")
    elseif step.is_choice then
      say(step.depth, tostring(from), describe(step.node), "tries")
    elseif not step.verdict then
      say(step.depth, tostring(from), describe(step.node), ("waits for more from byte %d on"):format(self.at or from))
    elseif step.verdict == "fails" or step.verdict == "refuses" then
      local where = line_of(step.node)
      say(step.depth, tostring(from), describe(step.node),
        ("NO: %s%s"):format(step.why or there(from, step.seen), where ~= "" and " (" .. where .. ")" or ""))
    else
      local said = to == from and "passed over" or step.seen > to and ("stands; decided with byte %d"):format(step.seen) or "stands"
      if to < from then -- a value whose end was in doubt: what follows it was looked at
        say(step.depth, tostring(from), describe(step.node), ("it ended at byte %d: what may follow it stands there"):format(to))
      else
        say(step.depth, ("%d-%d"):format(from, to), describe(step.node), said)
      end
    end
  end

  --- Prints what was tried since a block began, if anything was.
  function self.flush(ending)
    if not self.start then
      return
    end
    say(0, tostring(self.start), opener, "")
    for _, step in ipairs(steps) do
      print_step(step)
      if record and step.node then
        local failed = step.verdict == "fails" or step.verdict == "refuses"
        record { word = describe(step.node), line = tonumber(line_of(step.node):match "%d+"), depth = step.depth, from = step.from,
          to = step.to or self.at or step.from, taken = step.verdict and not failed and not step.is_choice,
          waits = not step.verdict and not step.is_choice, why = failed and (step.why or there(step.from, step.seen)) or nil }
      end
    end
    say(1, "", ending, "")
    self.start, self.ending, steps, waiting = nil, nil, {}, nil
  end

  -- A step begins, or goes on.
  local function before(pos, plan, pc)
    local program = plan.program
    local way = plan.ways[pc]
    if waiting and waiting.pc == pc and waiting.plan == plan then
      return
    end
    if way and #steps > 0 or plan ~= self.plan or way and plan.ways.count > 1 then
      steps[#steps + 1] = { text = ("%s%s"):format(self.many and ("as %s:"):format(plan.syntax.name) or "",
        plan.ways.count > 1 and way and (self.many and " " or "") .. way or "") }
      steps[#steps] = steps[#steps].text ~= "" and steps[#steps] or nil
    end
    self.plan = plan
    waiting = { pc = pc, plan = plan, from = pos, node = program.nodes[pc + 1], depth = program.depths[pc + 1],
      is_choice = program.names[pc + 1] == "any", silent = silent[program.names[pc + 1]] or not program.nodes[pc + 1] }
    if not waiting.silent then
      steps[#steps + 1] = waiting
    end
  end

  local function after(verdict, pos, seen, why)
    local step = waiting
    if verdict == "waits" or not step then
      return
    end
    step.verdict, step.to, step.seen, step.why = verdict, pos, seen, why
    waiting = nil
  end

  --- Is told each step by the core.
  function self.watch(what, said, pos, seen, plan, pc, why, in_reasoning)
    if what == "open" then
      self.flush(self.ending or "it was none: text again") -- one that was given up while it waited, or that ended with this byte, too
      self.start, self.plan, self.tried[pos] = pos, nil, true
      opener = ("%s may begin a block%s"):format(said and json.encode(said) or "what stands here",
        in_reasoning and ", in reasoning" or "")
    elseif what == "close" then
      self.ending = said == "closed" and "it was a block" or "it was none: text again"
    elseif what == "before" then
      before(pos, plan, pc)
    else
      after(said, pos, seen, why)
    end
  end
  return self
end

-- A line of text in which nothing was tried, where a call without a marker could have been meant: a sentence about the first, or nil.
-- `texts`: the ranges of plain text, { first, last }; `tried`: the offsets at which blocks were.
local function untried(plan, text, texts, tried)
  local literals = plan.literals
  if plan.names or not literals or literals.bare == "" or literals.bare_at_line then
    return nil
  end
  for _, range in ipairs(texts) do
    for at, byte in text:gmatch "\n()([^%w%s])" do
      if at >= range[1] and at <= range[2] and not tried[at - 1] and literals.bare:find(byte, 1, true) then
        return ("byte %d: %s was not tried: what has no marker is a call at the start of the message only; at = \"line\" in its list lets "
          .. "it begin a line"):format(at - 1, json.encode(byte))
      end
    end
  end
end

--- explain(host, asked[, record]) -> lines; or nil and a sentence. asked: { syntax, text, tools (JSON value), options,
-- unfinished = true where the text goes on }. `record`: as of the watcher above.
function M.explain(host, asked, record)
  local lines = {}
  local watch = watcher(lines, asked.text, record)
  local plan, message = host.plan(asked.syntax)
  if not plan then
    return nil, message
  end
  watch.many = plan.names ~= nil
  local tools
  if asked.tools and json.kind(asked.tools) ~= "null" then
    tools, message = host.tools(json.encode(asked.tools))
    if not tools then
      return nil, message
    end
  end
  local options = {}
  for _, key in ipairs(asked.options and json.keys(asked.options) or {}) do
    local value = asked.options[key]
    options[key] = json.kind(value) == "number" and tonumber(tostring(value)) or value
  end
  options.markup = true
  local raw, wrong = core.stream(plan, tools, options, watch.watch)
  if not raw then
    return nil, wrong
  end
  local stream = streams.new(raw)
  local told = {} -- events that are not printed yet
  local texts = {} -- where there was plain text
  local function print_events(before)
    while told[1] and (not before or told[1].last < before or told[1].last == before and told[1].type ~= "error") do
      local event = table.remove(told, 1)
      event.text = event.pieces and table.concat(event.pieces) or event.text
      lines[#lines + 1] = "=> " .. laws.lines { event }
    end
  end
  -- A block that was tried is over: what came before it, what was tried, what came of it.
  local function finish(ending)
    if watch.start then
      print_events(watch.start)
      watch.flush(ending)
    end
    print_events()
  end
  local function take(events)
    for event in events do
      local last = told[#told]
      local tried = watch.start and event.type == "markup" -- and shown by what was tried
      texts[#texts + 1] = event.type == "text" and { event.first, event.last } or nil
      if not tried and last and last.type == event.type and last.text and last.index == event.index then
        last.pieces = last.pieces or { last.text }
        last.pieces[#last.pieces + 1], last.last = event.text, event.last
      elseif not tried then
        told[#told + 1] = event
      end
    end
    if watch.ending then
      finish(watch.ending)
    end
  end
  for i = 1, #asked.text do
    take(stream:feed(asked.text:sub(i, i)))
    watch.at = i
  end
  if asked.unfinished then
    finish "it waits for more"
  else
    take(stream:finish())
    finish "the text ended"
  end
  lines[#lines + 1] = untried(plan, asked.text, texts, watch.tried)
  return table.concat(lines, "\n")
end

return M
