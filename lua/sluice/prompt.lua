--- Writes prompts: instructions in plain English that teach a model the format and the tools, with an example from render.

local json = require("sluice.core").json
local ways = require "sluice.ways"
local lists = require "sluice.lists"
local render = require "sluice.render"
local schema = require "sluice.schema.types"
local together = require "sluice.constrain.together"
local word = require "sluice.word"

local M = {}

local samples = { boolean = true, null = json.null, integer = 1, number = 1.5 }

-- Numbers of which a schema's bounds may allow one, the first of them, which is simple, if they allow it.
local function numbers(s, first)
  local step = first == 1 and 1 or 0.5
  return lists.joined({ first }, lists.map({ { "minimum", 0 }, { "maximum", 0 }, { "exclusiveMinimum", step },
    { "exclusiveMaximum", -step }, { "multipleOf", 0 } }, function(bound)
    local n = json.number(s[bound[1]])
    return n and math.abs(n) < 1e15 and n + bound[2] or nil
  end))
end

-- A descriptive text within the schema's length limits.
local function sample_text(s, name)
  local text = "some " .. name:gsub("_", " ")
  local least, most = json.number(s.minLength) or 0, json.number(s.maxLength) or math.huge
  if least > #text and least < 200 then
    text = (text .. " "):rep(math.ceil(least / #text)):sub(1, -2)
  end
  if most < #text and not text:find "[\128-\255]" then
    text = text:sub(1, most):gsub(" $", "s")
  end
  return text
end

-- A sample value for a schema.
local function sample(root, s, name, depth)
  if type(s) ~= "table" or depth > 8 then
    return "..."
  elseif s.const ~= nil then
    return s.const
  elseif type(s.enum) == "table" and s.enum[1] ~= nil then
    return s.enum[1]
  end
  local kind = type(s.type) == "table" and s.type[1] or s.type
  local given = lists.joined(s.default ~= "" and json.kind(s.default) ~= "null" and { s.default } or {},
    json.kind(s.examples) == "array" and s.examples or {})
  local good = together.fitting(lists.joined(given, type(samples[kind]) == "number" and numbers(s, samples[kind]) or {}), s, root)[1]
  if good ~= nil then
    return good
  elseif s["$ref"] ~= nil then
    return sample(root, schema.follow(root, s["$ref"]), name, depth + 1)
  end
  local first = lists.some({ "anyOf", "oneOf", "allOf" }, function(key)
    return type(s[key]) == "table" and s[key][1]
  end)
  if first then
    return sample(root, first, name, depth + 1)
  elseif kind == "array" then
    local item, list = sample(root, s.items, name, depth + 1), json.array()
    for i = 1, math.min(math.max(json.number(s.minItems) or 1, 1), 5) do
      list[i] = item
    end
    return list
  elseif kind == "object" or type(s.properties) == "table" then
    local none_required = type(s.required) ~= "table" or #s.required == 0
    return json.object(lists.map(schema.declared(s), function(member, i)
      return (member.required or depth == 0 and i <= 2 and none_required)
        and { member.key, sample(root, member.schema, member.key, depth + 1) } or nil
    end))
  end
  return samples[kind] or sample_text(s, name)
end

-- A sample call of one of the format's own tools.
local function sample_form(form, tool)
  local given, properties = tool.parameters or json.object(), schema.properties_of(tool) or {}
  local required = lists.set(type(given.required) == "table" and given.required or {})
  return { tool = tool, name = tool.name, arguments = json.object(lists.map(form, function(member)
    if not member.optional or required[member.key] then
      local value = sample(given, properties[member.key] or { type = "string" }, member.key, 1)
      local text = type(value) == "string" and value or json.encode(value)
      return { member.key, member.lines and text .. "\n" or not member.spaces and text:gsub(" ", "_") or value }
    end
  end)) }
end

--- A call of the tool with sample values. text_of(member): the text of a parameter, or nil without it; if the parameters are not fixed.
function M.sample_call(plan, tool, text_of)
  local parameters = tool.parameters or json.object()
  local form = lists.some(ways.of(plan.syntax) or {}, function(form)
    return (not form.name or form.name == tool.name) and not lists.some(schema.declared(parameters), function(member)
      return member.required and not form.keys[member.key]
    end) and form
  end)
  if form then
    return sample_form(form, tool)
  end
  local arguments = not text_of and sample(parameters, parameters, tool.name, 0)
    or json.object(lists.map(schema.declared(together.parameters_of(tool)), function(member)
      local text = text_of(member)
      return text and { member.key, samples[member.schema and member.schema.type] or text } or nil
    end))
  return { tool = tool, name = tool.name, arguments = json.kind(arguments) == "object" and arguments or json.object() }
end

--- Says that a sample call has an argument which its tool forbids: a format with fixed ones always writes some.
function M.forbidden(plan, call)
  local declared = schema.properties_of(call.tool) or {}
  return (call.tool.parameters or {}).additionalProperties == false and lists.some(json.keys(call.arguments), function(key)
    return declared[key] == nil and ("%s always writes the argument '%s', which '%s' does not declare")
      :format(plan.syntax.name, key, call.name)
  end)
end

-- The calls as separate messages; nil and a message if the format cannot carry them.
local function written(plan, calls)
  return render.render(plan, { calls = calls, generation_prompt = true })
end

-- A sentence on how values are written.
local function values_rule(plan)
  local syntax = plan.syntax
  if syntax.fixed_parameters then
    return "The header is one line; the body is text, written as it is."
  elseif ways.of(syntax) then
    return "The text between the markers is written as it is: no quotes, no escapes."
  end
  local node = word.with(syntax.blocks[syntax.written], "rule")
  return not node and "The arguments are written as in the example." or node:rule(syntax)
    or "The arguments are one JSON object: strings in double quotes, with \\\" and \\n as JSON escapes them."
end

local function tool_json(tool)
  return json.encode(json.object { { "name", tool.name }, { "description", tool.description },
    { "parameters", tool.parameters or json.object() } }, ", ", ": ")
end

-- A tool's name with its parameters and their types, for the short variant.
local function signature(tool)
  local first = tool.description and tool.description:match "^[^\n]*"
  return ("- %s(%s)%s"):format(tool.name, lists.join(schema.declared(tool.parameters or {}), function(member)
    local at = type(member.schema) == "table" and member.schema or {}
    local values = at.const ~= nil and { at.const } or type(at.enum) == "table" and at.enum
    local kind = values and lists.join(values, function(value) return json.encode(value) end, "|")
      or type(at.type) == "table" and table.concat(at.type, "|") or at.type or "any"
    return member.key .. (member.required and ": " or "?: ") .. kind
  end, ", "), first and first ~= "" and ": " .. first or "")
end

local function full(plan, tools, example, shown, rule)
  local d, out = plan.syntax, {}
  local one = d.max_calls ~= 1
  local function add(text)
    out[#out + 1] = text
  end
  lists.map({ "You can call tools. Call one when its result is needed to answer; otherwise answer in plain text.", "",
    "A call is written exactly like this, with nothing inside it but the call:", "", example, "", "Rules:",
    "- Use only the tools below, by their exact names, and only the parameters that they declare.",
    "- Give every required parameter. Leave out optional ones that you do not need; never invent a value.",
    "- " .. rule }, add)
  for _, tool in ipairs(ways.names(d) and tools or {}) do
    local more = tool ~= shown[1].tool and written(plan, { M.sample_call(plan, tool) })
    if more then
      add(("- `%s` is written like this:\n\n%s\n"):format(tool.name, more))
    end
  end
  local two = one and tools[2] and written(plan, { shown[1], shown[2] or shown[1] })
  if two then
    add(("- Several calls that do not depend on each other are written together, like this:\n\n%s\n"):format(two))
  elseif not one then
    add "- One call a message."
  end
  if plan.mark then
    add(("- The mark `%s` makes a call count: write it in every call, and never show it elsewhere."):format(plan.mark))
  end
  add "- After the calls, stop and wait for their results."
  for _, stop in ipairs(d.stop_words or {}) do
    local seen = stop:match "^%s*(.-)%s*$"
    add(example:find(seen, 1, true) and ("- Your message ends with `%s`."):format(seen)
      or ("- Stop before you would write `%s`: that is the host's."):format(seen))
  end
  add("\nTools:\n" .. lists.join(tools, tool_json, "\n"))
  return table.concat(out, "\n") .. "\n"
end

local function short(plan, tools, example, _, rule)
  return ("To call a tool, write exactly:\n%s\n%s%s Then stop and wait for the result. Tools (`?` is optional):\n%s\n"):format(
    example, rule, plan.syntax.max_calls == 1 and " One call a message." or "", lists.join(tools, signature, "\n"))
end

-- What the templates of several families of models begin with.
local preamble = "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
  .. "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n%s\n</tools>"

-- The script's own template.
local function native(plan, tools, example)
  local template = plan.syntax.prompt
  local list = lists.map(tools, function(tool) return json.encode(tool.definition, ", ", ": ") end)
  local definitions = table.concat(list, "\n")
  local parts = { example = example, names = table.concat(lists.each(tools, "name"), "\n"),
    tools = lists.join(tools, tool_json, "\n"), definitions = definitions, array = "[" .. table.concat(list, ", ") .. "]",
    preamble = preamble:format(definitions) }
  return type(template) == "function" and template(tools, parts) or (template:gsub("{(%l+)}", parts))
end

local variants = { full = full, short = short, native = native }

--- prompt(plan, tools, options) -> text; or nil, a message and a code. options.variant: "full" (default), "short", or
-- "native": the script's own template, on which the models were trained.
function M.prompt(plan, tools, options)
  local d, variant = plan.syntax, options.variant or "full"
  if not variants[variant] then
    return nil, ("there is no variant '%s'; the variants are full, native, short"):format(variant), "bad_option"
  elseif variant == "native" and not d.prompt then
    return nil, ("%s has no native template"):format(d.name), "unsupported"
  elseif variant == "native" and plan.mark and type(d.prompt) == "function" then
    return nil, ("the native template of %s cannot carry a mark"):format(d.name), "unsupported"
  elseif not tools or #tools.list == 0 then
    return nil, "a prompt needs tools", "bad_option"
  end
  local names = ways.names(d)
  local known = lists.set(names)
  local calls = lists.map(tools.list, function(tool) return M.sample_call(plan, tool) end)
  for _, call in ipairs(names and calls or {}) do
    if not known[call.name] and not written(plan, { call }) then
      return nil, ("%s has its own tools (%s) and cannot call '%s'"):format(d.name, table.concat(names, ", "), call.name), "refused"
    end
  end
  local wrong_call = lists.some(calls, function(call) return M.forbidden(plan, call) end)
  local shown = lists.map(calls, function(call) -- those that match their schemas, if there are such
    return not (call.tool.compiled and call.tool.compiled:check(json.encode(call.arguments))) and call or nil
  end)
  local coded = (word.with(d.blocks, "entities") or {}).entities
  local rule = values_rule(plan) .. (coded and " But `&lt;` is read as `<`" .. (coded == true and ": write `&` as `&amp;`." or ".") or "")
    .. (shown[1] and "" or " The values in the example are not valid: write values that match the schema.")
  shown = shown[1] and shown or calls
  local example, message = written(plan, { shown[1] })
  if wrong_call or not example then
    return nil, wrong_call or message, "refused"
  end
  return variants[variant](plan, tools.list, example, shown, rule)
end

return M
