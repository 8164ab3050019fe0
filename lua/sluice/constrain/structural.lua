--- Writes trees as XGrammar's structural tags.

local json = require("sluice.core").json
local gbnf = require "sluice.constrain.gbnf"
local lists = require "sluice.lists"
local notation = require "sluice.constrain.notation"
local schema = require "sluice.schema.types"
local tree = require "sluice.constrain.tree"

local M = {}

local function object(...)
  return json.object { ... }
end

-- A schema for XGrammar: arrays without `items` get some, since it would not allow any.
local function spelt(s)
  if json.kind(s) ~= "object" then
    return s
  end
  return schema.with(schema.parts(s, spelt), {}, s.type == "array" and s.items == nil and { { "items", json.object() } } or nil)
end

local format

local function list_of(node)
  return json.array(lists.map(node, format))
end

-- One tag of a block: its beginning, content and end.
local function tag_of(node)
  local inside = lists.joined(node.kind == "seq" and node or { node })
  local first, last = inside[1], #inside > 1 and inside[#inside] or nil
  local close = last and last.kind == "lit" and table.remove(inside).text or ""
  local begin = first and first.kind == "lit" and table.remove(inside, 1).text or ""
  local content = tree.seq(inside)
  last = inside[#inside]
  if close == "" and last and last.kind == "rep" and not last.max then
    content = tree.own(content) -- a tag without an end cannot contain an open list, but any grammar
  end
  return object({ "type", "tag" }, { "begin", begin }, { "content", format(content) }, { "end", close })
end

function format(node)
  local kind = node.kind
  if kind == "lit" or kind == "seq" and #node == 0 then
    return object({ "type", "const_string" }, { "value", node.text or "" })
  elseif kind == "seq" then
    return object({ "type", "sequence" }, { "elements", list_of(node) })
  elseif kind == "alt" then
    return object({ "type", "or" }, { "elements", list_of(node) })
  elseif kind == "opt" then
    return object({ "type", "optional" }, { "content", format(node[1]) })
  elseif kind == "rep" and node.between then
    if node.between.kind == "lit" and not node.max and node.min <= 1 then
      return object({ "type", "tags_with_separator" }, { "tags", json.array { tag_of(node[1]) } },
        { "separator", node.between.text }, { "at_least_one", node.min == 1 })
    end
    local more = tree.rep(tree.seq { node.between, node[1] }, math.max(node.min - 1, 0), node.max and node.max - 1)
    local many = tree.seq { node[1], more }
    return format(node.min > 0 and many or tree.opt(many))
  elseif kind == "rep" then
    return object({ "type", "repeat" }, { "min", node.min }, { "max", node.max or -1 }, { "content", format(node[1]) })
  elseif kind == "upto" then
    tree.refuse_limits(node)
    local without = json.array(lists.joined(node.without or {}))
    local end_of_two, overlaps = tree.without_overlap(node.close)
    without[#without + 1] = overlaps and end_of_two or nil -- else the first end is missed
    local text = object({ "type", "any_text" }, #without > 0 and { "excludes", without } or nil)
    return object({ "type", "tag" }, { "begin", node.open or "" }, { "content", text }, { "end", node.close })
  elseif kind == "free" and (node.most or 1) > 1 then -- its tags have no such limit
    return format(tree.own(node))
  elseif kind == "free" then
    local block = tag_of(tree.seq { tree.lit(node.trigger), node[1] })
    return object({ "type", "triggered_tags" }, { "triggers", json.array { node.trigger } },
      { "tags", json.array { block } }, { "stop_after_first", node.most == 1 })
  elseif kind == "json" then
    notation.check(node.schema, "structural-tag", node.schema)
    -- as much white space as `render` writes: without a limit small models write nothing else
    return object({ "type", "json_schema" }, { "json_schema", spelt(node.schema) }, { "max_whitespace_cnt", 1 })
  elseif kind == "term" or kind == "rule" or kind == "own" then
    return object({ "type", "grammar" }, { "grammar", gbnf.write(node) })
  end
  tree.refuse_no_end(node)
end

--- write(node): the structural tag as JSON text.
function M.write(node)
  return json.encode(object({ "type", "structural_tag" }, { "format", format(node) }), ", ", ": ")
end

return M
