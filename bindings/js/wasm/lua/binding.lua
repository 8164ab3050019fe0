--- The JavaScript package's interface to the library's Lua modules: each function takes the registry of syntaxes and JSON text, and
-- returns JSON text, or nil and a message.

local core = require "sluice.core"
local explain = require "sluice.author.explain"
local strings = require("sluice.author.describe").array
local json = core.json

local M = {}

local function encode(fields)
  return json.encode(json.object(fields))
end

-- Returns a JSON value, or JSON's null for nil.
local function or_null(value)
  return value == nil and json.null or value
end

-- Returns a function that calls work(plan, asked, registry) with the plan of the requested syntax.
local function of_syntax(work)
  return function(registry, text)
    local asked = registry.options(text)
    local plan, why = registry.plan(asked.syntax)
    if not plan then
      return nil, why
    end
    return work(plan, asked, registry)
  end
end

--- { path, text } -> { name }: loads a script.
function M.load(registry, text)
  local asked = registry.options(text)
  local name, why = registry.load_memory(asked.text, asked.path)
  return name and encode { { "name", name } }, why
end

--- { path, text, look } -> { passes, verdict }.
function M.check(registry, text)
  local asked = registry.options(text)
  -- the script's text replaces the file at its path
  local host = setmetatable({
    load_file = function(path)
      return registry.load_memory(asked.text, path)
    end,
  }, { __index = registry })
  local verdict, why = require("sluice.author.check").check(host, asked.path, asked.look == true)
  return encode { { "passes", verdict ~= nil }, { "verdict", verdict or why } }
end

--- { samples, calls?, name } -> { script, page, report, explained }.
function M.infer(registry, text)
  return registry.tool("infer", text)
end

--- { syntax, text, tools?, options? } -> { text }.
function M.explain(registry, text)
  local lines, why = explain.explain(registry, registry.options(text))
  return lines and encode { { "text", lines } }, why
end

--- { syntax, text, tools?, options? } -> { steps }: the tried words, as a list of { start, end, taken, waits,
-- depth, word, line, why }.
function M.steps(registry, text)
  local list = json.array()
  local _, why = explain.explain(registry, registry.options(text), function(step)
    list[#list + 1] = json.object {
      { "start", step.from }, { "end", step.to }, { "taken", step.taken == true and step.to > step.from }, { "waits", step.waits == true },
      { "depth", step.depth }, { "word", step.word }, { "line", or_null(step.line) }, { "why", or_null(step.why) },
    }
  end)
  return not why and encode { { "steps", list } } or nil, why
end

--- { syntax, held } -> { literals }: the literals that begin with the held bytes, to show why they are held.
M.literals = of_syntax(function(plan, asked)
  local list, seen = json.array(), {}
  for _, literal in ipairs(require("sluice.author.laws").literals(plan.syntax)) do
    local mark = literal:match "^%s*(.-)%s*$"
    if mark ~= "" and #mark >= #asked.held and mark:sub(1, #asked.held) == asked.held and not seen[mark] then
      seen[mark] = true
      list[#list + 1] = mark
    end
  end
  return encode { { "literals", list } }
end)

--- { syntax } -> { name, path, script, stop, special, examples }.
M.describe = of_syntax(function(plan, _, registry)
  local entry = registry.by_name[plan.syntax.name]
  local examples = json.array()
  for i, example in ipairs(plan.syntax.examples or {}) do
    local tools = example.tools
    examples[i] = json.object {
      { "text", example.text }, { "content", or_null(example.content) }, { "reasoning", or_null(example.reasoning) },
      { "tools", type(tools) == "string" and json.decode(tools) or or_null(tools) },
    }
  end
  return encode {
    { "name", plan.syntax.name }, { "path", entry and entry.path or json.null }, { "script", entry and entry.text or json.null },
    { "parent", or_null(plan.syntax.parent) }, { "stop", strings(plan.syntax.stop) }, { "special", strings(plan.syntax.special) },
    { "examples", examples },
  }
end)

--- { body, from } -> { choices }: the text of each choice of a captured response, as a list of { choice, text }. Leaves out what
-- the server parsed itself.
function M.unwrap(registry, text)
  local asked = registry.options(text)
  local parts, order = {}, {}
  local function none() end
  local function take(part, bytes)
    part[#part + 1] = bytes
    return none
  end
  local decoder = require("sluice.wire").decoder(asked.from, function(number)
    order[#order + 1], parts[number] = number, { feed = take, finish = take }
    return parts[number]
  end)
  decoder:feed(asked.body)
  decoder:finish()
  local choices = json.array()
  for i, number in ipairs(order) do
    choices[i] = json.object { { "choice", number - 1 }, { "text", table.concat(parts[number]) } }
  end
  return encode { { "choices", choices } }
end

return M
