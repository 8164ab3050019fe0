--- `sluice new`: a script and its corpus page to start from.

local laws = require "sluice.author.laws"
local streams = require "sluice.stream"
local core = require "sluice.core"

local M = {}

local script = [=[
--- NAME: say here in a line what calls look like, and which models write them so.

local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "NAME",
  -- Whose format it is: beginnings of model names (`sluice parse -m`), or, where no model was made for it, where it comes from.
  -- models = { "My-Model" },
  origin = "sluice new",
  source = "https://example.org/where-the-format-is-described",
  -- Tokens that a server must not leave out when it turns tokens into text.
  special = { "<call>", "</call>" },

  -- A block of one call: literals and words, in order. White space at the edge of a literal is written as it stands and read
  -- as any. The words are told in docs/vocabulary.md; some others that may stand here:
  --   { "<call>\n", s.object(), "\n</call>" }                      a JSON object with "name" and "arguments"
  --   { "[CALLS]", s.array(s.object()) }                            a list of them
  --   { "<call=", s.name(), ">\n", s.parameters { "<p=", s.key(), ">", s.value(), "</p>\n" }, "</call>" }    tags
  --   { "[", s.calls { s.name(), "(", s.arguments "kwargs", ")", between = ", " }, "]" }                     Python
  call = { "<call>", s.name(), "\n", s.arguments(), "\n</call>" },
  between = "\n",

  -- Text before the answer that is not for the user, and what ends a turn.
  -- reasoning = { open = "<think>\n", close = "\n</think>\n\n" },
  -- stop = { "<|im_end|>" },

  -- What is read here is tested by `sluice check NAME.lua`, and written back as it stands.
  examples = {
    {
      text = '<call>get_weather\n{"city": "Paris"}\n</call>',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
    {
      text = 'One moment.\n<call>now\n{}\n</call>',
      content = "One moment.\n", calls = { { name = "now", arguments = {} } },
    },
  },
}
]=]

local dialect = [=[
--- NAME: as LIKE, but for what stands here.
WORDS
return inherit("LIKE", {
  name = "NAME",
  -- Whose format it is: beginnings of model names (`sluice parse -m`), or, where no model was made for it, where it comes from.
  -- models = { "My-Model" },
  origin = "sluice new --like LIKE",
  source = "https://example.org/where-the-format-is-described",
  -- Any field of LIKE may be given anew: call, reasoning, stop, ...; or only other text in its literals:
  -- literals = { ["<tool_call>"] = "<call>", ["</tool_call>"] = "</call>" },
  examples = {
EXAMPLES  },
})
]=]

-- A value as Lua writes it, on one line. The members of an object keep their order.
function M.literal(value)
  local kind = core.json.kind(value)
  if kind == "object" then
    local keys, members = core.json.keys(value), {}
    local plain = #keys == 1 and keys[1]:match "^[%a_][%w_]*$"
    for i, key in ipairs(keys) do
      members[i] = plain and ("%s = %s"):format(key, M.literal(value[key])) or ("{ %s, %s }"):format(M.literal(key), M.literal(value[key]))
    end
    local list = #members > 0 and "{ " .. table.concat(members, ", ") .. " }" or "{}"
    return (plain or #members == 0) and list or "s.ordered " .. list
  elseif kind == "array" then
    local items = {}
    for i, item in ipairs(value) do
      items[i] = M.literal(item)
    end
    return "{ " .. table.concat(items, ", ") .. " }"
  elseif kind == "string" then
    local quoted = ("%q"):format(value):gsub("\\\n", "\\n")
    if value:find('"', 1, true) and not value:find("'", 1, true) then
      quoted = "'" .. quoted:sub(2, -2):gsub('\\"', '"') .. "'"
    end
    return quoted
  end
  return tostring(value)
end

--- example_text(example): an example as a script writes it.
function M.example_text(example)
  local out = { ("    {\n      text = %s,\n"):format(M.literal(example.text)) }
  out[2] = example.tools and ("      tools = %s,\n"):format(M.literal(example.tools)) or nil
  for _, field in ipairs { "content", "reasoning" } do
    out[#out + 1] = example[field] and ("      %s = %s,\n"):format(field, M.literal(example[field])) or nil
  end
  local calls = {}
  for i, call in ipairs(example.calls) do
    local fields = { "name = " .. M.literal(call.name) }
    for _, field in ipairs { "id", "extra", "arguments" } do
      fields[#fields + 1] = call[field] and ("%s = %s"):format(field, M.literal(core.json.decode(core.json.encode(call[field])))) or nil
    end
    calls[i] = ("{ %s }"):format(table.concat(fields, ", "))
  end
  out[#out + 1] = #calls > 0 and ("      calls = { %s },\n"):format(table.concat(calls, ", ")) or "      calls = {},\n"
  out[#out + 1] = (example.deviates and "      deviates = true,\n" or "") .. "    },\n"
  return table.concat(out)
end

-- The page of tests/corpus that shows a script's examples, as they are read now.
local function page(plan, host)
  local out = { ("# %s\n"):format(plan.syntax.name) }
  for i, example in ipairs(plan.syntax.examples) do
    local stream = streams.open(plan, example.tools and host.tools(example.tools) or nil, { markup = true })
    out[#out + 1] = ("\n## example %d\n~~~ in\n%s\n~~~\n~~~ out\n%s\n~~~\n"):format(i, example.text,
      laws.lines(laws.events(stream, example.text, 0)))
  end
  return table.concat(out)
end

-- A script and its page; or nil and a sentence.
local function finished(host, name, text)
  local plan, message = host.compile(text, name .. ".lua")
  if not plan then
    return nil, message
  end
  return text, page(plan, host)
end

--- inferred(host, name, beginning, plan, samples) -> the script, whole, and its page; or nil and a sentence. `beginning`: of its
-- text, up to where examples stand; `plan`: what it gives; `samples`: { text, calls } each.
function M.inferred(host, name, beginning, plan, samples)
  local inherits = beginning:find("inherit(", 1, true) ~= nil
  local examples = {}
  for _, sample in ipairs(samples) do
    local example = { text = sample.text, calls = sample.calls }
    local function read(tools)
      local result = streams.whole(streams.open(plan, tools, {}), sample.text)
      example.content, example.reasoning = result.content, result.reasoning
      return not laws.difference(sample.calls, result.calls)
    end
    local same = read(nil)
    if not same then -- what types the values have, the text does not say
      example.tools = core.json.encode(laws.tools_for(sample.calls), ", ", ": ")
      same = read(host.tools(example.tools))
    end
    if not example.content and not example.reasoning then
      example.deviates = host.render(plan, sample.calls) ~= sample.text or nil
    end
    examples[#examples + 1] = same and M.example_text(example) or nil
  end
  local shown = table.concat(examples)
  local text = ("--- %s: as `sluice infer` read it out of samples; see that it says what is meant.\n%s"):format(name,
    inherits and shown:find("s.ordered", 1, true) and '\nlocal s = require "sluice.syntax"\n\n' or "\n")
    .. beginning .. ([[
  -- Whose format it is: beginnings of model names, or, where no model was made for it, where it comes from.
  -- models = { "My-Model" },
  origin = "sluice infer",
  source = "https://example.org/where-the-format-is-described",
  examples = {
%s  },
%s
]]):format(shown, inherits and "})" or "}")
  return finished(host, name, text)
end

--- new.files(host, name, like) -> the script, its page; or nil and a sentence. `like`: the syntax that it is a dialect of,
-- or nil.
function M.files(host, name, like)
  if type(name) ~= "string" or not name:match "^[%w_-]+$" then
    return nil, "a name is made of letters, digits, '_' and '-'"
  end
  local text
  if like then
    local parent, message = host.plan(like)
    if not parent then
      return nil, message
    end
    local examples = {}
    for i, example in ipairs(parent.syntax.examples) do
      examples[i] = not example.tools and M.example_text(example) or ""
    end
    local shown = table.concat(examples)
    text = dialect:gsub("WORDS", shown:find("s.ordered", 1, true) and '\nlocal s = require "sluice.syntax"\n' or ""):gsub(
      "EXAMPLES", function()
        return shown
      end):gsub("LIKE", parent.syntax.name):gsub("NAME", name)
  else
    text = script:gsub("NAME", name)
  end
  return finished(host, name, text)
end

return M
