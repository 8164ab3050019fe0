--- `sluice trace --explain`: shows what is tried at which byte of a text, what it waits for, and why it is rejected.
--
-- The core reports each instruction that it runs. The text is fed byte by byte, so an instruction has seen exactly the bytes that it
-- needed.

local core = require "sluice.core"
local laws = require "sluice.author.laws"
local lists = require "sluice.lists"
local streams = require "sluice.stream"

local json = core.json
local M = {}

-- Instructions that only lead to others are not shown.
local silent = lists.set [[commit params params_back calls call jump between_end close section_end call_end call_bad
  params_next]]

-- Watches a stream of this text, and records what each instruction found. `lines`: receives the output. `record` (may be nil)
-- receives each step as { word, line, depth, from, to, taken, waits, why }: offsets from 0, `line` of the script or nil.
local function watcher(lines, text, record)
  local self = {}
  local steps, opener, waiting = {}, nil, nil
  local function say(depth, range, what, said)
    local line = ("%-11s%s%s"):format(range, ("  "):rep(depth), what)
    lines[#lines + 1] = said == "" and line or ("%-62s %s"):format(line, said)
  end

  -- What was found in place of a word. White space alone is skipped, since most words skip it.
  local function there(from, seen)
    local word = text:match("^%s*()[^%s]", from + 1)
    seen = word and text:sub(from + 1, seen):find "^%s*$" and word + 7 or seen
    local piece = text:sub(from + 1, math.min(seen, from + 24)):gsub("[\192-\255][\128-\191]*$", "") -- which may be cut
    return piece ~= "" and "found " .. json.encode(piece) or "the text ends"
  end

  local function print_step(step)
    if step.text then
      return say(1, "", step.text, "")
    end
    local from, to, shown = step.from, step.to, step.node:shown()
    local line = step.node.place and step.node.place:match ":(%d+): $"
    local why = (step.verdict == "fails" or step.verdict == "refuses") and (step.why or there(from, step.seen)) or nil
    local said
    local range = tostring(from)
    if step.is_choice then
      said = "tries"
    elseif not step.verdict then
      said = ("waits for more from byte %d"):format(self.at or from)
    elseif why then
      said = ("NO: %s%s"):format(why, line and (" (line %s)"):format(line) or "")
    elseif to < from then -- the text after a value was read to confirm its end
      said = ("ended at byte %d, confirmed by what follows"):format(to)
    else
      range = ("%d-%d"):format(from, to)
      said = to == from and "skipped" or step.seen > to and ("matches; decided at byte %d"):format(step.seen) or "matches"
    end
    say(step.depth, range, shown, said)
    if record then
      record { word = shown, line = tonumber(line), depth = step.depth, from = from, to = to or self.at or from, why = why,
        taken = step.verdict and not why and not step.is_choice, waits = not step.verdict and not step.is_choice }
    end
  end

  --- Prints what was tried since a block began, if any.
  function self.flush(ending)
    if not self.start then
      return
    end
    say(0, tostring(self.start), opener, "")
    for _, step in ipairs(steps) do
      print_step(step)
    end
    say(1, "", ending, "")
    self.start, self.ending, steps, waiting = nil, nil, {}, nil
  end

  -- Begins or resumes a step.
  local function before(pos, plan, pc)
    local program = plan.program
    local way = plan.ways[pc]
    if waiting and waiting.pc == pc and waiting.plan == plan then
      return
    end
    if way or plan ~= self.plan then
      local heading = { self.many and ("as %s:"):format(plan.syntax.name) or nil }
      heading[#heading + 1] = plan.ways.count > 1 and way or nil
      steps[#steps + 1] = heading[1] and { text = table.concat(heading, " ") } or nil
    end
    self.plan = plan
    waiting = { pc = pc, plan = plan, from = pos, node = program.nodes[pc + 1], depth = program.depths[pc + 1],
      is_choice = program.names[pc + 1] == "any", silent = silent[program.names[pc + 1]] or not program.nodes[pc + 1] }
    if not waiting.silent then
      steps[#steps + 1] = waiting
    end
  end

  --- Called by the core for each step.
  function self.watch(what, said, pos, seen, plan, pc, why, in_reasoning)
    if what == "open" then
      self.flush(self.ending or "not a call: text again") -- the block before, if it was given up while waiting or ended at this byte
      self.start, self.plan = pos, nil
      opener = ("%s may begin a block%s"):format(said and json.encode(said) or "this text",
        in_reasoning and ", in reasoning" or "")
    elseif what == "close" then
      self.ending = said == "closed" and "end of the block" or "not a call: text again"
    elseif what == "before" then
      before(pos, plan, pc)
    elseif said ~= "waits" and waiting then
      waiting.verdict, waiting.to, waiting.seen, waiting.why = said, pos, seen, why
      waiting = nil
    end
  end
  return self
end

--- explain(host, request[, record]) -> lines; or nil and a message. request: { syntax, text, tools (JSON value), options,
-- unfinished = true if the text goes on }. `record`: as of the watcher above.
function M.explain(host, request, record)
  local lines = {}
  local watch = watcher(lines, request.text, record)
  local plan, message = host.plan(request.syntax)
  local entry = plan and host.by_name[plan.syntax.name]
  if entry and entry.ours then -- with the places of its words
    plan = host.compile(entry.text, entry.path)
  end
  if not plan then
    return nil, message
  end
  watch.many = plan.names ~= nil
  local tools
  if json.kind(request.tools) ~= "null" then
    tools, message = host.tools(json.encode(request.tools))
    if not tools then
      return nil, message
    end
  end
  local raw, wrong = core.stream(plan, tools, lists.copy(request.options or {}, { markup = true }), watch.watch)
  if not raw then
    return nil, wrong
  end
  local stream = streams.new(raw)
  local pending = {} -- events not yet printed
  local function print_events(before)
    while pending[1] and (not before or pending[1].last < before or pending[1].last == before and pending[1].type ~= "error") do
      local event = table.remove(pending, 1)
      event.text = event.pieces and table.concat(event.pieces) or event.text
      event.index = event.index and event.index - 1 -- from 0, as offsets are
      lines[#lines + 1] = "=> " .. laws.lines { event }
    end
  end
  -- Prints a finished block: what came before it, what was tried, the result.
  local function finish(ending)
    if watch.start then
      print_events(watch.start)
      watch.flush(ending)
    end
    print_events()
  end
  local function take(events)
    for event in events do
      local last = pending[#pending]
      local tried = watch.start and event.type == "markup" -- shown by the steps
      if not tried and last and last.type == event.type and last.text and last.index == event.index then
        last.pieces = last.pieces or { last.text }
        last.pieces[#last.pieces + 1], last.last = event.text, event.last
      elseif not tried then
        pending[#pending + 1] = event
      end
    end
    if watch.ending then
      finish(watch.ending)
    end
  end
  for i = 1, #request.text do
    take(stream:feed(request.text:sub(i, i)))
    watch.at = i
  end
  if request.unfinished then
    finish "it waits for more"
  else
    take(stream:finish())
    finish "the text ended"
  end
  return table.concat(lines, "\n")
end

return M
