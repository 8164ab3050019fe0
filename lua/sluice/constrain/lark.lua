--- Writes trees for llguidance, in its dialect of Lark.

local core = require "sluice.core"
local notation = require "sluice.constrain.notation"
local tree = require "sluice.constrain.tree"

local json = core.json
local M = {}

local function quoted(text)
  return json.encode(text)
end

--- write(node, special): Lark text. special: a map from literals to the engine's notation for these tokens, or nil.
-- Stays in one piece: a short function for each kind of node, over shared tables of rules.
function M.write(node, special)
  local lines, used, of_node, of_close, of_json = {}, { start = true }, {}, {}, {}

  local name_for = tree.names("_", used)

  local function define(name, body)
    lines[#lines + 1] = name .. ": " .. body
  end

  local function text_terminal()
    if not used.TEXT then
      used.TEXT = true
      define("TEXT", "/(.|\\n)*/")
    end
    return "TEXT"
  end

  -- A literal, with special tokens in the engine's notation.
  local function literal(text)
    local out = {}
    while text ~= "" do
      local at, last, spelt
      for token, spelling in pairs(special or {}) do
        local from, to = text:find(token, 1, true)
        if from and (not at or from < at or (from == at and to > last)) then
          at, last, spelt = from, to, spelling
        end
      end
      if not at then
        out[#out + 1] = quoted(text)
        break
      end
      if at > 1 then
        out[#out + 1] = quoted(text:sub(1, at - 1))
      end
      out[#out + 1] = spelt
      text = text:sub(last + 1)
    end
    return out
  end

  -- A text escaped for a regular expression.
  local function pattern_of(text)
    return (text:gsub("[%.%*%+%?%^%$%(%)%[%]{}|\\/]", "\\%0"):gsub("\n", "\\n"))
  end

  -- Text before `close`: without these texts; with its limits, and the required characters must not contain the closer.
  local function upto_terminal(limits, close, without)
    if limits and limits.pattern then
      tree.refuse "the pattern of text that a literal ends"
    end
    local text, absent = "/(.|\\n)*/", {}
    for i, one in ipairs(without or {}) do
      absent[i] = pattern_of(one)
    end
    if limits then
      text = ("/(.|\\n){%d,%s}/"):format(limits.min or 0, limits.max and ("%d"):format(limits.max) or limits.about or "")
      absent[#absent + 1] = (limits.min or 0) > 0 and pattern_of(close) or nil
    end
    return #absent == 0 and text or ("%s & ~/(.|\\n)*(%s)(.|\\n)*/"):format(text, table.concat(absent, "|"))
  end

  local scalar = { string = true, number = true, integer = true, boolean = true, null = true }

  -- A rule for the values of a schema, with the format's spacing of JSON.
  local function json_rule(s, name)
    notation.check(s, "lark", s)
    if not (s.enum or scalar[s.type]) then
      local list = { { "x-guidance", json.object { { "whitespace_flexible", false }, { "item_separator", ", " },
        { "key_separator", ": " } } } }
      for _, key in ipairs(json.keys(s)) do
        list[#list + 1] = { key, s[key] }
      end
      s = json.object(list)
    end
    local text = json.encode(s)
    if not of_json[text] then
      of_json[text] = name_for(name or "json")
      define(of_json[text], "%json " .. text)
    end
    return of_json[text]
  end

  -- Alternatives that are all self-contained JSON, as one schema; else nil.
  local function one_schema(at)
    local list = json.array()
    for i = 1, #at do
      if at[i].kind ~= "json" or at[i].schema["$defs"] or at[i].schema.definitions then
        return nil
      end
      list[i] = at[i].schema
    end
    return json.object { { "anyOf", list } }
  end

  local how = { name = name_for, define = define }

  function how.lit(at)
    local out = literal(at.text)
    return table.concat(out, " "), #out > 1 and 1 or 2
  end

  function how.alt(at)
    local schema = one_schema(at)
    if schema then
      return json_rule(schema, "calls"), 2
    end
  end

  function how.upto(at, write)
    tree.refuse_no_end(at)
    local open, close, tail = at.open or "", at.close, ""
    for token in pairs(special or {}) do
      local from = close:find(token, 1, true)
      if from then
        close, tail = close:sub(1, from - 1), close:sub(from) .. tail
      end
    end
    if close == "" then -- a special token ends text, which cannot contain any
      return (open ~= "" and write(tree.lit(open), 1) .. " " or "") .. text_terminal() .. " " .. write(tree.lit(tail), 1), 1
    end
    -- the opener is in the same terminal, since a greedy one for text would swallow it
    local body = upto_terminal(at.limits, close, at.without)
    if open ~= "" then
      body = "/" .. pattern_of(open) .. body:sub(2)
    end
    local id = close .. "\0" .. body
    if not of_close[id] then
      of_close[id] = name_for(open ~= "" and "reasoning" or "text")
      define(("%s[suffix=%s]"):format(of_close[id], quoted(close)), body)
    end
    if tail ~= "" then
      return of_close[id] .. " " .. write(tree.lit(tail), 1), 1
    end
    return of_close[id], 2
  end

  function how.free(at, write)
    local token = special and special[at.trigger]
    local head
    if token then
      head = text_terminal() .. " " .. token
    else
      head = name_for "head"
      define(head .. "[lazy]", text_terminal() .. " " .. quoted(at.trigger))
    end
    local call = name_for "call"
    define(call, head .. " " .. write(at[1], 1))
    if not at.most then
      return call .. "* " .. text_terminal(), 1
    end -- after the last call there is no text, which could be another
    local last = call .. " | " .. text_terminal()
    return at.most > 1 and ("%s{0,%d} (%s)"):format(call, at.most - 1, last) or last, at.most > 1 and 1 or 0
  end

  function how.term(at)
    if not of_node[at.lark] then
      of_node[at.lark] = name_for(at.name, true)
      define(of_node[at.lark], "/" .. at.lark .. "/")
    end
    return of_node[at.lark], 2
  end

  function how.json(at)
    return json_rule(at.schema, at.name), 2
  end

  local body = tree.writer(how)(node, 0)
  table.insert(lines, 1, "start: " .. body)
  return table.concat(lines, "\n") .. "\n"
end

return M
