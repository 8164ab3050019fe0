--- Writes trees as GBNF, the grammars of llama.cpp (and, without its tokens, XGrammar's EBNF).

local core = require "sluice.core"
local lists = require "sluice.lists"
local notation = require "sluice.constrain.notation"
local tree = require "sluice.constrain.tree"

local json = core.json
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

  -- The automaton that finds the end of a text: the states, each named by what has been read of `close` or of a text in `without`; their
  -- characters; and step(state, c) -> the next state, true at the end of `close`, or nil where c would complete one of `without`.
  local function reader(close, without)
    local states, alphabet, seen = {}, {}, {}
    local function once(list, id, item)
      list[#list + 1] = not seen[id] and item or nil
      seen[id] = true
    end
    for i = 0, #without do
      local head = ""
      for _, c in ipairs(characters(without[i] or close)) do
        once(states, head, head)
        once(alphabet, "\0" .. c, c)
        head = head .. c
      end
    end
    return states, alphabet, function(state, c)
      local read = state .. c
      if read:sub(-#close) == close then
        return true
      end
      for _, text in ipairs(without) do
        if read:sub(-#text) == text then
          return nil
        end
      end
      while not seen[read] do
        read = read:sub(2)
      end
      return read
    end
  end

  -- A rule for each state. way(state, c, to, names): how to go on with a character that leads to a state, or is the last of `close`;
  -- other(class, names): with any other.
  local function automaton(wanted, states, alphabet, step, way, other)
    local names = {}
    for i, state in ipairs(states) do
      names[state] = name_for(i == 1 and wanted or ("%s-%d"):format(wanted, i - 1))
    end
    for _, state in ipairs(states) do
      local ways, listed = {}, {}
      for _, c in ipairs(alphabet) do
        local to = step(state, c)
        listed[#listed + 1] = to ~= "" and c or nil
        ways[#ways + 1] = to and to ~= "" and way(state, c, to, names) or nil
      end
      ways[#ways + 1] = other("[^" .. M.class(listed) .. "]", names)
      if #ways > 0 then
        define(names[state], table.concat(ways, " | "))
      end
    end
    return names[""]
  end

  -- Text up to and including `close`, without those texts; or up to its end or that of the message. body: what follows `close`.
  local function text_upto(close, without, body)
    automata = automata + 1
    local states, alphabet, step = reader(close, without)
    return automaton(automata == 1 and "text" or "text" .. string.char(96 + automata), states, alphabet, step, function(_, c, to, names)
      return quoted(c) .. (names[to] and " " .. names[to] or body and " " .. body or "")
    end, function(class, names)
      return class .. " " .. names[""] .. (body and ' | ""' or "")
    end)
  end

  -- The same with room for so many characters: pieces that are one character, or begin like one of the texts, and do not end like its
  -- beginning; and the last one. Each first begins such a text again and again.
  local function limited(close, without, most)
    local states, alphabet, step = reader(close, without)
    local anew = {} -- the states in which each first character of a text begins it anew
    for _, state in ipairs(states) do
      anew[state] = state ~= ""
      for _, c in ipairs(alphabet) do
        anew[state] = anew[state] and (step("", c) ~= c or step(state, c) == c)
      end
    end
    local function begun(state) -- the ways on from a state to one of these
      local ways = {}
      for _, c in ipairs(alphabet) do
        local more = step(state, c) == state .. c and begun(state .. c)
        ways[#ways + 1] = more and quoted(c) .. more or nil
      end
      local all = #ways > 0 and (" (%s)"):format(table.concat(ways, " | "))
      return anew[state] and (all and all .. "?" or "") or all
    end
    local again = begun ""
    if again then
      local name = name_for "again"
      define(name, again:sub(2))
      again = ("%s{0,%d} "):format(name, most)
    end
    local function part(wanted, ends, other)
      return automaton(wanted, states, alphabet, step, function(state, c, to, names)
        local on = names[to] and (to ~= c or state == "" or not anew[state])
        if ends and (to == true or on and close:sub(1, #to) == to and close:sub(1, #state) == state) or not ends and on then
          return (state == "" and again or "") .. quoted(c) .. (names[to] and " " .. names[to] or "")
        end
      end, other)
    end
    return ("%s{0,%d} %s"):format(part("piece", false, function(class)
      return class
    end), most, part("last", true, function() end))
  end

  local how = {}

  function how.lit(at)
    return quoted(at.text), 2
  end

  function how.upto(at)
    tree.refuse_limits(at)
    local about, without = at.limits and at.limits.about, at.without or {}
    local id = table.concat({ at.close, about or "", (unpack or table.unpack)(without) }, "\0")
    of_close[id] = of_close[id] or (about and rules.once(id, "text", function()
      return limited(at.close, without, about)
    end) or text_upto(at.close, without))
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
