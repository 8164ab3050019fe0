--- `sluice check`: tests a script. Loads and lints it, runs its examples, then tests the laws on texts made from its literals and on calls
-- that are written and parsed again; shrinks whatever fails.

local json = require("sluice.core").json
local ways = require "sluice.ways"
local explain = require "sluice.author.explain"
local laws = require "sluice.author.laws"
local lists = require "sluice.lists"
local streams = require "sluice.stream"

local M = {}

local TEXTS, CALLS = 150, 40 -- random, but the same each time
local TRACE = 24 -- most lines of a trace

-- Shortens a text that fails, by leaving out pieces, as long as it fails.
local function shrink(text, fails)
  local size = math.floor(#text / 2)
  while size >= 1 do
    local at, changed = 1, false
    while at <= #text do
      local less = text:sub(1, at - 1) .. text:sub(at + size)
      if less ~= "" and less ~= text and fails(less) then
        text, changed = less, true
      else
        at = at + size
      end
    end
    if not changed or size > #text then
      size = math.floor(math.min(size, #text) / 2)
    end
  end
  return text
end

local what_laws_say = { "chunking does not matter", "nothing is lost", nil, nil, "arguments are one JSON object",
  "calls written are parsed again", nil, "no script fails" }

-- The state of a check: its lines and counts, and the means to run the syntax. Tools, here and below: JSON text, or nil.
local Check = {}
Check.__index = Check

function Check:say(text, ...)
  self.lines[#self.lines + 1] = text:format(...)
end

function Check:fault(text)
  self.faults = self.faults + 1
  self.lines[#self.lines + 1] = "  WRONG   " .. text:gsub("\n", "\n          ")
end

function Check:hint(text)
  self.hints = self.hints + 1
  self.lines[#self.lines + 1] = "  note    " .. text
end

-- Reports fields that are missing.
function Check:lint(description)
  if not (description.models or description.origin) then
    self:fault "`models` and `origin` are missing: add `models = { \"Beginning of a model's name\" }`, or `origin`"
  end
  if not description.source then
    self:fault "`source` is missing: add a link to a description of the format, `source = \"https://...\"`"
  end
  if #(description.examples or {}) == 0 then
    self:fault "it has no examples: add `examples = { { text = ..., calls = { { name = ..., arguments = { ... } } } } }`"
  end
end

function Check:stream(options, tools)
  return streams.open(self.plan, tools and self.host.tools(tools) or nil, options)
end

function Check:parse(text, tools)
  return streams.whole(self:stream({}, tools), text)
end

-- The trace of a text, below its error.
function Check:traced(text, tools)
  local steps = explain.explain(self.host, { syntax = self.name, text = text,
    tools = type(tools) == "string" and json.decode(tools) or tools })
  local out = {}
  for line in ((steps or "") .. "\n"):gmatch "([^\n]*)\n" do
    out[#out + 1] = #out < TRACE and "\n  " .. line or #out == TRACE and "\n  ..." or nil
  end
  return table.concat(out)
end

-- Returns true if the text keeps the laws; else reports the smallest text that does not.
function Check:keeps(text, options, cuts, tools)
  options.markup = true
  local opened = self:stream(options, tools)
  local whole, law, wrong = laws.keeps(opened, text, cuts)
  if whole then
    return true
  end
  local small = shrink(text, function(less)
    local good, other = laws.keeps(opened, less, { 1, 2, 3 })
    return not good and other == law
  end)
  local _, again, why = laws.keeps(opened, small, { 1, 2, 3 })
  self:fault(("law %d (%s) fails for %s\n%s"):format(law, what_laws_say[law], json.encode(small), again == law and why or wrong)
    .. self:traced(small, tools))
  return false
end

-- The place where two texts first differ, from 0.
local function parting(want, got)
  local at = 1
  while want:byte(at) == got:byte(at) do
    at = at + 1
  end
  return at - 1
end

-- The error of an example, or nil; and true if only its rendering differs.
function Check:wrong_with(example)
  local result = self:parse(example.text, example.tools)
  local wrong = laws.difference(example.calls, result.calls)
  local separated = wrong and json.encode(result.errors):find "missing tag: "
  wrong = separated and wrong .. "; a literal that stands only between two parameters is `between` of s.params" or wrong
  wrong = wrong and not example.tools and self.plan.syntax.has.given and wrong .. "; with s.given an example needs its `tools`" or wrong
  for _, problem in ipairs(result.errors) do
    self.raised = self.raised or problem.code == "script_error"
    wrong = problem.code == "script_error" and problem.message or wrong
  end
  for _, field in ipairs { "content", "reasoning" } do
    if not wrong and example[field] ~= result[field] then
      wrong = ("its %s is %s instead of %s"):format(field, json.encode(result[field] or json.null),
        json.encode(example[field] or json.null))
    end
  end
  if not wrong and not example.deviates and #example.calls > 0 and not example.content and not example.reasoning then
    local text, why = self.host.render(self.plan, example.calls)
    if text ~= example.text then
      return text and ("its calls are written as %s; they differ from byte %d; set `deviates = true` if this is intended")
        :format(json.encode(text), parting(example.text, text)) or ("its calls cannot be written: %s"):format(why), true
    end
  end
  return wrong
end

-- Notes where an example is cut and its calls are complete all the same, with other arguments.
function Check:note_cut(example)
  for at = 1, #example.text - 1 do
    for i, call in ipairs(self:parse(example.text:sub(1, at), example.tools).calls) do
      local whole = example.calls[i]
      if whole and call.status == "complete" and laws.difference({ whole }, { call }) then
        return self:hint(("an example cut behind byte %d gives a complete call with other arguments, %s%s"):format(at, call.arguments,
          self.plan.syntax.has.lines and " (in s.lines, ask l.ended())" or ""))
      end
    end
  end
end

function Check:examples()
  local good, list = 0, self.plan.syntax.examples or {}
  for i, example in ipairs(list) do
    local wrong, in_writing = self:wrong_with(example)
    local cuts = {}
    for chunk = 1, math.min(#example.text, 64) do
      cuts[chunk] = chunk
    end
    if wrong then
      self:fault(("example %d, %s,\n%s"):format(i, json.encode(example.text), wrong)
        .. (in_writing and "" or self:traced(example.text, example.tools))) -- no trace if parsing is right
    elseif self:keeps(example.text, {}, cuts, example.tools) then
      good = good + 1
      self:note_cut(example)
    end
  end
  self:say("  examples     %d of %d", good, #list)
end

function Check:texts(random)
  local marks, tried = laws.literals(self.plan.syntax), 0
  for _ = 1, TEXTS do
    local text = laws.random_text(random, marks)
    local options = { calls = random(4) == 1 and "whole" or nil, start = random(4) == 1 and "reasoning" or nil }
    if not self:keeps(text, options, { 1, 2, 3, laws.random_cut(random, text) }) then
      break
    end
    tried = tried + 1
  end
  self:say("  any text     %d tried, in several chunkings", tried)
end

-- Returns true if the text of these calls parses to them; else reports it.
function Check:reads_back(calls, text, random)
  local tools = json.encode(laws.tools_for(calls))
  local wrong = laws.difference(calls, self:parse(text, tools).calls)
  if wrong then
    self:fault(("law 6 (%s) fails for %s\nwritten for %s: %s"):format(what_laws_say[6], json.encode(text),
      json.encode(calls), wrong) .. self:traced(text, tools))
    return false
  end
  return self:keeps(text, {}, { 1, 2, 3, 4, 5, 7, 11, laws.random_cut(random, text), laws.random_cut(random, text) }, tools)
end

-- Returns true if the first of these calls, which are written as `whole`, is read back without some optional literals; else reports it.
function Check:reads_without(calls, whole, random)
  function self.plan.leaves()
    return random(2) == 1
  end
  local text, why = self.host.render(self.plan, { calls[1] })
  self.plan.leaves = nil
  if not text then
    self:fault("without an optional literal a call is not read back: " .. why)
  end -- where only the end is left out, a value may have no end
  return text and (whole:sub(1, #text) == text or self:reads_back({ calls[1] }, text, random))
end

function Check:calls(random)
  local carried, refused, reason = 0, 0, nil
  for _ = 1, CALLS do
    local calls = laws.random_calls(random, self.plan.syntax)
    local text, why, code = self.host.render(self.plan, calls)
    if not text and code ~= "refused" then
      self:fault("calls cannot be written: " .. tostring(why))
      break
    elseif not text then
      refused, reason = refused + 1, why
    elseif self:reads_back(calls, text, random) and self:reads_without(calls, text, random) then
      carried = carried + 1
    else
      break
    end
  end
  self:say("  any call     %d written and parsed again, %d refused%s", carried, refused, reason and " (" .. reason .. ")" or "")
  if carried < refused and self.faults == 0 then
    self:fault(carried == 0 and "none of these calls can be written" or "most of these calls cannot be written")
  end
end

-- Notes aliases that other syntaxes have, too.
function Check:aliases()
  local mine = self.plan.syntax.aliases or {}
  for _, one in ipairs(mine[1] and self.host.list() or {}) do
    local names = lists.set(one.name ~= self.name and lists.joined({ one.name }, one.aliases) or {})
    for _, alias in ipairs(mine) do
      if names[alias] then
        self:hint(("its alias '%s' is a name of the syntax '%s', too"):format(alias, one.name))
      end
    end
  end
end

-- Tries the other directions: grammars and prompts.
function Check:directions()
  local description = self.plan.syntax
  local tools = self.host.tools(json.encode(laws.tools_for(ways.of(description) and { (laws.long_call(description, "a")) }
    or { { name = "f", arguments = json.object { { "x", "a" } } } })))
  local can = {}
  for _, target in ipairs { "lark", "gbnf", "structural-tag" } do
    local made, text, why = pcall(self.host.grammar, self.plan, tools, target, { tool_choice = "required" })
    can[#can + 1] = made and text and target or nil
    if can[#can] ~= target then
      self:hint("no grammar: " .. tostring(made and why or text))
    end
  end
  local made, text, why, code = pcall(self.host.prompt, self.plan, tools, {})
  if not (made and text) then
    self[code == "refused" and "hint" or "fault"](self, "no prompt: " .. tostring(made and why or text))
  end
  self:say("  grammars     %s", #can > 0 and table.concat(can, ", ") or "none")
end

--- check.check(host, path[, look]) -> a report of some lines; or nil and the report, if the script does not pass. `look`: only the quick
-- part: lint and examples.
function M.check(host, path, look)
  local name, message = host.load_file(path)
  local plan
  if name then
    plan, message = host.plan(name)
  end
  if not plan then
    return nil, message
  end
  local self = setmetatable({ host = host, plan = plan, name = name, lines = {}, faults = 0, hints = 0 }, Check)
  self:say("%s: the syntax '%s'", path, name)
  self:lint(plan.syntax)
  if host.by_name[name].hides then
    self:hint(("it takes the place of the library's own syntax '%s': give it another name to have both"):format(name))
  end
  local random = laws.random(#name * 7919)
  for _, part in ipairs(look and { "examples" } or { "aliases", "examples", "texts", "calls", "directions" }) do
    local good, wrong = pcall(self[part], self, random)
    if not good then -- the time is over: what was found before is reported
      self:fault(wrong)
    end
    if not good or self.raised then -- where an example raises, many texts would, each after some time
      break
    end
  end
  if not look then
    self:say("  %s%s", self.faults == 0 and "passes" or ("DOES NOT PASS: %d to fix"):format(self.faults),
      self.hints > 0 and (", %d note%s"):format(self.hints, self.hints == 1 and "" or "s") or "")
  end
  local report = table.concat(self.lines, "\n")
  if look or self.faults == 0 then
    return report
  end
  return nil, report
end

return M
