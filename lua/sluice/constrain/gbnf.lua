--- Writes trees as GBNF, the grammars of llama.cpp (and, without its tokens, XGrammar's EBNF).

local json = require("sluice.core").json
local lists = require "sluice.lists"
local notation = require "sluice.constrain.notation"
local tree = require "sluice.constrain.tree"

local M = {}

local named = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ['"'] = '\\"', ["\\"] = "\\\\" }

local function quoted(text)
  return '"' .. text:gsub('[%z\1-\31\\"]', function(c)
    return named[c] or ("\\x%02X"):format(c:byte())
  end) .. '"'
end

-- The characters of a text.
local function characters(text)
  local out = {}
  for c in text:gmatch "[%z\1-\127\194-\244][\128-\191]*" do
    out[#out + 1] = c
  end
  return out
end

local class_named = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ["]"] = "\\]", ["\\"] = "\\\\" }

--- The inside of [^...] for these characters.
function M.class(list)
  local dash = ""
  return lists.join(list, function(c)
    dash = c == "-" and c or dash
    return c ~= "-" and (class_named[c] or c) or nil
  end) .. dash
end

--- write(node) -> GBNF text.
-- Stays in one piece: a short function for each kind of node, over shared tables of rules.
function M.write(node)
  local rules, of_close, json_notation = tree.rules("-", " ::= ", "root"), {}, notation.json()
  local name_for, define, automata = rules.name, rules.define, 0

  -- Text up to and including `close`, without those texts; or up to its end or that of the message. body: what follows `close`.
  -- An automaton finds the end: a rule for each state, which is named by what has been read of `close` or of a text in `without`.
  local function text_upto(close, without, body)
    automata = automata + 1
    local wanted = "text" .. (automata == 1 and "" or automata)
    local states, names, alphabet, seen = {}, {}, {}, {}
    for i = 0, #without do
      local head = ""
      for _, c in ipairs(characters(without[i] or close)) do
        if not names[head] then
          names[head] = name_for(#states == 0 and wanted or ("%s-%d"):format(wanted, #states))
          states[#states + 1] = head
        end
        alphabet[#alphabet + 1], seen[c] = not seen[c] and c or nil, true
        head = head .. c
      end
    end
    -- The state after this character; true at the end of `close`, nil where it would complete one of `without`.
    local function step(read)
      if read:sub(-#close) == close then
        return true
      elseif not lists.some(without, function(text)
        return read:sub(-#text) == text
      end) then
        while not names[read] do
          read = read:sub(2)
        end
        return read
      end
    end
    for _, state in ipairs(states) do
      local ways, listed = {}, {}
      for _, c in ipairs(alphabet) do
        local to = step(state .. c)
        listed[#listed + 1] = to ~= "" and c or nil
        ways[#ways + 1] = to and to ~= "" and quoted(c) .. (names[to] and " " .. names[to] or body and " " .. body or "") or nil
      end
      ways[#ways + 1] = "[^" .. M.class(listed) .. "] " .. names[""] .. (body and ' | ""' or "")
      define(names[state], table.concat(ways, " | "))
    end
    return names[""]
  end

  local how = {}

  function how.lit(at)
    return quoted(at.text), 2
  end

  function how.upto(at)
    tree.refuse_limits(at)
    local without = at.without or {}
    local id = table.concat(lists.joined({ at.close }, without), "\0")
    of_close[id] = of_close[id] or text_upto(at.close, without)
    if at.open then
      return quoted(at.open) .. " " .. of_close[id], 1
    end
    return of_close[id], 2
  end

  function how.free(at, write) -- text with blocks that begin with the trigger
    local call, after
    for _ = 1, at.most or 1 do -- with a limit from the last call, after which there is no text
      local body = name_for "block"
      local text = text_upto(at.trigger, {}, body)
      after = after or not at.most and text
      call = call or (at.most or 1) == 1 and write(at[1], after and 1 or 0) or name_for "call"
      define(body, after and call .. " " .. after or call)
      after = text
    end
    if (at.most or 1) > 1 then
      define(call, write(at[1], 0))
    end
    return after, 2
  end

  function how.term(at)
    return rules.once(at.gbnf, at.name, at.gbnf)
  end

  function how.json(at, write)
    local value = notation.value(at.schema, at.schema, json_notation)
    if value.kind == "term" then
      return write(value, 2), 2
    end
    return rules.once(at.schema.properties and at or json.encode(at.schema), at.name or "json", function() -- small ones are shared
      return write(value, 0)
    end)
  end

  return rules.text("root", tree.writer(how, rules)(node, 0))
end

return M
