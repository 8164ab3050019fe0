--- Grammars that constrain a model to a format and to given tools: a tree from the words, then a writer for the engine's notation.

local json = require("sluice.core").json
local follow = require "sluice.compile.follow"
local gbnf = require "sluice.constrain.gbnf"
local lark = require "sluice.constrain.lark"
local lists = require "sluice.lists"
local nearest = require "sluice.nearest"
local prompts = require "sluice.prompt"
local relax = require "sluice.constrain.relax"
local render = require "sluice.render"
local schema = require "sluice.schema.types"
local structural = require "sluice.constrain.structural"
local together = require "sluice.constrain.together"
local tree = require "sluice.constrain.tree"
local values = require "sluice.constrain.values"
local word = require "sluice.word"

local lit, seq, refuse = tree.lit, tree.seq, tree.refuse
local M = {}

-- A placeholder for the number of the call in rendered text, and numbers: its last digit is that of the first call.
local COUNT = 7654321
local digits = { ["0"] = tree.term("DIGITS", "[0-9]{1,4}"), ["1"] = tree.term("DIGITS", "[1-9][0-9]{0,3}") }

-- One call of one tool.
local Context = {}
Context.__index = Context

local function context_of(plan, tool, json_nodes)
  return setmetatable({ plan = plan, tool = tool, root = together.parameters_of(tool), used = {}, json_nodes = json_nodes,
    call = { name = tool.name, index = COUNT, arguments = json.object(), used = {} } }, Context)
end

--- The same context for a parameter: key, schema, kind, loop.
function Context:with(changes)
  return setmetatable(changes, { __index = self })
end

--- The parameters without their definitions, and these.
function Context:parameters_apart()
  return schema.with(self.root, together.definitions), together.definitions_of(self.root)
end

function Context:members()
  if (self.root.additionalProperties or false) ~= false then
    refuse "'additionalProperties' of parameters that are written one by one"
  end
  return together.members_of(self.tool)
end

--- The schema of a parameter with a fixed key; nil if the tool does not have it. And true if it is required.
function Context:named(key)
  local found = lists.some(schema.declared(self.root), function(member) return member.key == key and member end)
  return (found or {}).schema, (found or {}).required
end

--- Refuses a member of an object in elements whose key the format cannot carry there.
function Context:check_element(key)
  local text, why = render.render(self.plan, { { name = self.tool.name,
    arguments = json.object { { "x", json.object { { key, "x" } } } } } })
  if not text then
    refuse("the member '%s' in elements: %s", key, why)
  end
end

--- A value as JSON: one node per schema.
function Context:json(s, name)
  self.json_nodes[s] = self.json_nodes[s] or tree.json(together.alone(s, self.root), name)
  return self.json_nodes[s]
end

--- Text in which the call's number is any number.
function Context.counted(_, text)
  local from, to, first = text:find "765432([01])"
  return from and seq { lit(text:sub(1, from - 1)), digits[first], lit(text:sub(to + 1)) } or lit(text)
end

--- The words of a list. A literal, `same` and a literal end a text together.
function Context:sequence(list)
  local out, i = {}, 1
  while i <= #list do
    local part, direct = list[i], list[i + 1]
    local spelt = part.body and direct and direct.spelt and direct:spelt(self)
    if spelt then
      local text, space = part.text .. spelt, ""
      i = i + 1
      if list[i + 1] and list[i + 1].body then
        i = i + 1
        text, space = (text .. list[i].text):match(self.by_lines and "^(.*)(.-)$" or "^(.-)(%s*)$") -- the tag alone ends the text
      end
      out[#out + 1], out[#out + 2] = lit(text), space ~= "" and lit(space) or nil
    else
      local number = i + 1
      while list[number] and list[number].unwritten do
        number = number + 1
      end
      local after = list[number]
      local without
      for k = i + 1, number - 1 do -- what is also read there ends the text before it, or begins another: the text is without it
        without = follow.list(without or {}):all(follow.texts(follow.firsts(follow.cons(list[k]))))
      end
      local at_line = after and after.begins_line and after:begins_line()
      local following = at_line and after[1].text or after and after.body and after:body() ~= "" and after.text
      local inside = self:with { behind = follow.chain_of(list, i + 1, self.behind) }
      local made = part:tree(following and inside:with { following = following, at_line = at_line, without = without } or inside)
      made.of = made.kind == "raw" and (made.of or part) or nil
      out[#out + 1] = made
    end
    i = i + 1
  end
  return seq(out)
end

-- Refuses a tool if the format cannot carry its name or that of a parameter in this grammar of its calls, or has no place for a required
-- parameter: some formats have fixed ones.
local function check_names(block, plan, tool, used)
  together.members_of(tool)
  local any, why = word.with(block, "any_arguments"), prompts.forbidden(plan, prompts.sample_call(plan, tool))
  for _, value in ipairs(why and {} or { "x", "x\n" }) do -- some values are whole lines
    local text, problem = render.render(plan, { prompts.sample_call(plan, tool, function(member)
      return (any or member.required or used[member.key]) and value
    end) })
    if text then
      return
    end
    why = why or problem
  end
  refuse("the tool '%s': %s", tool.name, why)
end

-- One call, of any of these tools. part(node, context): the tree of the block, or of what is in `calls`.
local function one_of(node, plan, tools, json_nodes, part)
  local found, why = {}, nil
  for _, tool in ipairs(tools) do
    local block, context = node or render.block_for(plan.syntax, tool.name), context_of(plan, tool, json_nodes)
    local good, result = pcall(part, block, context)
    if good then
      check_names(block, plan, tool, context.used)
      found[#found + 1] = result
    elseif type(result) == "table" and result.no_way then
      why = why or result
    else
      error(result, 0)
    end
  end
  if why and (#found == 0 or why.refusal:find "^the tool") then
    error(why, 0)
  end
  return tree.alt(found)
end

-- A block with several calls: the words around them occur once.
local function around(node, plan, tools, o)
  return node:tree(context_of(plan, tools[1], o.json_nodes):with { most = o.max_calls, each = function(list)
    return one_of(list, plan, tools, o.json_nodes, function(inside, context)
      return context:sequence(inside)
    end)
  end })
end

-- The literals with which a block begins for every tool; the first of them; and its place.
local function beginning(node)
  local texts, chain = {}, node:enter(nil)
  while chain do
    local at, rest = chain.node, chain.rest
    if at.body then
      texts[#texts + 1], chain = at.text, rest
    elseif at.text_for then -- `match`
      local text = at:text_for { name = "\1", index = 1, arguments = {} }
      texts[#texts + 1], chain = text and text:match "^[^\1]*" or nil, nil
    elseif at.unwritten then
      chain = rest
    else
      chain = at:enter(rest)
    end
  end
  return table.concat(texts), texts[1] or "", node.at
end

-- The literal that marks the beginning of a call in text; true if it begins a line; and a block of text that begins like a call, if there
-- is one. Refuses if there is no such literal.
local function trigger_of(syntax)
  local whole, first, place = beginning(syntax.blocks[syntax.written])
  local trigger = first:match "^(.-)%s*$"
  local function text_like_it(field)
    return lists.some(syntax.blocks, function(block, i)
      return i ~= syntax.written and word.with(block, field, "text") and beginning(block):sub(1, #trigger) == trigger and block
    end)
  end
  if text_like_it "gives" or trigger:match "^%w*$" then -- a word, or the frame of every message, is not specific enough
    trigger = whole
  end
  if trigger == "" or trigger == "[" or trigger == "{" or place == "start" then
    refuse "text next to calls: nothing marks the beginning of a call (use tool_choice \"required\")"
  end
  return trigger, place == "line", text_like_it "word"
end

-- Removes the trigger from the beginning of a block.
local function after_trigger(node, trigger)
  if node.kind == "rep" and node.min == 1 then -- a list of calls with nothing around them: the first one, and others
    node = seq { node[1], tree.rep(seq { node.between or tree.empty, node[1] }, 0, node.max and node.max - 1) }
  end
  local parts = node.kind == "seq" and node or { node }
  if parts[1].kind ~= "lit" or parts[1].text:sub(1, #trigger) ~= trigger then
    refuse "text next to calls: calls do not all begin alike (use tool_choice \"required\")"
  end
  return seq(lists.map(parts, function(part, i)
    return i == 1 and lit(part.text:sub(#trigger + 1)) or part
  end))
end

-- A message of text that begins like a call, without its trigger, and the call that may follow. Such text has nothing that begins like both
-- its end and a call; where markers are special tokens, it cannot have any.
local function message_of(text, trigger, call, o)
  local last, mark = text[#text], trigger
  if last.kind == "upto" then
    mark = last.close
    while o.tokens == "text" and #mark > 1 and trigger:sub(1, #mark) ~= mark do
      mark = mark:sub(1, -2)
    end
    call = seq { lit(last.close:sub(#mark + 1)), tree.opt(call) }
  else
    call = after_trigger(call, trigger)
  end
  local out = lists.map(text, function(part, i)
    return i < #text and part or { kind = "free", trigger = mark, most = 1, call }
  end)
  out.kind = "seq"
  return tree.own(out) -- XGrammar's tags cannot end with open ones
end

-- Raises an error about the options.
local function misuse(message, ...)
  error({ refusal = message:format(...), code = "bad_option" }, 0)
end

local CALLS_MOST = 100

local function settings(options, target)
  if (options.max_calls or 0) > CALLS_MOST then
    misuse("the option 'max_calls' must be a whole number up to %d, 0 for no limit", CALLS_MOST)
  end
  local o = lists.copy({ tool_choice = "auto", parallel = true, reasoning = false, tokens = "text" }, options)
  if target ~= "lark" and o.tokens ~= "text" then
    misuse("the option 'tokens' is for lark: %s has only text", target)
  end
  o.max_calls = not o.parallel and 1 or o.max_calls ~= 0 and o.max_calls or nil
  return o
end

-- Special tokens in llguidance's notation.
local function special_tokens(plan, tokens)
  if tokens == "text" then
    return nil
  elseif type(tokens) == "string" and tokens ~= "special" then
    misuse "the option 'tokens' must be \"text\", \"special\" or a map from special tokens to their ids"
  end
  local out, special = {}, lists.set(plan.syntax.special or {})
  for token, id in pairs(type(tokens) == "table" and tokens or {}) do
    if not special[token] or type(id) ~= "number" or id < 0 or id % 1 ~= 0 then
      misuse("the option 'tokens': '%s' is no special token of %s, or has no whole number", tostring(token), plan.syntax.name)
    end
  end
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

local targets = { lark = lark.write, gbnf = gbnf.write, ["structural-tag"] = structural.write }

--- The names of the targets, sorted.
M.targets = { "gbnf", "lark", "structural-tag" }

local function body_of(plan, tools, o)
  local syntax = plan.syntax
  local first_block, between = syntax.blocks[syntax.written], lit(syntax.between or "")
  local many = first_block:many()
  local calls = many and around(first_block, plan, tools, o) or one_of(nil, plan, tools, o.json_nodes, function(node, context)
    return node:tree(context)
  end)
  local most, prompt = many and 1 or o.max_calls, syntax.begins
  local first = prompt and after_trigger(calls, prompt) -- the first or only call, which the prompt has begun
  if o.tool_choice == "auto" then
    local trigger, at_line, message = trigger_of(syntax)
    local text = message and message_of(after_trigger(message:tree(context_of(plan, tools[1], o.json_nodes)), trigger), trigger, calls, o)
    if prompt then -- text may precede later calls, and may look like their beginning
      trigger, calls = trigger:sub(#prompt + 1), first
    end
    if at_line then
      local sign = { trigger:sub(1, 1) }
      return seq { values.lines_without(sign), tree.alt { tree.rep(calls, 0, most, between), values.last_line(sign) } }
    end
    calls = after_trigger(calls, trigger)
    return { kind = "free", trigger = trigger, most = most, text and tree.alt { text, calls } or calls }
  elseif first then
    return seq { first, tree.rep(seq { between, calls }, 0, most and most - 1) }
  end
  return tree.rep(calls, 1, most, between)
end

-- The text of a grammar for these tools.
local function written(plan, list, target, o)
  o.json_nodes = {}
  local body = body_of(plan, list, o)
  if o.reasoning then
    local pair = plan.reasoning
    if not pair then
      refuse "reasoning: the format has none"
    end
    if target == "lark" and body.kind == "free" and pair.open:sub(1, #body.trigger) == body.trigger then
      -- its lexer mistakes the beginning of the reasoning for that of a call
      refuse "reasoning and text next to calls, whose openers begin alike (use tool_choice \"required\")"
    end
    body = seq { tree.opt { kind = "upto", open = pair.open, close = pair.close }, body }
  end
  return targets[target](body, target == "lark" and special_tokens(plan, o.tokens) or nil)
end

--- grammar(plan, tools, target, options) -> text; or nil, a message and a code. options: tool_choice ("auto",
-- "required" or a tool's name), max_calls, parallel (false: one call), reasoning (true: allowed before calls), tokens ("text",
-- "special", or a map from special tokens to their ids; lark only), relax (true: without the keywords that the target cannot express;
-- the text begins with a list of them).
function M.grammar(plan, tools, target, options)
  local name = plan.syntax.name
  if not targets[target] then
    return nil, ("there is no target '%s'; the targets are %s"):format(tostring(target), table.concat(M.targets, ", ")), "bad_option"
  end
  local ok, result = pcall(function()
    local syntax, o = plan.syntax, settings(options, target)
    local list = lists.map(tools and tools.list or {}, function(tool) -- of tools with the same name, calls are checked against the last
      return tools.by_name[tool.name] == tool and tool or nil
    end)
    if o.tool_choice ~= "auto" and o.tool_choice ~= "required" then
      list = { tools and tools.by_name[o.tool_choice] or misuse(
        "'tool_choice' must be auto, required or the name of a tool; there is no tool named %s%s", o.tool_choice,
        nearest(o.tool_choice, lists.copy({ auto = true, required = true }, tools and tools.by_name), "; the nearest is '%s'") or "") }
    end
    if #list == 0 then
      misuse "a grammar needs tools"
    end
    o.max_calls = syntax.max_calls and math.min(syntax.max_calls, o.max_calls or syntax.max_calls) or o.max_calls
    local left = json.array()
    local function relaxed()
      for i, tool in ipairs(list) do
        list[i] = relax.tool(tool, left, function(one)
          local good, problem = pcall(written, plan, { one }, target, o)
          return good or (type(problem) ~= "table" or problem.code) and error(problem, 0)
        end)
      end
      return relax.noted(written(plan, list, target, o), left)
    end
    if o.relax then
      return relaxed()
    end
    local good, text = pcall(written, plan, list, target, o)
    if not good and type(text) == "table" and text.refusal and not text.code and pcall(relaxed) then
      refuse("%s; use another target, or the option relax=true, which %s", text.refusal,
        left[1] and "leaves out " .. table.concat(left, ", ", 1, math.min(#left, 4)) or "writes JSON there")
    end
    return good and text or error(text, 0)
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
