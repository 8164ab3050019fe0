--- Writes trees for llguidance, in its dialect of Lark.

local json = require("sluice.core").json
local lists = require "sluice.lists"
local notation = require "sluice.constrain.notation"
local reword = require "sluice.compile.reword"
local tree = require "sluice.constrain.tree"

local M = {}

local quoted = json.encode

--- write(node, special): Lark text. special: a map from literals to the engine's notation for these tokens, or nil.
-- Stays in one piece: a short function for each kind of node, over shared tables of rules.
function M.write(node, special)
  local rules = tree.rules("_", ": ", "start")

  local function text_terminal()
    return (rules.once("TEXT", "TEXT", "/(.|\\n)*/", true))
  end

  -- A literal, with special tokens in the engine's notation.
  local function literal(text)
    return lists.map(reword.split(text, special or {}), function(piece, i)
      return i % 2 == 0 and special[piece] or piece ~= "" and quoted(piece) or nil
    end)
  end

  -- A text escaped for a regular expression.
  local function pattern_of(text)
    return (text:gsub("[%.%*%+%?%^%$%(%)%[%]{}|\\/]", "\\%0"):gsub("\n", "\\n"))
  end

  -- Text before `close`: without these texts; with its limits, and the required characters must not contain the closer.
  local function upto_terminal(limits, close, without)
    if limits and limits.pattern then
      tree.refuse "the pattern of a string that is not JSON"
    end
    local text, absent = "/(.|\\n)*/", lists.map(without or {}, pattern_of)
    if limits then
      text = ("/(.|\\n){%d,%s}/"):format(limits.min or 0, limits.max and ("%d"):format(limits.max) or "")
      absent[#absent + 1] = (limits.min or 0) > 0 and pattern_of((tree.without_overlap(close))) or nil
    end
    return #absent == 0 and text or ("%s & ~/(.|\\n)*(%s)(.|\\n)*/"):format(text, table.concat(absent, "|"))
  end

  local scalar = lists.set "string number integer boolean null"

  -- A rule for the values of a schema, with the format's spacing of JSON.
  local function json_rule(s, name)
    notation.check(s, "lark", s)
    if not (s.enum or scalar[s.type]) then
      s = json.object(lists.joined({ { "x-guidance", json.object { { "whitespace_flexible", false }, { "item_separator", ", " },
        { "key_separator", ": " } } } }, lists.map(json.keys(s), function(key)
        return { key, s[key] }
      end)))
    end
    local text = json.encode(s)
    return rules.once(text, name or "json", "%json " .. text)
  end

  -- Alternatives that are all self-contained JSON, as one schema; else nil.
  local function one_schema(at)
    local list = json.array(lists.map(at, function(way)
      return way.kind == "json" and not (way.schema["$defs"] or way.schema.definitions) and way.schema or nil
    end))
    return #list == #at and json.object { { "anyOf", list } } or nil
  end

  local how = {}

  function how.lit(at)
    local out = literal(at.text)
    return table.concat(out, " "), #out > 1 and 1 or 2
  end

  function how.alt(at)
    local schema = one_schema(at)
    if schema then
      return json_rule(schema, "calls")
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
    local name = rules.once(close .. "\0" .. body, open ~= "" and "reasoning" or "text", body, false, ("[suffix=%s]"):format(quoted(close)))
    if tail ~= "" then
      return name .. " " .. write(tree.lit(tail), 1), 1
    end
    return name, 2
  end

  function how.free(at, write)
    local token = special and special[at.trigger]
    local head
    if token then
      head = text_terminal() .. " " .. token
    else
      head = rules.name "head"
      rules.define(head .. "[lazy]", text_terminal() .. " " .. quoted(at.trigger))
    end
    local call = rules.name "call"
    rules.define(call, head .. " " .. write(at[1], 1))
    if not at.most then
      return call .. "* " .. text_terminal(), 1
    end -- after the last call there is no text, which could be another
    local last = call .. " | " .. text_terminal()
    return at.most > 1 and ("%s{0,%d} (%s)"):format(call, at.most - 1, last) or last, at.most > 1 and 1 or 0
  end

  function how.term(at)
    return rules.once(at.lark, at.name, "/" .. at.lark .. "/", true)
  end

  function how.json(at)
    return json_rule(at.schema, at.name)
  end

  return rules.text("start", tree.writer(how, rules)(node, 0))
end

return M
