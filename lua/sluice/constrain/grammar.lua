--- Makes grammars that constrain a model to a format and to given tools.
--
-- A grammar accepts what `render` writes, with the tools' names as constants and every value typed by its schema. Constructs that
-- the target cannot express are refused with a message.

local core = require "sluice.core"
local forms = require "sluice.forms"
local gbnf = require "sluice.constrain.gbnf"
local lark = require "sluice.constrain.lark"
local render = require "sluice.write.render"
local schema_text = require "sluice.constrain.schema_text"
local structural = require "sluice.constrain.structural"
local tree = require "sluice.constrain.tree"
local words = require "sluice.constrain.words"
local writing = require "sluice.write.words"

local json = core.json
local lit, seq, alt, refuse = tree.lit, tree.seq, tree.alt, tree.refuse
local parameters_of, write, sequence, has, lines_without, INDEX = schema_text.parameters_of, words.write, words.sequence, words.has,
  words.lines_without, words.INDEX
local M = {}

local function context(plan, tool, json_nodes)
  local style = plan.syntax.json or {}
  return { plan = plan, tool = tool, root = parameters_of(tool), used = {}, json_nodes = json_nodes,
    call = { name = tool.name, index = INDEX, arguments = json.object(), used = {} },
    style = { item = style.item or ", ", key = style.key or ": " } }
end

-- True if a valid call of this tool is possible: some formats have fixed parameters.
local function fits_form(plan, tool)
  local list = forms.of(plan.syntax)
  for _, form in ipairs(list or {}) do
    if not form.name or form.name == tool.name then
      schema_text.members_of(tool)
      for _, key in ipairs(parameters_of(tool).required or {}) do
        if not form.keys[key] then
          refuse("the parameter '%s' of '%s': the format has no place for it", key, tool.name)
        end
      end
      return true
    end
  end
  return list == nil
end

local function one_of(node, plan, tools, json_nodes, part)
  local ways, why = {}, nil
  for _, tool in ipairs(tools) do
    local block = part == write and render.block_for(plan.syntax, tool.name) or node
    local ok, result
    if fits_form(plan, tool) then
      ok, result = pcall(part, block, context(plan, tool, json_nodes))
    else
      ok, result = false, { no_way = true, refusal = ("the tool '%s': the format does not have it"):format(tool.name) }
    end
    if ok then
      ways[#ways + 1] = result
    elseif type(result) == "table" and result.no_way then
      why = why or result
    else
      error(result, 0)
    end
  end
  if why and (#ways == 0 or why.refusal:find "^the tool") then
    error(why, 0)
  end
  return alt(ways)
end

local block

-- A block with several calls: the words around them occur once.
local function around(node, plan, tools, o)
  local function inner(at)
    return around(at, plan, tools, o)
  end
  if node.word == "calls" and not (node.separate_blocks or node.once) then
    local call = one_of(node, plan, tools, o.json_nodes, sequence)
    local between = node.between and write(node.between, context(plan, tools[1], o.json_nodes))
    return o.parallel and tree.rep(call, 1, nil, between or tree.empty) or call
  elseif node.word == "any" then
    return inner(render.written(node))
  elseif node.word == "member" then
    return seq { lit(writing.member_opener(node, context(plan, tools[1], o.json_nodes).style)), inner(node[1]), lit "}" }
  elseif node.word == "section" then
    return seq { inner(node[1]), lit(node.close[1] .. (node.after or "")) }
  elseif node.word == "sequence" or node.word == "exact" or node.word == "recoverable"
    or (node.word == "optional" and node.write ~= false) then
    local out = {}
    for i = 1, #node do
      out[i] = inner(node[i])
    end
    return seq(out)
  end
  return write(node, context(plan, tools[1], o.json_nodes))
end

function block(plan, tools, o)
  local node = plan.syntax.blocks[1]
  if render.many(node) then
    return around(node, plan, tools, o), true
  end
  return one_of(node, plan, tools, o.json_nodes, write), false
end

-- The literals with which a block begins for every tool; the first of them; and its place.
local function beginning(node)
  local texts, place = {}, nil
  local function walk(at)
    if at.word == "literal" then
      texts[#texts + 1] = at.text
      return true
    elseif at.word == "optional" and at.write == false then
      return true
    elseif at.word == "any" then
      return walk(render.written(at))
    elseif at.word == "header" or at.word == "name_in_id" or at.word == "pattern" then
      local call = { name = "\1", index = 1 }
      local text = at.word ~= "pattern" and writing.header(at, call) or type(at.text) == "function" and at.text(call) or at.text
      texts[#texts + 1] = text and text:match "^[^\1]*" or nil
      return false
    elseif at.word == "sequence" or at.word == "exact" or at.word == "optional" or at.word == "recoverable" or at.word == "calls" then
      place = at.at or place
      for i = 1, #at do
        if not walk(at[i]) then
          return false
        end
      end
      return true
    elseif at.word == "section" then
      return walk(at[1])
    end
    return false
  end
  walk(node)
  return table.concat(texts), texts[1] or "", place
end

local function is_text(node)
  return has(node, "text") or has(node, "reasoning")
end

-- The literal that marks the beginning of a call in text; refuses if there is none.
local function trigger_of(plan)
  local blocks = plan.syntax.blocks
  local whole, first, place = beginning(blocks[1])
  local trigger = first:match "^(.-)%s*$"
  local frames = false
  for i = 2, #blocks do
    frames = frames or is_text(blocks[i])
  end
  if frames or trigger:match "^%w*$" then -- a word, or the frame of every message, is not specific enough
    trigger = whole
  end
  if trigger == "" or trigger == "[" or trigger == "{" or place == "start" or place == "message" then
    refuse "text beside calls: nothing marks the beginning of a call (use tool_choice \"required\")"
  end
  for i = 2, #blocks do
    if is_text(blocks[i]) and beginning(blocks[i]):sub(1, #trigger) == trigger then
      refuse "text beside calls: a text message begins like a call (use tool_choice \"required\")"
    end
  end
  return trigger, place == "line"
end

-- Removes the trigger from the beginning of a block.
local function after_trigger(node, trigger)
  local first = node.kind == "seq" and node[1] or node
  if first.kind ~= "lit" or first.text:sub(1, #trigger) ~= trigger then
    refuse "text beside calls: the block does not begin with its marker"
  end
  local out = { lit(first.text:sub(#trigger + 1)) }
  for i = 2, node.kind == "seq" and #node or 1 do
    out[i] = node[i]
  end
  return seq(out)
end

local rest = tree.term("ANYTHING", "(.|\\n)*", "[^\\x00]*")

-- Raises an error about the options.
local function misuse(message, ...)
  error({ refusal = message:format(...), code = "bad_option" }, 0)
end

local known = { tool_choice = "string", parallel = "boolean", reasoning = "boolean", tokens = "any" }

local function settings(options)
  local o = { tool_choice = "auto", parallel = true, reasoning = false, tokens = "text" }
  for key, value in pairs(options or {}) do
    if not known[key] then
      misuse("there is no option '%s'; the options are parallel, reasoning, tokens, tool_choice", tostring(key))
    elseif known[key] ~= "any" and type(value) ~= known[key] then
      misuse("the option '%s' must be a %s", key, known[key])
    end
    o[key] = value
  end
  return o
end

-- Special tokens in llguidance's notation.
local function special_tokens(plan, tokens)
  if tokens == "text" then
    return nil
  end
  local out = {}
  for _, token in ipairs(plan.syntax.special or {}) do
    local id = type(tokens) == "table" and tokens[token]
    if id then
      out[token] = ("<[%d]>"):format(id)
    elseif token:match "^<[^<>%s]+>$" then
      out[token] = token
    elseif tokens == "special" then
      refuse("the special token '%s', which is not of the form <...>: give its id, tokens = {[\"%s\"] = id}", token, token)
    end
  end
  return out
end

local targets = {
  lark = lark.write,
  gbnf = function(node)
    return gbnf.write(node, "root")
  end,
  ["structural-tag"] = structural.write,
}

--- The names of the targets, sorted.
M.targets = { "gbnf", "lark", "structural-tag" }

--- grammar(plan, tools, target[, options]) -> text; or nil, a message and a code. options: tool_choice ("auto",
-- "required" or a tool's name), parallel (false: one call), reasoning (true: allowed before calls), tokens ("text",
-- "special", or a map from special tokens to their ids; lark only).
function M.grammar(plan, tools, target, options)
  local name = plan.syntax.name
  if not targets[target] then
    return nil, ("there is no target '%s'; the targets are %s"):format(tostring(target), table.concat(M.targets, ", ")), "bad_option"
  end
  local ok, result = pcall(function()
    local d = plan.syntax
    local o = settings(options)
    local list = {}
    for _, tool in ipairs(tools and tools.list or {}) do -- of tools with the same name, calls are checked against the last
      list[#list + 1] = tools.by_name[tool.name] == tool and tool or nil
    end
    if o.tool_choice ~= "auto" and o.tool_choice ~= "required" then
      list = { tools and tools.by_name[o.tool_choice] or misuse("there is no tool named %s", o.tool_choice) }
    end
    if #list == 0 then
      misuse "a grammar needs tools"
    elseif d.parse and not d.blocks[1] then
      refuse "a block parsed by a function"
    end
    o.json_nodes = {}
    o.parallel = o.parallel and not (d.max_calls and d.max_calls == 1)
    local calls, many = block(plan, list, o)
    local again = o.parallel and not many
    local prompt = d.generation_prompt
    local first = prompt and after_trigger(calls, prompt) -- the first or only call, which the prompt has begun
    local body
    if o.tool_choice == "auto" then
      local trigger, at_line = trigger_of(plan)
      if prompt then -- text may precede later calls, and may look like their beginning
        trigger, calls = trigger:sub(#prompt + 1), first
      end
      if at_line then
        local one = again and tree.rep(calls, 0, nil, lit(d.between or "")) or tree.opt(seq { calls, rest })
        body = seq { lines_without(trigger:sub(1, 1)), one }
      else
        body = { kind = "free", trigger = trigger, again = again, after_trigger(calls, trigger) }
      end
    elseif not again then
      body = first or calls
    elseif first then
      body = seq { first, tree.rep(seq { lit(d.between or ""), calls }, 0) }
    else
      body = tree.rep(calls, 1, nil, lit(d.between or ""))
    end
    if o.reasoning then
      local pair = plan.reasoning
      if not pair then
        refuse "reasoning: the format has none"
      end
      if target == "lark" and body.kind == "free" and pair.open:sub(1, #body.trigger) == body.trigger then
        -- its lexer mistakes the beginning of the reasoning for that of a call
        refuse "reasoning and text beside calls, whose openers begin alike (use tool_choice \"required\")"
      end
      body = seq { tree.opt { kind = "upto", open = pair.open, close = pair.close }, body }
    end
    return targets[target](body, target == "lark" and special_tokens(plan, o.tokens) or nil)
  end)
  if ok then
    return result
  elseif type(result) == "table" and result.code then
    return nil, result.refusal, result.code
  elseif type(result) == "table" and result.refusal then
    return nil, ("%s, %s: cannot express %s"):format(name, target, result.refusal), "unsupported"
  end
  error(result, 0)
end

return M
