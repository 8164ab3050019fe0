--- Writes trees as GBNF, the grammars of llama.cpp (and, without its tokens, XGrammar's EBNF).

local core = require "sluice.core"
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
  local out, dash = {}, ""
  for _, c in ipairs(list) do
    if c == "-" then
      dash = c
    else
      out[#out + 1] = class_named[c] or c
    end
  end
  return table.concat(out) .. dash
end

--- write(node, root) -> GBNF text. `root`: the name of the first rule.
-- Stays in one piece: a short function for each kind of node, over shared tables of rules.
function M.write(node, root)
  local lines, of_node, of_close, of_json, json_notation = {}, {}, {}, {}, notation.json()
  local name_for = tree.names("-", { [root] = true })
  local automata = 0

  local function define(name, body)
    lines[#lines + 1] = name .. " ::= " .. body
  end

  -- The characters of `close`; and the function from how many of them have been read, and a character, to how many have been read then.
  local function reader(close)
    local chars, heads = characters(close), { [0] = "" }
    for i, c in ipairs(chars) do
      heads[i] = heads[i - 1] .. c
    end
    return chars, function(state, c)
      local read = heads[state] .. c
      for to = state + 1, 1, -1 do
        if read:sub(-#heads[to]) == heads[to] then
          return to
        end
      end
      return 0
    end
  end

  -- A rule for each number of characters of `close` that have been read. way(state, c, to, names): how to go on with a character of
  -- `close`; other(class, names): with any other.
  local function automaton(wanted, close, way, other)
    local chars, step = reader(close)
    local names = {}
    for state = 0, #chars - 1 do
      names[state] = name_for(state == 0 and wanted or wanted .. "-" .. state)
    end
    for state = 0, #chars - 1 do
      local ways, listed, seen = {}, {}, {}
      for _, c in ipairs(chars) do
        local to = step(state, c)
        if to > 0 and not seen[c] then
          seen[c] = true
          listed[#listed + 1] = c
          ways[#ways + 1] = way(state, c, to, names)
        end
      end
      ways[#ways + 1] = other("[^" .. M.class(listed) .. "]", names)
      define(names[state], table.concat(ways, " | "))
    end
    return names[0]
  end

  -- Text up to and including `close`; or up to its end or that of the message. body: what follows `close`.
  local function text_upto(close, body)
    automata = automata + 1
    return automaton(automata == 1 and "text" or "text" .. string.char(96 + automata), close, function(_, c, to, names)
      return quoted(c) .. (names[to] and " " .. names[to] or body and " " .. body or "")
    end, function(class, names)
      return class .. " " .. names[0] .. (body and ' | ""' or "")
    end)
  end

  -- Text up to and including `close`, with room for so many characters: pieces that are one character, or begin like `close`, and do
  -- not end like its beginning; and the last one. Each first begins `close` again and again.
  local function limited(close, most)
    local chars, step = reader(close)
    local again
    for state = #chars - 1, 1, -1 do
      local more = again and quoted(chars[state + 1]) .. " " .. again
      local back = step(state, chars[1]) == 1
      again = back and (more and "(" .. more .. ")?" or '""') or more
    end
    if again then
      local name = name_for "again"
      define(name, quoted(chars[1]) .. " " .. again)
      again = ("%s{0,%d} "):format(name, most)
    end
    local function part(wanted, ends, other)
      return automaton(wanted, close, function(state, c, to, names)
        if names[to] and (to > 1 or state == 0) or not names[to] and ends then
          return (state == 0 and again or "") .. quoted(c) .. (names[to] and " " .. names[to] or "")
        end
      end, other)
    end
    return ("%s{0,%d} %s"):format(part("piece", false, function(class)
      return class
    end), most, part("last", true, function() end))
  end

  local how = { name = name_for, define = define }

  function how.lit(at)
    return quoted(at.text), 2
  end

  function how.upto(at)
    tree.refuse_limits(at)
    local about = at.limits and at.limits.about
    local id = at.close .. "\0" .. (about or "")
    if not of_close[id] and about then
      of_close[id] = name_for "text"
      define(of_close[id], limited(at.close, about))
    end
    of_close[id] = of_close[id] or text_upto(at.close)
    if at.open then
      return quoted(at.open) .. " " .. of_close[id], 1
    end
    return of_close[id], 2
  end

  function how.free(at, write) -- text with blocks that begin with the trigger
    local call, after
    for _ = 1, at.most or 1 do -- with a limit from the last call, after which there is no text
      local body = name_for "block"
      local text = text_upto(at.trigger, body)
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
    if not of_node[at.gbnf] then
      of_node[at.gbnf] = name_for(at.name)
      define(of_node[at.gbnf], at.gbnf)
    end
    return of_node[at.gbnf], 2
  end

  function how.json(at, write)
    local id = at.schema.properties and at or json.encode(at.schema) -- small ones are shared
    if not of_json[id] then
      local value = notation.value(at.schema, at.schema, json_notation)
      if value.kind == "term" then
        of_json[id] = write(value, 2)
      else
        of_json[id] = name_for(at.name or "json")
        define(of_json[id], write(value, 0))
      end
    end
    return of_json[id], 2
  end

  local body = tree.writer(how)(node, 0)
  table.insert(lines, 1, root .. " ::= " .. body)
  return table.concat(lines, "\n") .. "\n"
end

return M
