--- `sluice trace --explain`: what of a description is tried at which byte of a text, what it waits for, why it is rejected.
--
-- The description is compiled once more, with each of its words wrapped; the text is fed byte by byte, so that what a word has seen
-- when it is done is what it had to see.

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
  if node.word == "literal" then
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
    for _, option in ipairs { "key", "name", "arguments", "what", "quote" } do
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

-- What watches a stream: a tree of steps for each block that was tried. `lines`: where they go.
local function watcher(lines)
  local self, stack, current = {}, {}, nil
  local function say(depth, range, what, said)
    local text = ("%-11s%s%s"):format(range, ("  "):rep(depth), what)
    lines[#lines + 1] = said == "" and text or ("%-62s %s"):format(text, said)
  end
  local function print_step(step, depth)
    local from, to = step.from, step.to
    local said
    if step.ok == nil then
      said = ("waits for more from byte %d on"):format(step.at or from)
    elseif step.ok then
      said = step.seen and step.seen > to and ("stands; decided with byte %d"):format(step.seen) or "stands"
      said = to == from and not step.takes and "passed over" or said
    else
      said = ("NO: %s"):format(step.why)
    end
    local where = line_of(step.node)
    say(depth, step.ok and ("%d-%d"):format(from, to) or tostring(from), describe(step.node),
      said .. (step.ok == false and where ~= "" and " (" .. where .. ")" or ""))
    for _, child in ipairs(step) do
      print_step(child, depth + 1)
    end
  end

  --- Prints what was tried since `open`, if anything was.
  function self.flush(ending)
    if not self.start then
      return
    end
    say(0, tostring(self.start), current.opener, "")
    for _, part in ipairs(current) do
      if part.text then
        say(1, "", part.text, "")
      else
        print_step(part, 1)
      end
    end
    say(1, "", ending, "")
    self.start, self.ending, current, stack = nil, nil, nil, {}
  end

  local function top()
    return stack[#stack] or current
  end

  --- A function that reads blocks, watched. The literals: by the numbers of what may begin one.
  function self.open(main, in_text, in_reasoning)
    return function(st, item, tools, set, start, reasoning)
      self.flush "it was none: text again" -- one that was given up while it waited
      local literal = item and (reasoning and in_reasoning or in_text)[item]
      self.start = start
      current = { opener = ("%s may begin a block%s"):format(literal and json.encode(literal) or "what stands here",
        reasoning and ", in reasoning" or "") }
      local ok = main(st, item, tools, set, start, reasoning)
      self.ending = ok and "it was a block" or "it was none: text again"
      return ok
    end
  end

  --- One of several ways to read what stands here, told by `text`: a block of a description, or a syntax.
  function self.way(text, run)
    return function(...)
      table.insert(top(), { text = text })
      return run(...)
    end
  end

  --- A word, watched.
  function self.step(node, run)
    return function(st, c)
      if not current then
        return run(st, c)
      end
      local step = { node = node, from = st:pos() }
      table.insert(top(), step)
      stack[#stack + 1] = step
      local depth = #stack
      local ok = run(st, c)
      for i = #stack, depth, -1 do
        stack[i] = nil
      end
      step.ok, step.to, step.seen = ok and true or false, st:pos(), st:option "seen"
      step.takes = node.word ~= "literal" and #step > 0 or step.to > step.from
      if not ok then
        local from = step.from
        local stop = math.min(step.seen, from + 24)
        local good, there = pcall(st.text, st, from, stop)
        there = good and there:gsub("[\192-\255][\128-\191]*$", "") or "" -- which may be cut
        step.why = c.b.wrong or (there ~= "" and json.encode(there) .. " stands there"
          or (st:option "at_end" and "the text ends" or "it is not there"))
      end
      return ok
    end
  end

  --- Where reading stands now, for what waits.
  function self.note(at)
    for _, step in ipairs(stack) do
      step.at = at
    end
  end
  return self
end

--- explain(host, asked) -> lines; or nil and a sentence. asked: { syntax, text, tools (JSON value), options }.
function M.explain(host, asked)
  local lines = {}
  local watch = watcher(lines)
  local plan, message = host.plan(asked.syntax, watch)
  if not plan then
    return nil, message
  end
  plan.main = watch.open(plan.main, plan.literals.text.list, plan.literals.reasoning.list)
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
  local raw, wrong = core.stream(plan, tools, options)
  if not raw then
    return nil, wrong
  end
  local stream = streams.new(raw)
  local told = {} -- events that are not printed yet
  local function print_events(before)
    while told[1] and (not before or told[1].last <= before) do
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
    watch.note(i)
  end
  take(stream:finish())
  finish "the text ended"
  return table.concat(lines, "\n")
end

return M
