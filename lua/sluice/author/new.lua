--- `sluice new`: a script to start from, and a page of its examples.

local laws = require "sluice.author.laws"
local streams = require "sluice.stream"
local json = require("sluice.core").json
local lists = require "sluice.lists"

local M = {}

local script = [=[
--- NAME: describe the calls in one line, and name the models that write them.

return s.syntax {
  api = 3,
  name = "NAME",

  -- A block of one call: literals and words, in order. White space at the edge of a literal is written as it is and read as any
  -- amount. s.tok "<call>" is a special token of the model, which a server must keep. docs/vocabulary.md describes the words. Other
  -- examples of blocks:
  --   { "<call>\n", s.json(), "\n</call>" }                       a JSON object with "name" and "arguments"
  --   { "[CALLS]", s.json { each = "*" } }                        a list of them
  --   { "<call=", s.name(), ">\n", s.params { "<p=", s.key(), ">", s.value(), "</p>\n" }, "</call>" }    tags
  --   { "[", s.calls { s.name(), "(", s.args "python", ")", between = ", " }, "]" }                      Python
  call = { s.tok "<call>", s.name(), "\n", s.args(), "\n", s.tok "</call>" },
  between = "\n",

  -- Reasoning before the answer, and end-of-turn tokens.
  -- think = { "<think>\n", "\n</think>\n\n" },
  -- stop = { "<|im_end|>" },

]=]

local starting = {
  { text = '<call>get_weather\n{"city": "Paris"}\n</call>', calls = { { name = "get_weather", arguments = { city = "Paris" } } } },
  { text = "One moment.\n<call>now\n{}\n</call>", content = "One moment.\n", calls = { { name = "now", arguments = {} } } },
}

-- The end of a script after its description.
local ending = [=[
  -- Model-name prefixes (for `sluice parse -m`); or `origin`, for a format that belongs to no model.
  -- models = { "My-Model" },
  origin = "ORIGIN",
  source = "https://example.org/where-the-format-is-described",

  -- `sluice check` parses these texts, and writes the calls again.
  examples = {
EXAMPLES  },
CLOSE
]=]

local dialect = [=[
--- NAME: like LIKE, with these differences.

return inherit("LIKE", {
  api = 3,
  name = "NAME",
  -- Any field of LIKE can be replaced: call, think, stop, ...; or only text in its literals:
  -- literals = { ["<tool_call>"] = "<call>", ["</tool_call>"] = "</call>" },
]=]

-- A value as a Lua literal on one line. The members of an object keep their order.
function M.literal(value)
  local kind = json.kind(value)
  if kind == "object" then
    local keys = json.keys(value)
    local plain = #keys == 1 and keys[1]:match "^[%a_][%w_]*$"
    local list = #keys > 0 and "{ " .. lists.join(keys, function(key)
      return (plain and "%s = %s" or "{ %s, %s }"):format(plain or M.literal(key), M.literal(value[key]))
    end, ", ") .. " }" or "{}"
    return (plain or #keys == 0) and list or "s.ordered " .. list
  elseif kind == "array" then
    return "{ " .. lists.join(value, M.literal, ", ") .. " }"
  elseif kind == "string" then
    local quoted = ("%q"):format(value):gsub("\\\n", "\\n")
    if value:find('"', 1, true) and not value:find("'", 1, true) then
      quoted = "'" .. quoted:sub(2, -2):gsub('\\"', '"') .. "'"
    end
    return quoted
  end
  return tostring(value)
end

-- An example as Lua text for a script.
local function example_text(example)
  local out = { ("    {\n      text = %s,\n"):format(M.literal(example.text)) }
  out[2] = example.tools and ("      tools = %s,\n"):format(M.literal(example.tools)) or nil
  for _, field in ipairs { "content", "reasoning" } do
    out[#out + 1] = example[field] and ("      %s = %s,\n"):format(field, M.literal(example[field])) or nil
  end
  local calls = lists.join(example.calls, function(call)
    return ("{ %s }"):format(lists.join({ "name", "id", "extra", "arguments" }, function(field)
      return call[field] and ("%s = %s"):format(field, M.literal(json.decode(json.encode(call[field])))) or nil
    end, ", "))
  end, ", ")
  out[#out + 1] = calls ~= "" and ("      calls = { %s },\n"):format(calls) or "      calls = {},\n"
  out[#out + 1] = (example.deviates and "      deviates = true,\n" or "") .. "    },\n"
  return table.concat(out)
end

-- A script's examples and their events, in Markdown.
local function page(plan, host)
  return ("# %s\n"):format(plan.syntax.name) .. lists.join(plan.syntax.examples, function(example, i)
    local stream = streams.open(plan, example.tools and host.tools(example.tools) or nil, { markup = true })
    return ("\n## example %d\n~~~ in\n%s\n~~~\n~~~ out\n%s\n~~~\n"):format(i, example.text,
      laws.lines(laws.events(stream, example.text, 0)))
  end)
end

-- The script with this beginning and these examples, and its page; or nil and a message.
local function finished(host, name, beginning, origin, examples)
  local text = beginning .. ending:gsub("%u%u%u+", { ORIGIN = origin, EXAMPLES = lists.join(examples, example_text),
    CLOSE = beginning:find("inherit(", 1, true) and "})" or "}" })
  local plan, message = host.compile(text, name .. ".lua")
  if not plan then
    return nil, message
  end
  return text, page(plan, host)
end

--- inferred(host, name, beginning, plan, samples) -> the script and its page; or nil and a message. `beginning`: the script's text up to
-- the examples; `plan`: its plan; `samples`: { text, calls } each.
function M.inferred(host, name, beginning, plan, samples)
  local examples = lists.map(samples, function(sample)
    local example = { text = sample.text, calls = sample.calls }
    local function read(tools)
      local result = streams.whole(streams.open(plan, tools, {}), sample.text)
      example.content, example.reasoning = result.content, result.reasoning
      return not laws.difference(sample.calls, result.calls)
    end
    local same = read(nil)
    if not same then -- the text does not show the types of values
      example.tools = json.encode(laws.tools_for(sample.calls), ", ", ": ")
      same = read(host.tools(example.tools))
    end
    if not example.content and not example.reasoning then
      example.deviates = host.render(plan, sample.calls) ~= sample.text or nil
    end
    return same and example or nil
  end)
  local head = ("--- %s: inferred from samples by `sluice infer`; check that the description is what you mean.\n\n"):format(name)
  return finished(host, name, head .. beginning, "sluice infer", examples)
end

--- new.files(host, name, like) -> the script, its page; or nil and a message. `like`: the parent syntax of a dialect, or nil.
function M.files(host, name, like)
  if type(name) ~= "string" or not name:match "^[%w_.-]+$" then
    return nil, "a name must consist of letters, digits, '_', '-' and '.'"
  elseif not like then
    return finished(host, name, script:gsub("NAME", name) .. "", "sluice new", starting)
  end
  local parent, message = host.plan(like)
  if not parent or parent.names then
    return nil, message or ("'%s' only recognises formats: name one syntax"):format(like)
  end
  local examples = lists.map(parent.syntax.examples, function(example)
    return not example.tools and example or nil
  end)
  return finished(host, name, dialect:gsub("%u%u%u+", { NAME = name, LIKE = parent.syntax.name }) .. "", "sluice new --like " .. like,
    examples)
end

return M
